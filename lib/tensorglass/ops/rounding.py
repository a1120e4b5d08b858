"""Rounding and bounding, element by element: floor, round, clamp, maximum and their siblings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass import dtypes
from tensorglass.backends import Array
from tensorglass.ops.elementwise import pointwise
from tensorglass.ops.promotion import DTypeRule
from tensorglass.ops.samples import binary, bounds, ternary, unary

ORDERED = DTypeRule(refuses=(dtypes.COMPLEX,))
ROUNDABLE = DTypeRule(refuses=(dtypes.BOOL, dtypes.COMPLEX))


@pointwise(ROUNDABLE, error_name="floor_vml_cpu", samples=unary)
def floor(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The largest integer not above each element."""
    return xp.floor(input, out=out) if input.dtype.kind == "f" else input


@pointwise(ROUNDABLE, error_name="ceil_vml_cpu", samples=unary)
def ceil(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The smallest integer not below each element."""
    return xp.ceil(input, out=out) if input.dtype.kind == "f" else input


@pointwise(ROUNDABLE, error_name="trunc_vml_cpu", aliases=("fix",), samples=unary)
def trunc(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The integer part of each element."""
    return xp.trunc(input, out=out) if input.dtype.kind == "f" else input


@pointwise(ROUNDABLE, error_name="round_vml_cpu", samples=unary)
def round(xp: Any, input: Array, *, decimals: int = 0, out: Array = None) -> Array:
    """The nearest integer, or multiple of ``10**-decimals``; halves go to the even neighbour."""
    if input.dtype.kind != "f":
        return input
    if decimals == 0:
        return xp.rint(input, out=out)
    ten = input.dtype.type(10.0 ** (decimals if decimals > 0 else -decimals))
    return xp.rint(input * ten) / ten if decimals > 0 else xp.rint(input / ten) * ten


@pointwise(DTypeRule(refuses=(dtypes.BOOL, dtypes.INTEGER, dtypes.COMPLEX)), samples=unary)
def frac(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The fraction of each element: what `trunc` cuts off."""
    return xp.subtract(input, xp.trunc(input), out=out)


def _no_complex_order(name: str) -> Callable[..., None]:
    def check(operands: tuple[Any, ...]) -> None:
        if any(operand.is_complex() for operand in operands):
            raise RuntimeError(f"{name} not implemented for complex tensors.")

    return check


def _no_complex_bounds(operands: tuple[Any, ...]) -> None:
    if any(
        getattr(operand, "dtype", dtypes.bool).is_complex
        for operand in operands
        if not isinstance(operand, (int, float))
    ):
        raise NotImplementedError("clamp is not supported for complex types")


@pointwise(ORDERED, aliases=("clip",), check=_no_complex_bounds, samples=bounds)
def clamp(xp: Any, input: Array, min: Array = None, max: Array = None, *, out: Array = None) -> Array:
    """Each element, but no less than `min` and no more than `max`; either may be left out, not both."""
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    bounded = input if min is None else xp.maximum(input, min)
    return bounded if max is None else xp.minimum(bounded, max, out=out)


@pointwise(ORDERED, samples=binary, inplace=False, check=_no_complex_order("maximum"))
def maximum(xp: Any, input: Array, other: Array, *, out: Array = None) -> Array:
    """The larger of two elements; NaN if either is."""
    return xp.maximum(input, other, out=out)


@pointwise(ORDERED, samples=binary, inplace=False, check=_no_complex_order("minimum"))
def minimum(xp: Any, input: Array, other: Array, *, out: Array = None) -> Array:
    """The smaller of two elements; NaN if either is."""
    return xp.minimum(input, other, out=out)


@pointwise(ORDERED, samples=binary, inplace=False)
def fmax(xp: Any, input: Array, other: Array, *, out: Array = None) -> Array:
    """The larger of two elements; a number rather than NaN."""
    return xp.fmax(input, other, out=out)


@pointwise(ORDERED, samples=binary, inplace=False)
def fmin(xp: Any, input: Array, other: Array, *, out: Array = None) -> Array:
    """The smaller of two elements; a number rather than NaN."""
    return xp.fmin(input, other, out=out)


@pointwise(ORDERED, samples=unary)
def relu(xp: Any, input: Array, *, out: Array = None) -> Array:
    """Each element, but no less than 0."""
    return xp.maximum(input, input.dtype.type(0), out=out)


@pointwise(DTypeRule(), samples=ternary)
def lerp(xp: Any, input: Array, end: Array, weight: Array, *, out: Array = None) -> Array:
    """``input + weight * (end - input)``."""
    return xp.add(input, weight * (end - input), out=out)


@pointwise(DTypeRule(), samples=ternary)
def addcmul(xp: Any, input: Array, tensor1: Array, tensor2: Array, *, value: complex = 1, out: Array = None) -> Array:
    """``input + value * tensor1 * tensor2``."""
    scaled = tensor1 if value == 1 else xp.asarray(value).astype(input.dtype) * tensor1
    return xp.add(input, scaled * tensor2, out=out)


@pointwise(DTypeRule(), samples=ternary)
def addcdiv(xp: Any, input: Array, tensor1: Array, tensor2: Array, *, value: complex = 1, out: Array = None) -> Array:
    """``input + value * tensor1 / tensor2``."""
    scaled = tensor1 if value == 1 else xp.asarray(value).astype(input.dtype) * tensor1
    return xp.add(input, scaled / tensor2, out=out)
