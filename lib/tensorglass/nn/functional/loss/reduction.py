"""How losses of elements or samples are combined, and the checks that all losses share."""

from __future__ import annotations

from typing import Any

from tensorglass.core.errors import warn
from tensorglass.ops.arg_parser.checks import not_implemented
from tensorglass.ops.nn import loss as ops
from tensorglass.tensor.tensor import Tensor

reduced = ops.reduced

REDUCTIONS = ("none", "mean", "sum")  #: each stands at its number


def legacy_reduction(size_average: bool | None, reduce: bool | None, *, emit_warning: bool = True) -> str:
    """The `reduction` that the deprecated arguments stand for, with PyTorch's warning."""
    average, reduces = size_average is None or size_average, reduce is None or reduce
    reduction = "none" if not reduces else "mean" if average else "sum"
    if emit_warning:
        warn(f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.")
    return reduction


def read_reduction(reduction: str, size_average: bool | None = None, reduce: bool | None = None) -> str:
    if size_average is not None or reduce is not None:
        return legacy_reduction(size_average, reduce)
    if reduction == "elementwise_mean":
        warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.")
        return "mean"
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return reduction


def check_floating(kernel: str, *tensors: Tensor) -> None:
    """Raise PyTorch's error if none of the tensors has a floating-point dtype."""
    if not any(tensor.is_floating_point() for tensor in tensors):
        raise not_implemented(kernel, tensors[0]._dtype)


def size_text(size: Any) -> str:
    """A size, or the size of a tensor, formatted as in PyTorch's errors."""
    return str(list(size.shape if isinstance(size, Tensor) else size))
