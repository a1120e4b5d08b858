"""The gamma function's logarithm and its derivatives: lgamma, digamma, polygamma. `gamma_formulas` computes them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from tensorglass.backends import Array
from tensorglass.graph.derivative import derivative
from tensorglass.ops.arg_parser.checks import check_int, check_tensor
from tensorglass.ops.declare.pointwise import pointwise
from tensorglass.ops.declare.registry import Sample, operator, sample
from tensorglass.ops.declare.samples import positive, unary, values
from tensorglass.ops.declare.type_promotion import ORDERED_FLOAT
from tensorglass.ops.special.erf import in_double
from tensorglass.ops.special.erf_float32 import is_few, one_by_one
from tensorglass.ops.special.gamma_series import digamma_of, lgamma_of, lgamma_single, polygamma_of
from tensorglass.tensor.tensor import Tensor


@pointwise(ORDERED_FLOAT, error_name="lgamma_vml_cpu", samples=unary, aliases=("special.gammaln",))
@derivative(input=lambda grad, input: grad * input.digamma())
def lgamma(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The logarithm of the size of the gamma function, which extends factorials: of (input - 1)!."""
    if is_few(xp, input):
        try:
            return one_by_one(xp, math.lgamma, input)
        except (ValueError, OverflowError):  # Python refuses poles and what is too large
            pass
    return in_double(xp, lgamma_single if input.dtype == "float32" else lgamma_of, input)


@pointwise(
    ORDERED_FLOAT,
    error_name="digamma",
    samples=positive,
    aliases=(
        "special.digamma",
        "special.psi",
    ),
)
@derivative(input=lambda grad, input: grad * input.polygamma(1))
def digamma(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The derivative of `lgamma`."""
    return in_double(xp, digamma_of, input)


@pointwise(ORDERED_FLOAT, function=False, method=False, error_name="trigamma")
def _trigamma(xp: Any, input: Array, *, out: Array = None) -> Array:
    """`polygamma` of order 1."""
    return in_double(xp, polygamma_of, input, 1)


@pointwise(ORDERED_FLOAT, function=False, method=False, error_name="polygamma")
def _polygamma(xp: Any, input: Array, *, n: int = 2, out: Array = None) -> Array:
    """`polygamma` of order 2 and up."""
    return in_double(xp, polygamma_of, input, n)


def _orders() -> Iterator[Sample]:
    for n in (0, 2, 4):
        yield sample(n, values(2, 3, low=0.25, high=4.0))
    yield sample(2, values())
    yield sample(3, values(0))


def _of_order(n: Any) -> tuple[Any, dict[str, int]]:
    if check_int("polygamma", "n", 1, n) < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    return (digamma, {}) if n == 0 else (_trigamma, {}) if n == 1 else (_polygamma, {"n": n})


def _slope(grad: Tensor, input: Tensor, n: int) -> Tensor:
    return grad * input.polygamma(n + 1)


def _polygamma_method(input: Tensor, n: int) -> Tensor:
    """The `n`-th derivative of `digamma`; itself for 0."""
    return polygamma(n, input)


@operator(
    "special functions",
    out=True,
    method_form=_polygamma_method,
    samples=_orders,
    differs="infinite at its poles and 0 at infinity, where PyTorch's may be large numbers or NaN; of order 1 exact",
    aliases=("special.polygamma",),
)
@derivative(node="PolygammaBackward0", input=_slope)
def polygamma(n: int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The `n`-th derivative of `digamma`; itself for 0."""
    form, parameters = _of_order(n)
    check_tensor("polygamma", input, "input", 2)
    made: Tensor = form(input, **parameters, out=out)
    return made


@operator("special functions", function=False)
@derivative(node="PolygammaBackward1", input=_slope)
def polygamma_(input: Tensor, n: int) -> Tensor:
    """`polygamma`, written to `input`."""
    form, parameters = _of_order(n)
    made: Tensor = form(input, **parameters, out=input)
    return made
