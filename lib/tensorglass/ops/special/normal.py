"""``torch.special``: functions of the normal distribution, and entropy: ndtr, log_ndtr, ndtri, erfcx, entr."""

from __future__ import annotations

import math
from typing import Any

from tensorglass.backends import Array
from tensorglass.core.dtypes import can_cast
from tensorglass.graph.derivative import derivative
from tensorglass.ops.arg_parser.checks import check_tensor
from tensorglass.ops.copies.out import cast_into_out
from tensorglass.ops.declare.number_operands import plus, times
from tensorglass.ops.declare.pointwise import pointwise
from tensorglass.ops.declare.registry import Sample, operator
from tensorglass.ops.declare.samples import positive, unary, unit_interval
from tensorglass.ops.declare.type_promotion import ORDERED_FLOAT, WIDE_FLOAT, cannot_cast
from tensorglass.ops.special.erf import erf, erfc_of, erfcx_of, erfcx_of_tail, erfinv_of, in_double
from tensorglass.tensor.tensor import Tensor

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
    return in_double(xp, erfcx_of, input)


@operator("special functions", namespace="special", out=True, samples=unary)
def special_ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The part of a standard normal distribution that lies below `input`."""
    check_tensor("special_ndtr", input)
    around_zero = plus(erf(times(input, _ROOT_HALF)), 1)
    if out is not None and not can_cast(around_zero._dtype, out._dtype):
        raise cannot_cast(around_zero._dtype, out._dtype)
    return cast_into_out(times(around_zero, 0.5), out)


def _log_ndtr_of(xp: Any, x: Array) -> Array:
    scaled = x * _ROOT_HALF
    left, right = xp.minimum(scaled, -_ROOT_HALF), xp.maximum(scaled, -_ROOT_HALF)
    below = xp.log(erfcx_of(xp, -left) / 2) - left * left
    return xp.where(x < -1.0, below, xp.log1p(-erfc_of(xp, right) / 2))


@pointwise(WIDE_FLOAT, namespace="special", samples=unary)
@derivative(input=lambda grad, input: grad / special_erfcx(input * -_ROOT_HALF) * math.sqrt(2 / math.pi))
def special_log_ndtr(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The logarithm of `ndtr`, exact where that is too small to be a number."""
    return in_double(xp, _log_ndtr_of, input)


def _ndtri_of(xp: Any, p: Array) -> Array:
    """Near the middle by erfinv; in the tails by steps on log_ndtr."""
    is_near = xp.absolute(p - 0.5) <= 0.25
    outer = p[~is_near]
    is_upper = outer > 0.5
    found = _lower_tail(xp, xp.clip(xp.where(is_upper, 1 - outer, outer), 5e-324, 0.25))
    answer = xp.empty_like(p)
    answer[is_near] = math.sqrt(2) * erfinv_of(xp, 2 * p[is_near] - 1)
    answer[~is_near] = xp.where(is_upper, -found, found)
    answer = xp.where(p == 0, -xp.inf, xp.where(p == 1, xp.inf, answer))
    return xp.where((p >= 0) & (p <= 1), answer, xp.nan)


def _lower_tail(xp: Any, p: Array) -> Array:
    """The inverse of `ndtr` up to a quarter, by Halley's steps, of which the third is good to the last places."""
    wanted = xp.log(p)
    found = -xp.sqrt(-2 * wanted)
    for _ in range(3):
        part = erfcx_of_tail(xp, -found * _ROOT_HALF) / 2  # below `found`, less its decay
        slope = 1 / (part * _ROOT_TWO_PI)
        step = (xp.log(part) - found * found / 2 - wanted) / slope
        found = found - step / (1 + step * (slope + found) / 2)
    return found


def _parts() -> Any:
    for each in unit_interval():
        yield Sample(((each.arguments[0] + 1) / 2,))


@pointwise(WIDE_FLOAT, namespace="special", samples=_parts)
@derivative(input=lambda grad, result: grad * _ROOT_TWO_PI * (result.square() / 2).exp())
def special_ndtri(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The inverse of `ndtr`: the number below which the part `input` of a normal distribution lies."""
    return in_double(xp, _ndtri_of, input)
