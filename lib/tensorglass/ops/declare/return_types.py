"""Named tuples that operators with several results return, printed as PyTorch prints them."""

from __future__ import annotations

import sys
from operator import itemgetter
from typing import Any

from tensorglass.core.errors import Named
from tensorglass.core.refusing import refusing


def _return_type(name: str, *fields: str, written: bool = True) -> Any:
    """The type of an operator's results; its attribute `out` is the type for results written to ``out=``."""

    def new(cls: type, *results: Any) -> Any:
        return tuple.__new__(
            cls, results[0] if len(results) == 1 and isinstance(results[0], (tuple, list)) else results
        )

    def show(self: Any) -> str:
        lines = ",\n".join(f"{field}={value!r}" for field, value in zip(fields, self, strict=True))
        return f"torch.return_types.{name}(\n{lines})"

    members = {field: property(itemgetter(place)) for place, field in enumerate(fields)}
    own = {"__slots__": (), "__new__": new, "__repr__": show, "_fields": fields, "__module__": __name__}
    named_tuple: Any = Named(
        name, (tuple,), {**own, "__qualname__": name, **members}, pytorchs=f"torch.return_types.{name}"
    )
    if written:
        named_tuple.out = _return_type(f"{name}_out", *fields, written=False)
    return named_tuple


#: Their fields, by the operators' names.
_FIELDS = {
    "max": "values indices",
    "min": "values indices",
    "aminmax": "min max",
    "sort": "values indices",
    "topk": "values indices",
    "kthvalue": "values indices",
    "median": "values indices",
    "nanmedian": "values indices",
    "mode": "values indices",
    "cummax": "values indices",
    "cummin": "values indices",
    "frexp": "mantissa exponent",
    "histogram": "hist bin_edges",
    "slogdet": "sign logabsdet",
    "qr": "Q R",
    "svd": "U S V",
    "linalg_slogdet": "sign logabsdet",
    "linalg_inv_ex": "inverse info",
    "linalg_solve_ex": "result info",
    "linalg_cholesky_ex": "L info",
    "linalg_qr": "Q R",
    "linalg_svd": "U S Vh",
    "linalg_eigh": "eigenvalues eigenvectors",
    "linalg_eig": "eigenvalues eigenvectors",
    "linalg_lstsq": "solution residuals rank singular_values",
    "linalg_lu_factor": "LU pivots",
    "linalg_lu_factor_ex": "LU pivots info",
    "linalg_lu": "P L U",
    "lu_unpack": "P L U",
    "geqrf": "a tau",
}


def __getattr__(name: str) -> Any:
    """Create a type when it is first accessed."""
    if name.removesuffix("_out") not in _FIELDS:
        return refusing("return_types")(name)
    if name not in _FIELDS:
        return getattr(sys.modules[__name__], name.removesuffix("_out")).out
    return_type = globals()[name] = _return_type(name, *_FIELDS[name].split(), written=name[0] != "_")
    return return_type


def __dir__() -> list[str]:
    """The names above, and the names of the types."""
    return sorted({*globals(), *_FIELDS})
