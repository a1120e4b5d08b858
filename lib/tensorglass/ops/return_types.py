"""Named tuples that operators with several results return, printed as PyTorch prints them."""

from __future__ import annotations

from operator import itemgetter
from typing import Any


def _return_type(name: str, *fields: str, written: bool = True) -> Any:
    """The type of an operator's results; its `out` is that of results that were written to given tensors."""

    def new(cls: type, *results: Any) -> Any:
        return tuple.__new__(
            cls, results[0] if len(results) == 1 and isinstance(results[0], (tuple, list)) else results
        )

    def show(self: Any) -> str:
        lines = ",\n".join(f"{field}={value!r}" for field, value in zip(fields, self, strict=True))
        return f"torch.return_types.{name}(\n{lines})"

    members = {field: property(itemgetter(place)) for place, field in enumerate(fields)}
    made: Any = type(name, (tuple,), {"__slots__": (), "__new__": new, "__repr__": show, "_fields": fields, **members})
    made.__module__ = __name__
    if written:
        made.out = _return_type(f"{name}_out", *fields, written=False)
    return made


max = _return_type("max", "values", "indices")
min = _return_type("min", "values", "indices")
aminmax = _return_type("aminmax", "min", "max")
sort = _return_type("sort", "values", "indices")
topk = _return_type("topk", "values", "indices")
kthvalue = _return_type("kthvalue", "values", "indices")
median = _return_type("median", "values", "indices")
nanmedian = _return_type("nanmedian", "values", "indices")
mode = _return_type("mode", "values", "indices")
cummax = _return_type("cummax", "values", "indices")
cummin = _return_type("cummin", "values", "indices")
frexp = _return_type("frexp", "mantissa", "exponent")
histogram = _return_type("histogram", "hist", "bin_edges")
histogramdd = _return_type("histogramdd", "hist", "bin_edges")
slogdet = _return_type("slogdet", "sign", "logabsdet")
qr = _return_type("qr", "Q", "R")
svd = _return_type("svd", "U", "S", "V")
linalg_slogdet = _return_type("linalg_slogdet", "sign", "logabsdet")
linalg_inv_ex = _return_type("linalg_inv_ex", "inverse", "info")
linalg_solve_ex = _return_type("linalg_solve_ex", "result", "info")
linalg_cholesky_ex = _return_type("linalg_cholesky_ex", "L", "info")
linalg_qr = _return_type("linalg_qr", "Q", "R")
linalg_svd = _return_type("linalg_svd", "U", "S", "Vh")
linalg_eigh = _return_type("linalg_eigh", "eigenvalues", "eigenvectors")
linalg_eig = _return_type("linalg_eig", "eigenvalues", "eigenvectors")
linalg_lstsq = _return_type("linalg_lstsq", "solution", "residuals", "rank", "singular_values")
linalg_lu_factor = _return_type("linalg_lu_factor", "LU", "pivots")
linalg_lu_factor_ex = _return_type("linalg_lu_factor_ex", "LU", "pivots", "info")
linalg_lu = _return_type("linalg_lu", "P", "L", "U")
lu_unpack = _return_type("lu_unpack", "P", "L", "U")
lu_with_info = _return_type("_lu_with_info", "LU", "pivots", "info", written=False)
triangular_solve = _return_type("triangular_solve", "solution", "cloned_coefficient")
geqrf = _return_type("geqrf", "a", "tau")
