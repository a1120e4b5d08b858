"""``out=``: a separately computed result, written to the tensor that the caller gave.

Elementwise operators and reductions write to `out` themselves. All others compute a result and pass it to a function of
this module. These functions differ in which dtypes of `out` they accept, and in the layout of an `out` that is resized.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorglass.core import dtypes
from tensorglass.ops.copies.copy import copy_
from tensorglass.ops.declare.run_pointwise import refuse_shared_cells, resize_output
from tensorglass.ops.declare.type_promotion import check_out_dtype
from tensorglass.tensor.set_header import resize
from tensorglass.tensor.tensor import Tensor


def written_apart(out: Tensor, result: Tensor, *sources: Tensor) -> Tensor:
    """Copy a fresh result to `out` and return `out`; it must not overlap the inputs."""
    refuse_shared_cells(out, *sources)
    if out._size != result._size:
        resize_output(out, result._size, result._stride)
    return copy_(out, result)


def into_out(result: Tensor, out: Tensor | None) -> Tensor:
    """The result, or `out` with the result in it. It must be of the result's dtype."""
    if out is None:
        return result
    check_out_dtype(out, result._dtype)
    if out._size != result._size:
        resize_output(out, result._size)
        resize(out, result._size, result._stride)
    return copy_(out, result)


def cast_into_out(result: Tensor, out: Tensor | None) -> Tensor:
    """The result, or `out` with the result in it, converted."""
    if out is None:
        return result
    if out._size != result._size:
        resize_output(out, result._size)
    return copy_(out, result)


def safely_cast_into_out(name: str, result: Tensor, out: Tensor | None, what: str = "result") -> Tensor:
    """The result, or `out` with the result in it, converted if that is safe; an empty `out` gets the result's
    layout.
    """
    check_safe_cast(name, result, out, what)
    if out is not None and not out.numel() and out._dtype is result._dtype:
        resize_output(out, result._size)
        resize(out, result._size, result._stride)
    return cast_into_out(result, out)


def all_into_out(named: Any, results: Sequence[Tensor], out: Sequence[Tensor] | None) -> Any:
    """`into_out` for several results, as the named tuple that `return_types` has for them."""
    if out is None:
        return named(*results)
    if len(out) != len(results):
        raise TypeError(f"expected tuple of {len(results)} elements but got {len(out)}")
    for result, target in zip(results, out, strict=True):
        check_out_dtype(target, result._dtype)
    return named.out(*[into_out(result, target) for result, target in zip(results, out, strict=True)])


def check_safe_cast(name: str, result: Tensor, out: Tensor | None, what: str = "result") -> None:
    """Raise, as PyTorch's composed functions do, unless `out` can hold the result."""
    if out is not None and not dtypes.can_cast(result._dtype, out._dtype):
        raise RuntimeError(
            f"{name}: Expected {what} to be safely castable from {result._dtype.scalar_type} dtype, but got {what} "
            f"with dtype {out._dtype.scalar_type}"
        )
