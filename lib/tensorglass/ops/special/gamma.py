"""The gamma function's logarithm and its derivatives, lgamma, digamma, polygamma; its incomplete forms, igamma and
igammac, that of several dimensions, mvlgamma, and Hurwitz' zeta function.
"""

from __future__ import annotations

import math
from typing import Any

from tensorglass.backends import Array, special
from tensorglass.core import dtypes
from tensorglass.core.errors import explained
from tensorglass.graph.derivative import derivative
from tensorglass.ops.arg_parser.checks import check_int
from tensorglass.ops.copies.out import cast_into_out
from tensorglass.ops.declare.pointwise import Operand, pointwise
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.samples import positive, unary
from tensorglass.ops.declare.type_promotion import ORDERED_FLOAT, PROMOTE, WIDE_FLOAT
from tensorglass.ops.derivatives.shared import by_operands, no_formula
from tensorglass.ops.kernels.special_functions import at_elements
from tensorglass.tensor.tensor import Tensor

_FLOATING = PROMOTE.refusing(dtypes.BOOL, dtypes.INTEGER, dtypes.COMPLEX)
#: The Bernoulli numbers B2, B4, …
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)
_EXACT = "good to thirteen places; PyTorch's to nine where `input` is more than 20"


@pointwise(ORDERED_FLOAT, error_name="lgamma_vml_cpu", samples=unary, aliases=("special.gammaln",))
@derivative(input=lambda grad, input: grad * input.digamma())
def lgamma(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The logarithm of the size of the gamma function, which extends factorials: of (input - 1)!."""
    size = xp.absolute(input)
    is_extreme = (size < 1e-300) | xp.isinf(size)  # where SciPy has -inf and inf
    return xp.where(is_extreme, xp.absolute(xp.log(size)), at_elements(xp, "gammaln", input))


@pointwise(ORDERED_FLOAT, error_name="digamma", samples=positive, aliases=("special.digamma", "special.psi"))
@derivative(input=lambda grad, input: grad * input.polygamma(1))
def digamma(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The derivative of `lgamma`."""
    return at_elements(xp, "psi", input)


@pointwise(ORDERED_FLOAT, function=False, method=False, error_name="trigamma")
def _trigamma(xp: Any, input: Array, *, out: Array = None) -> Array:
    """`polygamma` of order 1: Abramowitz and Stegun, Handbook of Mathematical Functions, 6.4.7 and 6.4.12."""
    x = input.astype("float64")
    is_left = x < 0
    y = xp.where(is_left, 1 - x, x)
    answer = xp.zeros_like(x)
    for _ in range(10):  # by recurrence to where the series converges
        answer = answer + 1 / (y * y)
        y = y + 1
    square, series = 1 / (y * y), xp.zeros_like(x)
    for coefficient in reversed(_BERNOULLI):
        series = (series + coefficient) * square
    answer = answer + (1 + 0.5 / y + series) / y
    sine = xp.sin(math.pi * (x - xp.rint(x)))
    mirrored = xp.where(sine == 0, xp.inf, xp.square(math.pi / sine) - answer)
    return xp.where(is_left, mirrored, answer).astype(input.dtype)


@pointwise(ORDERED_FLOAT, function=False, method=False, error_name="polygamma")
def _polygamma(xp: Any, input: Array, *, n: int = 2, out: Array = None) -> Array:
    """`polygamma` of order 2 and up."""
    return xp.asarray(special(xp).polygamma(n, input.astype("float64"))).astype(input.dtype)


def _of_order(n: Any) -> tuple[Any, dict[str, int]]:
    if check_int("polygamma", "n", 1, n) < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    return (digamma, {}) if n == 0 else (_trigamma, {}) if n == 1 else (_polygamma, {"n": n})


def _polygamma_gradient(grad: Tensor, input: Tensor, n: int) -> Tensor:
    return grad * input.polygamma(n + 1)


def _polygamma_method(input: Tensor, n: int) -> Tensor:
    """The `n`-th derivative of `digamma`; itself for 0."""
    return polygamma(n, input)


@operator(
    "special functions",
    out=True,
    method_form=_polygamma_method,
    differs="infinite at its poles and 0 at infinity, where PyTorch's may be large numbers or NaN; of order 1 exact",
    aliases=("special.polygamma",),
)
@derivative(node="PolygammaBackward0", input=_polygamma_gradient)
def polygamma(n: int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The `n`-th derivative of `digamma`; itself for 0."""
    form, parameters = _of_order(n)
    return form(input, **parameters, out=out)


@operator("special functions", function=False)
@derivative(node="PolygammaBackward1", input=_polygamma_gradient)
def polygamma_(input: Tensor, n: int) -> Tensor:
    """`polygamma`, written to `input`."""
    form, parameters = _of_order(n)
    return form(input, **parameters, out=input)


# --- the incomplete forms --------------------------------------------------------------------------------------------


def _igamma_density(input: Tensor, other: Tensor) -> Tensor:
    """What the gamma function integrates."""
    return ((input - 1) * other.log() - other - input.lgamma()).exp()


@pointwise(_FLOATING, error_name="igamma_cpu", aliases=("special.gammainc",), differs=_EXACT)
@derivative(input=no_formula("igamma: input"), other=lambda grad, input, other: grad * _igamma_density(input, other))
def igamma(xp: Any, input: Array, other: Array, *, out: Array = None) -> Array:
    """The regularized lower incomplete gamma function: the part of the gamma integral of `input` below `other`."""
    return at_elements(xp, "gammainc", input, other)


@pointwise(_FLOATING, error_name="igammac_cpu", aliases=("special.gammaincc",), differs=_EXACT)
@derivative(input=no_formula("igammac: input"), other=lambda grad, input, other: -grad * _igamma_density(input, other))
def igammac(xp: Any, input: Array, other: Array, *, out: Array = None) -> Array:
    """The part of the gamma function's integral for `input` that lies above `other`: ``1 - igamma(input, other)``."""
    return at_elements(xp, "gammaincc", input, other)


# --- several dimensions ----------------------------------------------------------------------------------------------


def _lowered(input: Tensor, p: int) -> Tensor:
    """`input`, and it less 1/2, and so on, `p` numbers in a last dimension."""
    steps = input.new_tensor([-k / 2 for k in range(p - 1, -1, -1)])
    return steps + input.unsqueeze(-1)


def _mvlgamma(input: Tensor, p: int) -> Tensor:
    if input._dtype is dtypes.bool:
        raise RuntimeError("The input tensor may not be a boolean tensor.")
    if not -(2**63) <= check_int("mvlgamma", "p", 2, p) < 2**63:
        raise ValueError("Overflow when unpacking long long")
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    if input._dtype.is_complex:
        raise NotImplementedError(f"\"arange_cpu\" not implemented for '{input._dtype.scalar_type}'")
    if input._dtype.category < dtypes.FLOATING:
        input = input.to(dtypes.get_default_dtype())
    return _lowered(input, p).lgamma().sum(-1).add(p * (p - 1) / 4 * math.log(math.pi))


@operator("special functions", out=True, inplace=True, aliases=("special.multigammaln",))
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


@pointwise(WIDE_FLOAT, namespace="special")
@derivative(
    node=by_operands("SpecialZeta"),
    input=no_formula("zeta"),
    other=lambda grad, input, other: grad * -input * special_zeta(input + 1, other),
)
def special_zeta(xp: Any, input: Operand, other: Operand, *, out: Array = None) -> Array:
    """Hurwitz' zeta function: the sum of ``(k + other) ** -input`` over k = 0, 1, …"""
    return at_elements(xp, "zeta", input, other)
