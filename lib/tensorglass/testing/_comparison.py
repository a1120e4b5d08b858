"""``torch.testing._comparison``: the tolerances that `assert_close` takes, which tests of libraries ask for."""

from __future__ import annotations

from collections.abc import Mapping

from tensorglass.core.dtypes import dtype as DType
from tensorglass.tensor.tensor import Tensor
from tensorglass.testing.comparison import TOLERANCES, assert_close

__all__ = ["assert_close", "default_tolerances"]


def default_tolerances(
    *inputs: Tensor | DType, dtype_precisions: Mapping[DType, tuple[float, float]] | None = None
) -> tuple[float, float]:
    """rtol and atol: the larger ones of all the tensors' dtypes, or of the dtypes that are given."""
    kinds = []
    for each in inputs:
        if not isinstance(each, Tensor | DType):
            raise TypeError(f"Expected a torch.Tensor or a torch.dtype, but got {type(each)} instead.")
        kinds.append(each.dtype if isinstance(each, Tensor) else each)
    table = dtype_precisions or TOLERANCES
    rtols, atols = zip(*[table.get(kind, (0.0, 0.0)) for kind in kinds], strict=True)
    return max(rtols), max(atols)
