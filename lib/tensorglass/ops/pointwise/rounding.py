"""Rounding and bounds, element by element: floor, round, clamp, maximum and their siblings."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.graph.derivative import derivative
from tensorglass.ops.declare.pointwise import Operand, pointwise
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.samples import binary, bounds, pairs, ternary, unary
from tensorglass.ops.declare.type_promotion import FLOAT, PARAMETRIC, PROMOTE
from tensorglass.ops.derivatives.shared import conj, zero_gradient
from tensorglass.ops.kernels.activations import above_threshold, number
from tensorglass.ops.kernels.select_by_mask import are_worth_it, choose
from tensorglass.ops.pointwise.checks import (
    Operands,
    bounds_are_elements,
    bounds_fit,
    clamp_has_order,
    clamp_wants_numbers,
    ends_alike,
    no_complex,
    no_integer_quotient,
    number_weighs_fractions,
    relu_wants_numbers,
    value_fits,
    weight_is_element,
)
from tensorglass.tensor.tensor import Tensor


def clamp_backward(grad: Tensor, input: Tensor, min: Any, max: Any) -> Tensor:
    """The gradient where clamp kept the element."""
    if min is None or max is None:
        return grad.where(input >= min if max is None else input <= max, 0)
    return grad.where((input >= min) & (input <= max), 0)


def clamp_backward_min(grad: Tensor, input: Tensor, min: Any, max: Any) -> Tensor:
    """The gradient where clamp returned `min`."""
    is_low = input < min
    return grad.where(is_low if max is None else is_low & (min < max), 0)


def clamp_backward_max(grad: Tensor, input: Tensor, min: Any, max: Any) -> Tensor:
    """The gradient where clamp returned `max`."""
    is_high = input > max
    return grad.where(is_high if min is None else is_high | (max < min), 0)


def maximum_backward(grad: Tensor, one: Tensor, other: Tensor) -> Tensor:
    """The gradient of the larger of two with respect to `one`; half of it where they are equal."""
    return (grad / 2).where(one == other, grad).masked_fill(one < other, 0)


SIGN_OF_ZERO = "which of 0.0 and -0.0 counts as the larger depends on the processor's instructions, in both libraries"
ROUNDABLE = PROMOTE.refusing(dtypes.BOOL, dtypes.COMPLEX).exactly()


def _needs_order(name: str) -> Callable[..., None]:
    return no_complex(f"{name} is not supported for complex inputs")


def _needs_order_of_both(name: str) -> Callable[..., None]:
    return no_complex(f"{name} not implemented for complex tensors.", RuntimeError)


@pointwise(ROUNDABLE, check=_needs_order("floor"), error_name="floor_vml_cpu", samples=unary)
@derivative(input=zero_gradient)
def floor(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The largest integer not above each element."""
    return xp.floor(input, out=out) if input.dtype.kind == "f" else input.copy()


@pointwise(ROUNDABLE, check=_needs_order("ceil"), error_name="ceil_vml_cpu", samples=unary)
@derivative(input=zero_gradient)
def ceil(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The smallest integer not below each element."""
    return xp.ceil(input, out=out) if input.dtype.kind == "f" else input.copy()


@pointwise(ROUNDABLE, check=_needs_order("trunc"), error_name="trunc_vml_cpu", aliases=("fix",), samples=unary)
@derivative(input=zero_gradient)
def trunc(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The integer part of each element."""
    return xp.trunc(input, out=out) if input.dtype.kind == "f" else input.copy()


def _has_fractions(operands: Any, decimals: int | None = None) -> None:
    """Raise for bools and complex numbers, and for integers with `decimals`."""
    dtype = operands[0]._dtype
    if dtype is dtypes.bool or dtype.is_complex or (decimals is not None and not dtype.is_floating_point):
        kernel = "round_cpu" if decimals else "round_vml_cpu"
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{dtype.scalar_type}'")


@pointwise(PROMOTE.exactly(), late_check=_has_fractions, samples=unary)
@derivative(node=lambda decimals: f"RoundBackward{int(decimals is not None)}", input=zero_gradient)
def round(xp: Any, input: Array, *, decimals: int | None = None, out: Array = None) -> Array:
    """The nearest integer, or multiple of ``10**-decimals``; halves go to the even neighbour."""
    if input.dtype.kind != "f":
        return input.copy()
    if not decimals:
        return xp.rint(input, out=out)
    size = abs(decimals)
    ten = input.dtype.type(10.0**size if size <= 308 else math.inf)  # beyond, Python's power overflows
    return xp.rint(input * ten) / ten if decimals > 0 else xp.rint(input / ten) * ten


@operator("pointwise", namespace="special", out=True, samples=unary)
def special_round(input: Tensor, *, decimals: int = 0, out: Tensor | None = None) -> Tensor:
    """`round` of floating-point numbers."""
    return round(input, decimals=decimals, out=out)


@pointwise(PROMOTE.refusing(dtypes.BOOL, dtypes.INTEGER, dtypes.COMPLEX).exactly(), samples=unary)
@derivative(input=lambda grad: grad)
def frac(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The fractional part of each element: what `trunc` drops."""
    return xp.subtract(input, xp.trunc(input), out=out)


@pointwise(
    PARAMETRIC,
    bounds=True,
    check=clamp_has_order,
    numbers_fit=True,
    late_check=clamp_wants_numbers,
    inplace_check=bounds_fit,
    aliases=("clip",),
    samples=bounds,
)
@derivative(
    node=lambda min, max: "ClampBackward0" if isinstance(min, Tensor) or isinstance(max, Tensor) else "ClampBackward1",
    input=lambda grad, input, min, max: clamp_backward(grad, input, min, max),
    min=lambda grad, input, min, max: clamp_backward_min(grad, input, min, max),
    max=lambda grad, input, min, max: clamp_backward_max(grad, input, min, max),
)
def clamp(xp: Any, input: Array, min: Operand = None, max: Operand = None, *, out: Array = None) -> Array:
    """Each element, bounded by `min` below and `max` above; either may be left out, but not both."""
    is_by_numbers = (min is None or not min.ndim) and (max is None or not max.ndim)
    if input.dtype.kind == "f" and is_by_numbers and (input.size > 1024 or not (min is None or max is None)):
        # One pass is quicker than `maximum` and `minimum` with numbers, but has more overhead than one of them.
        low, high = -xp.inf if min is None else min, xp.inf if max is None else max
        if low <= high:  # false if a bound is NaN
            return input.clip(low, high, out)
    if is_by_numbers:  # between 0.0 and -0.0 the array module returns the second argument: the element is kept
        bounded = input if min is None else xp.maximum(min, input)
        return bounded if max is None else xp.minimum(max, bounded, out=out)
    bounded = input if min is None else xp.maximum(input, min)
    return bounded if max is None else xp.minimum(bounded, max, out=out)


@pointwise(
    PROMOTE, check=_needs_order_of_both("maximum"), ufunc="maximum", samples=pairs, differs=SIGN_OF_ZERO, inplace=False
)
@derivative(
    input=lambda grad, input, other: maximum_backward(grad, input, other),
    other=lambda grad, input, other: maximum_backward(grad, other, input),
)
def maximum(xp: Any, input: Array, other: Array, *, out: Array = None) -> Array:
    """The larger of two elements; NaN if either is."""
    return xp.maximum(input, other, out=out)


@pointwise(
    PROMOTE, check=_needs_order_of_both("minimum"), ufunc="minimum", samples=pairs, differs=SIGN_OF_ZERO, inplace=False
)
@derivative(
    input=lambda grad, input, other: maximum_backward(grad, other, input),
    other=lambda grad, input, other: maximum_backward(grad, input, other),
)
def minimum(xp: Any, input: Array, other: Array, *, out: Array = None) -> Array:
    """The smaller of two elements; NaN if either is."""
    return xp.minimum(input, other, out=out)


@pointwise(
    PROMOTE,
    check=_needs_order_of_both("fmax"),
    error_name="maximum_cpu",
    ufunc="fmax",
    samples=pairs,
    differs=SIGN_OF_ZERO,
    inplace=False,
)
@derivative(
    input=lambda grad, input, other: grad.masked_fill(~((input >= other) | other.isnan()), 0),
    other=lambda grad, input, other: grad.masked_fill((input >= other) | other.isnan(), 0),
)
def fmax(xp: Any, input: Array, other: Array, *, out: Array = None) -> Array:
    """The larger of two elements; if one is NaN, the other."""
    return xp.fmax(input, other, out=out)


@pointwise(
    PROMOTE,
    check=_needs_order_of_both("fmin"),
    error_name="minimum_cpu",
    ufunc="fmin",
    samples=pairs,
    differs=SIGN_OF_ZERO,
    inplace=False,
)
@derivative(
    input=lambda grad, input, other: grad.masked_fill(~((input <= other) | other.isnan()), 0),
    other=lambda grad, input, other: grad.masked_fill((input <= other) | other.isnan(), 0),
)
def fmin(xp: Any, input: Array, other: Array, *, out: Array = None) -> Array:
    """The smaller of two elements; if one is NaN, the other."""
    return xp.fmin(input, other, out=out)


@pointwise(PROMOTE, check=relu_wants_numbers, error_name="clamp_min_scalar_cpu", out=False, samples=unary)
@derivative(input=lambda grad, result: threshold_backward(grad, result))
def relu(xp: Any, input: Array, *, out: Array = None) -> Array:
    """Each element, or 0 if it is negative."""
    if input.size > 1024 and input.dtype.kind == "f":
        return input.clip(0, xp.inf, out)  # quicker than `maximum`, but with more overhead
    return xp.maximum(number(xp, 0, input.dtype), input, out=out)  # of two zeros NumPy returns the second: -0.0 is kept


@pointwise(
    PARAMETRIC,
    check=ends_alike,
    error_name="lerp_kernel_tensor",
    late_check=weight_is_element,
    inplace_check=number_weighs_fractions,
    numbers_fit=True,
    samples=ternary,
    differs="an `out` of another dtype is converted to; PyTorch does so only where the weight is a number",
)
@derivative(
    node=lambda weight: f"LerpBackward{int(isinstance(weight, Tensor))}",
    input=lambda grad, weight: grad * conj(1 - weight),
    end=lambda grad, weight: grad * conj(weight),
    weight=lambda grad, input, end: grad * conj(end - input),
)
def lerp(xp: Any, input: Array, end: Array, weight: Operand, *, out: Array = None) -> Array:
    """``input + weight * (end - input)``."""
    # Computed from the nearer end, so that weights of 0 and 1 give the ends exactly.
    way = end - input
    if not weight.ndim:  # the usual case: only one of the formulas is computed
        is_near = abs(weight) < 0.5
        way *= weight if is_near else 1 - weight  # this array is ours, and can be overwritten
        return xp.add(input, way, out=out) if is_near else xp.subtract(end, way, out=out)
    is_near = xp.absolute(weight) < 0.5
    near, far = input + weight * way, end - way * (1 - weight)
    if are_worth_it(xp, near, is_near, far):
        return choose(xp, is_near, near, far, near)
    return xp.where(is_near, near, far)


@pointwise(
    PROMOTE.refusing(dtypes.BOOL),
    late_check=value_fits,
    error_name="addcmul_cpu_out",
    samples=ternary,
    differs="product and sum are rounded one after the other; PyTorch may round them once, so that overflow differs",
)
@derivative(
    input=lambda grad: grad,
    tensor1=lambda grad, tensor2, value: grad * conj(tensor2 * value),
    tensor2=lambda grad, tensor1, value: grad * conj(tensor1 * value),
)
def addcmul(xp: Any, input: Array, tensor1: Array, tensor2: Array, *, value: complex = 1, out: Array = None) -> Array:
    """``input + value * tensor1 * tensor2``."""
    scaled = tensor1 if value == 1 else xp.asarray(value).astype(input.dtype) * tensor1
    return xp.add(input, scaled * tensor2, out=out)


@pointwise(PROMOTE, check=no_integer_quotient, samples=ternary)
@derivative(
    input=lambda grad: grad,
    tensor1=lambda grad, tensor2, value: grad * conj(value / tensor2),
    tensor2=lambda grad, tensor1, tensor2, value: -grad * conj(value * tensor1 / (tensor2 * tensor2)),
)
def addcdiv(xp: Any, input: Array, tensor1: Array, tensor2: Array, *, value: complex = 1, out: Array = None) -> Array:
    """``input + value * tensor1 / tensor2``."""
    scaled = tensor1 if value == 1 else xp.asarray(value).astype(input.dtype) * tensor1
    return xp.add(input, scaled / tensor2, out=out)


# --- one bound -------------------------------------------------------------------------------------------------------


def _number_has_order(operands: Operands) -> None:
    """As for `clamp`, if the bound is a number; with a tensor it is a maximum or a minimum."""
    if not isinstance(operands[1], Tensor):
        no_complex("clamp is not supported for complex types")(operands)
        bounds_are_elements(operands)


def _one_bound(is_low: bool) -> dict[str, Any]:
    """The declaration of `clamp_min` and `clamp_max`: with the checks of `clamp` for one bound."""

    def ask(check: Callable[[Operands], None]) -> Callable[[Operands], None]:
        return lambda operands: check((*operands, None) if is_low else (operands[0], None, operands[1]))

    return {
        "bounds": True,
        "numbers_fit": True,
        "check": _number_has_order,
        "late_check": ask(clamp_wants_numbers),
        "inplace_check": ask(bounds_fit),
        "error_name": "maximum_cpu" if is_low else "minimum_cpu",
        "samples": binary,
        "differs": "beside a tensor, which of 0.0 and -0.0 is returned depends on NumPy's",
    }


@pointwise(PARAMETRIC.refusing(dtypes.COMPLEX), **_one_bound(is_low=True))
@derivative(
    node=lambda min: f"ClampMinBackward{int(isinstance(min, Tensor))}",
    input=lambda grad, input, min: clamp_backward(grad, input, min, None),
    min=lambda grad, input, min: clamp_backward_min(grad, input, min, None),
)
def clamp_min(xp: Any, input: Array, min: Operand, *, out: Array = None) -> Array:
    """Each element, or `min` if it is less."""
    return xp.maximum(input, min, out=out) if min.ndim else xp.maximum(min, input, out=out)


@pointwise(PARAMETRIC.refusing(dtypes.COMPLEX), **_one_bound(is_low=False))
@derivative(
    node=lambda max: f"ClampMaxBackward{int(isinstance(max, Tensor))}",
    input=lambda grad, input, max: clamp_backward(grad, input, None, max),
    max=lambda grad, input, max: clamp_backward_max(grad, input, None, max),
)
def clamp_max(xp: Any, input: Array, max: Operand, *, out: Array = None) -> Array:
    """Each element, or `max` if it is more."""
    return xp.minimum(input, max, out=out) if max.ndim else xp.minimum(max, input, out=out)


@pointwise(FLOAT, function=False, method=False, inplace=False)
@derivative(
    node="ThresholdBackwardBackward0",
    grad_output=lambda grad, input, threshold: threshold_backward(grad, input, threshold=threshold),
    input=zero_gradient,
)
def threshold_backward(xp: Any, grad_output: Array, input: Array, *, threshold: int = 0, out: Array = None) -> Array:
    """The gradient where `input` is above the threshold, and 0 elsewhere; it serves for relu, with its result."""
    return above_threshold(xp, grad_output, input, threshold, out)
