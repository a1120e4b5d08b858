"""Reductions of losses as the numbers that stand for them, and as the deprecated arguments that asked for them."""

from __future__ import annotations

from tensorglass.nn.functional.loss import legacy_reduction
from tensorglass.nn.functional.loss.reduction import REDUCTIONS, read_reduction

__all__ = ["get_enum", "legacy_get_enum", "legacy_get_string"]


def get_enum(reduction: str) -> int:
    """The number that stands for a reduction: 0 for "none", 1 for "mean", 2 for "sum". Raises ValueError for others."""
    return REDUCTIONS.index(read_reduction(reduction))


def legacy_get_string(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> str:
    """The `reduction` that the deprecated arguments `size_average` and `reduce` stand for."""
    return legacy_reduction(size_average, reduce, emit_warning=emit_warning)


def legacy_get_enum(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> int:
    """`get_enum` of `legacy_get_string`."""
    return get_enum(legacy_get_string(size_average, reduce, emit_warning))
