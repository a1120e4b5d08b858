"""The error function, its complement and its inverse; and the normal distribution by them."""

from __future__ import annotations

import math
from typing import Any

from tensorglass.backends import Array
from tensorglass.core.dtypes import can_cast
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import in_cpp
from tensorglass.ops.copies.out import cast_into_out
from tensorglass.ops.declare.pointwise import pointwise
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.samples import positive, unary, unit_interval
from tensorglass.ops.declare.type_promotion import ORDERED_FLOAT, WIDE_FLOAT, cannot_cast
from tensorglass.ops.kernels import special_functions
from tensorglass.ops.kernels.special_functions import at_elements
from tensorglass.tensor.tensor import Tensor

_SLOPE = 2 / math.sqrt(math.pi)  # the slope of erf at 0


@pointwise(ORDERED_FLOAT, error_name="erf_vml_cpu", samples=unary, aliases=("special.erf",))
@derivative(input=lambda grad, input: (-input.pow(2)).exp() * _SLOPE * grad)
def erf(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The error function: the part of a normal distribution of variance 1/2 between -`input` and `input`."""
    return special_functions.erf(xp, input)


@pointwise(ORDERED_FLOAT, error_name="erfc_vml_cpu", samples=unary, aliases=("special.erfc",))
@derivative(input=lambda grad, input: (-input.pow(2)).exp() * -_SLOPE * grad)
def erfc(xp: Any, input: Array, *, out: Array = None) -> Array:
    """``1 - erf(input)``, exact where that is small."""
    return special_functions.erfc(xp, input)


@pointwise(ORDERED_FLOAT, error_name="erfinv_vml_cpu", samples=unit_interval, aliases=("special.erfinv",))
@derivative(input=lambda grad, input: input.erfinv().pow(2).exp() * (1 / _SLOPE) * grad)
def erfinv(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The number whose error function is `input`; infinite for -1 and 1, NaN beyond."""
    return special_functions.erfinv(xp, input)


# --- the normal distribution -----------------------------------------------------------------------------------------


_ROOT_HALF = math.sqrt(0.5)
_ROOT_TWO_PI = math.sqrt(2 * math.pi)


@pointwise(ORDERED_FLOAT, namespace="special", samples=positive)
@derivative(input=lambda grad, input: grad * (-1 - input.log()))
def special_entr(xp: Any, input: Array, *, out: Array = None) -> Array:
    """``-input * log(input)``: what each of several outcomes contributes to their entropy; 0 at 0, -inf below."""
    kept = xp.where(input > 0, input, 1)
    answer = xp.where(input > 0, -kept * xp.log(kept), xp.where(input == 0, 0, -xp.inf))
    return xp.where(xp.isnan(input), input, answer).astype(input.dtype)


@pointwise(WIDE_FLOAT, namespace="special", samples=unary)
@derivative(input=lambda grad, input, result: (2.0 * input * result - 2.0 / math.sqrt(math.pi)) * grad)
def special_erfcx(xp: Any, input: Array, *, out: Array = None) -> Array:
    """``exp(input**2) * erfc(input)``, which stays a number where `erfc` is too small to be one."""
    return at_elements(xp, "erfcx", input)


@operator("special functions", namespace="special", out=True, samples=unary)
@in_cpp
def special_ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The standard normal distribution function: the probability of a value below `input`."""
    around_zero = erf(input * _ROOT_HALF) + 1
    if out is not None and not can_cast(around_zero._dtype, out._dtype):
        raise cannot_cast(around_zero._dtype, out._dtype)
    return cast_into_out(around_zero * 0.5, out)


@pointwise(WIDE_FLOAT, namespace="special", samples=unary)
@derivative(input=lambda grad, input, result: grad / special_erfcx(input * -_ROOT_HALF) * math.sqrt(2 / math.pi))
def special_log_ndtr(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The logarithm of `ndtr`, exact where that is too small to be a number."""
    return at_elements(xp, "log_ndtr", input)


@pointwise(WIDE_FLOAT, namespace="special")
@derivative(input=lambda grad, result: grad * _ROOT_TWO_PI * (result.square() / 2).exp())
def special_ndtri(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The inverse of `ndtr`: the number below which the part `input` of a normal distribution lies."""
    return at_elements(xp, "ndtri", input)
