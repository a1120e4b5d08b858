"""Relatives of the gamma function: its incomplete forms igamma and igammac, mvlgamma, and Hurwitz' zeta function.

The incomplete forms add up a series (Abramowitz and Stegun, Handbook of Mathematical Functions, 6.5.29) below the
first argument, and go down a continued fraction (6.5.31) above it; large arguments have an expansion of their own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.errors import explained
from tensorglass.graph.derivative import derivative
from tensorglass.ops.arg_parser.checks import check_int, check_tensor
from tensorglass.ops.copies.out import cast_into_out
from tensorglass.ops.declare.pointwise import Operand, pointwise
from tensorglass.ops.declare.registry import Sample, operator, sample
from tensorglass.ops.declare.samples import values
from tensorglass.ops.declare.type_promotion import PROMOTE, WIDE_FLOAT
from tensorglass.ops.derivatives.formulas import by_operands, no_formula
from tensorglass.ops.special.erf import erfc_of, in_double
from tensorglass.ops.special.gamma_series import beyond_stirling, lgamma_of, zeta_of
from tensorglass.tensor.tensor import Tensor

_SMALLEST = 2.0**-1000
_EXACT = "good to the last places; PyTorch's to nine where `input` is more than 20"


_LARGE = 1e7  #: first arguments from which a series of its own is used


def _series(xp: Any, a: Array, x: Array) -> Array:
    """The lower part, less its factor: the sum of x**k / ((a + 1) … (a + k))."""
    term = total = xp.ones_like(x)
    k = 0
    while bool((term > total * 1e-17).any()) and k < 100_000:
        k += 1
        term = term * (x / (a + k))
        total = total + term
    return total


def _fraction(xp: Any, a: Array, x: Array) -> Array:
    """The upper part, less its factor, by Lentz' algorithm for continued fractions."""
    b = x + 1 - a
    c = xp.full_like(x, 1 / _SMALLEST)
    d = 1 / b
    h = d
    for k in range(1, 100_000):
        b = b + 2
        factor = -k * (k - a)
        d = factor * d + b
        c = b + factor / c
        d = 1 / xp.where(d == 0, _SMALLEST, d)
        c = xp.where(c == 0, _SMALLEST, c)
        step = c * d
        h = h * step
        if not bool((xp.absolute(step - 1) > 4e-16).any()):  # which rounding alone does not reach
            break
    return h


def _factor(xp: Any, a: Array, x: Array) -> Array:
    """x**a e**-x over the gamma function; for large `a` by how far `x` is off, as the terms are large and cancel."""
    large = xp.maximum(a, 10.0)
    off = (x - large) / large
    far = xp.exp(large * (xp.log1p(off) - off) - beyond_stirling(xp, large)) * xp.sqrt(large / (2 * math.pi))
    return xp.where(a < 10, xp.exp(a * xp.log(x) - x - lgamma_of(xp, a)), far)


def _uniform(xp: Any, a: Array, x: Array) -> tuple[Array, Array]:
    """Both parts for large `a`, where series and fraction take forever: Temme's expansion, DLMF 8.12.3 and 8.12.4.

    Where it differs from 0 and 1, `x` is next to `a`, and a few terms of each series are all there is.
    """
    off = (x - a) / a
    near = xp.clip(off, -0.02, 0.02)
    eta = near * (1 + near * (-1 / 3 + near * (7 / 36 + near * (-73 / 540 + near * 1331 / 12960))))
    first = -1 / 3 + eta * (1 / 12 + eta * (-2 / 135 + eta * (1 / 864 + eta / 2835)))
    second = -1 / 540 + eta * (-1 / 288 + eta / 378)
    rest = xp.exp(-a * eta * eta / 2) / xp.sqrt(2 * math.pi * a) * (first + second / a)
    way = eta * xp.sqrt(a / 2)
    below, above = erfc_of(xp, -way) / 2 - rest, erfc_of(xp, way) / 2 + rest
    return xp.where(way < -27, 0.0, below), xp.where(way > 27, 0.0, above)


def _parts(xp: Any, a: Array, x: Array) -> tuple[Array, Array]:
    """The lower and the upper part of the gamma function's integral, of 1 together."""
    a, x = xp.broadcast_arrays(a, x)
    is_ordinary = (a > 0) & (x > 0) & xp.isfinite(a) & xp.isfinite(x)
    is_large = is_ordinary & (a > _LARGE)
    is_ordinary = is_ordinary & ~is_large
    shape, point = xp.where(is_ordinary, a, 1.0), xp.where(is_ordinary, x, 1.0)
    is_lower = point < shape + 1
    factor = _factor(xp, shape, point)
    low_x = xp.where(is_lower, point, 0.0)
    lower = factor * _series(xp, shape, low_x) / shape
    high_x, high_a = xp.where(is_lower, 3.0, point), xp.where(is_lower, 1.0, shape)
    upper = factor * _fraction(xp, high_a, high_x)
    lower, upper = xp.where(is_lower, lower, 1 - upper), xp.where(is_lower, 1 - lower, upper)
    if bool(is_large.any()):
        below, above = _uniform(xp, xp.where(is_large, a, _LARGE), xp.where(is_large, x, _LARGE))
        lower, upper = xp.where(is_large, below, lower), xp.where(is_large, above, upper)
    is_wrong = (a < 0) | (x < 0) | (xp.isnan(a) & (x != 0)) | xp.isnan(x)
    is_wrong = is_wrong | ((a == 0) & (x == 0)) | (xp.isinf(a) & xp.isinf(x))
    for special, low in (((a == 0) & (x > 0), 1.0), ((x == 0) & (a != 0), 0.0), (xp.isinf(a), 0.0), (xp.isinf(x), 1.0)):
        is_special = special & ~is_wrong
        lower, upper = xp.where(is_special, low, lower), xp.where(is_special, 1 - low, upper)
    return xp.where(is_wrong, xp.nan, lower), xp.where(is_wrong, xp.nan, upper)


def _lower_of(xp: Any, a: Array, x: Array) -> Array:
    return _parts(xp, a, x)[0]


def _upper_of(xp: Any, a: Array, x: Array) -> Array:
    return _parts(xp, a, x)[1]


def _density(input: Tensor, other: Tensor) -> Tensor:
    """What the gamma function integrates."""
    return ((input - 1) * other.log() - other - input.lgamma()).exp()


_FLOATS = PROMOTE.refusing(dtypes.BOOL, dtypes.INTEGER, dtypes.COMPLEX)


def _shapes() -> Iterator[Sample]:
    for one, other in (((), ()), ((3,), (3,)), ((2, 3), (3,)), ((2, 1), (1, 3)), ((0, 3), (3,))):
        yield sample(values(*one, low=0.5, high=5.0), values(*other, low=0.25, high=8.0, seed=1))


@pointwise(_FLOATS, error_name="igamma_cpu", aliases=("special.gammainc",), samples=_shapes, differs=_EXACT)
@derivative(input=no_formula("igamma: input"), other=lambda grad, input, other: grad * _density(input, other))
def igamma(xp: Any, input: Array, other: Array, *, out: Array = None) -> Array:
    """The part of the gamma function's integral for `input` that lies below `other`."""
    return in_double(xp, _lower_of, input, other.astype("float64", copy=False))


@pointwise(_FLOATS, error_name="igammac_cpu", aliases=("special.gammaincc",), samples=_shapes, differs=_EXACT)
@derivative(input=no_formula("igammac: input"), other=lambda grad, input, other: -grad * _density(input, other))
def igammac(xp: Any, input: Array, other: Array, *, out: Array = None) -> Array:
    """The part of the gamma function's integral for `input` that lies above `other`: ``1 - igamma(input, other)``."""
    return in_double(xp, _upper_of, input, other.astype("float64", copy=False))


# --- several dimensions ----------------------------------------------------------------------------------------------


def _dimensions() -> Iterator[Sample]:
    yield sample(values(2, 3, low=3.0, high=6.0), 3)
    yield sample(values(low=1.0, high=2.0), 1)
    yield sample(values(0, low=1.0, high=2.0), 2)


def _lowered(input: Tensor, p: int) -> Tensor:
    """`input`, and it less 1/2, and so on, `p` numbers in a last dimension."""
    steps = input.new_tensor([-k / 2 for k in range(p - 1, -1, -1)])
    return steps + input.unsqueeze(-1)


def _mvlgamma(input: Tensor, p: int) -> Tensor:
    check_tensor("mvlgamma", input)
    if input._dtype is dtypes.bool:
        raise RuntimeError("The input tensor may not be a boolean tensor.")
    if check_int("mvlgamma", "p", 2, p) < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    if input._dtype.is_complex:
        raise NotImplementedError(f"\"arange_cpu\" not implemented for '{input._dtype.scalar_type}'")
    if input._dtype.category < dtypes.FLOATING:
        input = input.to(dtypes.get_default_dtype())
    return _lowered(input, p).lgamma().sum(-1).add(p * (p - 1) / 4 * math.log(math.pi))


def mvlgamma_(input: Tensor, p: int) -> Tensor:
    """`mvlgamma`, written to `input`."""
    return mvlgamma(input, p, out=input)


@operator("special functions", out=True, inplace=mvlgamma_, aliases=("special.multigammaln",), samples=_dimensions)
@derivative(input=lambda grad, input, p: grad * _lowered(input, p).digamma().sum(-1))
def mvlgamma(input: Tensor, p: int, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the gamma function of `p` dimensions."""
    result = _mvlgamma(input, p)
    if out is not None and not dtypes.can_cast(result._dtype, out._dtype):
        raise explained(
            RuntimeError(
                f"mvlgamma: result type {input._dtype.scalar_type} can't be cast to the desired output type "
                f"{result._dtype.scalar_type}"
            ),
            f"The tensor written to is {out._dtype!r}, which cannot hold {result._dtype!r} values.",
        )
    return cast_into_out(result, out)


# --- zeta ------------------------------------------------------------------------------------------------------------


def _exponents() -> Iterator[Sample]:
    for one, other in (((), ()), ((3,), (3,)), ((2, 3), (3,)), ((2, 1), (1, 3)), ((0, 3), (3,))):
        yield sample(values(*one, low=1.5, high=6.0), values(*other, low=0.5, high=9.0, seed=1))
    yield sample(values(3, low=1.5, high=6.0), 2.0)
    yield sample(3.0, values(3, low=0.5, high=9.0))


@pointwise(WIDE_FLOAT, namespace="special", samples=_exponents)
@derivative(
    node=by_operands("SpecialZeta"),
    input=no_formula("zeta"),
    other=lambda grad, input, other: grad * -input * special_zeta(input + 1, other),
)
def special_zeta(xp: Any, input: Operand, other: Operand, *, out: Array = None) -> Array:
    """Hurwitz' zeta function: the sum of ``(k + other) ** -input`` over k = 0, 1, …"""
    return in_double(xp, zeta_of, input, other.astype("float64", copy=False))
