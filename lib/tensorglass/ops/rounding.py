"""Rounding and bounding, element by element: floor, round, clamp, maximum and their siblings."""

from __future__ import annotations

from typing import Any

from tensorglass import dtypes
from tensorglass.backends import Array
from tensorglass.ops.declaring import Operand, pointwise
from tensorglass.ops.pointwise_checks import no_integer_quotient, relu_wants_numbers
from tensorglass.ops.promotion import PROMOTE, DTypeRule
from tensorglass.ops.samples import binary, bounds, ternary, unary

ROUNDABLE = PROMOTE.refusing(dtypes.BOOL, dtypes.COMPLEX)
FRACTIONAL = PROMOTE.refusing(dtypes.BOOL, dtypes.INTEGER)
CLAMPED = PROMOTE.refusing(dtypes.COMPLEX, message="clamp is not supported for complex types")


def _roundable(name: str) -> DTypeRule:
    return PROMOTE.refusing(dtypes.COMPLEX, message=f"{name} is not supported for complex inputs")


def _pairwise(name: str) -> DTypeRule:
    return PROMOTE.refusing(
        dtypes.COMPLEX,
        message=f"{name} not implemented for complex tensors.",
        error=RuntimeError,
    )


@pointwise(_roundable("floor"), error_name="floor_vml_cpu", samples=unary)
def floor(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The largest integer not above each element."""
    return xp.floor(input, out=out) if input.dtype.kind == "f" else input.copy()


@pointwise(_roundable("ceil"), error_name="ceil_vml_cpu", samples=unary)
def ceil(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The smallest integer not below each element."""
    return xp.ceil(input, out=out) if input.dtype.kind == "f" else input.copy()


@pointwise(_roundable("trunc"), error_name="trunc_vml_cpu", aliases=("fix",), samples=unary)
def trunc(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The integer part of each element."""
    return xp.trunc(input, out=out) if input.dtype.kind == "f" else input.copy()


@pointwise(ROUNDABLE, error_name="round_vml_cpu", samples=unary)
def round(xp: Any, input: Array, *, decimals: int = 0, out: Array = None) -> Array:
    """The nearest integer, or multiple of ``10**-decimals``; halves go to the even neighbour."""
    if input.dtype.kind != "f":
        return input.copy()
    if decimals == 0:
        return xp.rint(input, out=out)
    ten = input.dtype.type(10.0 ** (decimals if decimals > 0 else -decimals))
    return xp.rint(input * ten) / ten if decimals > 0 else xp.rint(input / ten) * ten


@pointwise(PROMOTE.refusing(dtypes.BOOL, dtypes.INTEGER, dtypes.COMPLEX), samples=unary)
def frac(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The fraction of each element: what `trunc` cuts off."""
    return xp.subtract(input, xp.trunc(input), out=out)


@pointwise(CLAMPED, bounds=True, aliases=("clip",), samples=bounds)
def clamp(
    xp: Any,
    input: Array,
    min: Operand = None,
    max: Operand = None,
    *,
    out: Array = None,
) -> Array:
    """Each element, but no less than `min` and no more than `max`; either may be left out, not both."""
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    bounded = input if min is None else xp.maximum(input, min)
    return bounded if max is None else xp.minimum(bounded, max, out=out)


@pointwise(_pairwise("maximum"), ufunc="maximum", samples=binary, inplace=False)
def maximum(xp: Any, input: Array, other: Array, *, out: Array = None) -> Array:
    """The larger of two elements; NaN if either is."""
    return xp.maximum(input, other, out=out)


@pointwise(_pairwise("minimum"), ufunc="minimum", samples=binary, inplace=False)
def minimum(xp: Any, input: Array, other: Array, *, out: Array = None) -> Array:
    """The smaller of two elements; NaN if either is."""
    return xp.minimum(input, other, out=out)


@pointwise(_pairwise("fmax"), ufunc="fmax", samples=binary, inplace=False)
def fmax(xp: Any, input: Array, other: Array, *, out: Array = None) -> Array:
    """The larger of two elements; a number rather than NaN."""
    return xp.fmax(input, other, out=out)


@pointwise(_pairwise("fmin"), ufunc="fmin", samples=binary, inplace=False)
def fmin(xp: Any, input: Array, other: Array, *, out: Array = None) -> Array:
    """The smaller of two elements; a number rather than NaN."""
    return xp.fmin(input, other, out=out)


@pointwise(CLAMPED, check=relu_wants_numbers, samples=unary)
def relu(xp: Any, input: Array, *, out: Array = None) -> Array:
    """Each element, but no less than 0."""
    return xp.maximum(input, input.dtype.type(0), out=out)


@pointwise(FRACTIONAL, error_name="lerp_kernel_tensor", samples=ternary)
def lerp(xp: Any, input: Array, end: Array, weight: Operand, *, out: Array = None) -> Array:
    """``input + weight * (end - input)``."""
    return xp.add(input, weight * (end - input), out=out)


@pointwise(PROMOTE.refusing(dtypes.BOOL), error_name="addcmul_cpu_out", samples=ternary)
def addcmul(
    xp: Any,
    input: Array,
    tensor1: Array,
    tensor2: Array,
    *,
    value: complex = 1,
    out: Array = None,
) -> Array:
    """``input + value * tensor1 * tensor2``."""
    scaled = tensor1 if value == 1 else xp.asarray(value).astype(input.dtype) * tensor1
    return xp.add(input, scaled * tensor2, out=out)


@pointwise(PROMOTE, check=no_integer_quotient, samples=ternary)
def addcdiv(
    xp: Any,
    input: Array,
    tensor1: Array,
    tensor2: Array,
    *,
    value: complex = 1,
    out: Array = None,
) -> Array:
    """``input + value * tensor1 / tensor2``."""
    scaled = tensor1 if value == 1 else xp.asarray(value).astype(input.dtype) * tensor1
    return xp.add(input, scaled / tensor2, out=out)
