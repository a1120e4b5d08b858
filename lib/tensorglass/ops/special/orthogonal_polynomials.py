"""``torch.special``: orthogonal polynomials, by the recurrence that each family has.

The first two of a family are given, and each next one is made of the two before it, for all elements, up to the highest
degree that one of them needs. They have no derivative, as PyTorch's have none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tensorglass.backends import Array
from tensorglass.ops.declare.pointwise import Operand, pointwise
from tensorglass.ops.declare.registry import Sample, sample
from tensorglass.ops.declare.samples import values
from tensorglass.ops.declare.type_promotion import WIDE_FLOAT

#: From the degree, x, and the polynomials of the two degrees before.
Step = Callable[[int, Array, Array, Array], Array]


def _degrees() -> Iterator[Sample]:
    yield sample(values(2, 4, low=-1, high=1), values(4, low=0, high=9))
    yield sample(values(), values(low=3, high=5))
    yield sample(values(3), 2)
    yield sample(0.5, values(5, low=-2, high=7))


def _member(xp: Any, x: Array, n: Array, first: Array, step: Step) -> Array:
    """The polynomials of degrees `n`, rounded towards 0, at `x`; 0 where there is no such degree."""
    n = xp.trunc(xp.where(xp.absolute(n) < 2.0**63, n, -1))  # nor has PyTorch any that an int64 cannot hold
    x, degree, first = xp.broadcast_arrays(x, n, first)
    highest = int(n.max()) if degree.size else 0
    is_one = n.size == 1 and highest > 1  # then no step asks which elements are done
    before, now = xp.ones_like(first), first
    answer = xp.where(degree == 0, before, xp.where(degree == 1, now, 0))
    for k in range(2, highest + 1):
        before, now = now, step(k, x, now, before)
        if not is_one:
            answer = xp.where(degree == k, now, answer)
    return (now if is_one else answer).astype(x.dtype)


def _doubled(k: int, x: Array, now: Array, before: Array) -> Array:
    return (x + x) * now - before


@pointwise(WIDE_FLOAT, namespace="special", samples=_degrees)
def special_chebyshev_polynomial_t(xp: Any, input: Operand, n: Operand, *, out: Array = None) -> Array:
    """The Chebyshev polynomial of the first kind of degree `n`."""
    return _member(xp, input, n, input, _doubled)


@pointwise(WIDE_FLOAT, namespace="special", samples=_degrees)
def special_chebyshev_polynomial_u(xp: Any, input: Operand, n: Operand, *, out: Array = None) -> Array:
    """The Chebyshev polynomial of the second kind of degree `n`."""
    return _member(xp, input, n, 2 * input, _doubled)


@pointwise(WIDE_FLOAT, namespace="special", samples=_degrees)
def special_chebyshev_polynomial_v(xp: Any, input: Operand, n: Operand, *, out: Array = None) -> Array:
    """The Chebyshev polynomial of the third kind of degree `n`."""
    return _member(xp, input, n, 2 * input - 1, _doubled)


@pointwise(WIDE_FLOAT, namespace="special", samples=_degrees)
def special_chebyshev_polynomial_w(xp: Any, input: Operand, n: Operand, *, out: Array = None) -> Array:
    """The Chebyshev polynomial of the fourth kind of degree `n`."""
    return _member(xp, input, n, 2 * input + 1, _doubled)


@pointwise(WIDE_FLOAT, namespace="special", samples=_degrees)
def special_shifted_chebyshev_polynomial_t(xp: Any, input: Operand, n: Operand, *, out: Array = None) -> Array:
    """The Chebyshev polynomial of the first kind of degree `n`, of ``2 * input - 1``."""
    return _member(xp, 2 * input - 1, n, 2 * input - 1, _doubled)


@pointwise(WIDE_FLOAT, namespace="special", samples=_degrees)
def special_shifted_chebyshev_polynomial_u(xp: Any, input: Operand, n: Operand, *, out: Array = None) -> Array:
    """The Chebyshev polynomial of the second kind of degree `n`, of ``2 * input - 1``."""
    return _member(xp, 2 * input - 1, n, 2 * (2 * input - 1), _doubled)


@pointwise(WIDE_FLOAT, namespace="special", samples=_degrees)
def special_shifted_chebyshev_polynomial_v(xp: Any, input: Operand, n: Operand, *, out: Array = None) -> Array:
    """The Chebyshev polynomial of the third kind of degree `n`, of ``2 * input - 1``."""
    return _member(xp, 2 * input - 1, n, 2 * (2 * input - 1) - 1, _doubled)


@pointwise(WIDE_FLOAT, namespace="special", samples=_degrees)
def special_shifted_chebyshev_polynomial_w(xp: Any, input: Operand, n: Operand, *, out: Array = None) -> Array:
    """The Chebyshev polynomial of the fourth kind of degree `n`, of ``2 * input - 1``."""
    return _member(xp, 2 * input - 1, n, 2 * (2 * input - 1) + 1, _doubled)


@pointwise(WIDE_FLOAT, namespace="special", samples=_degrees)
def special_hermite_polynomial_h(xp: Any, input: Operand, n: Operand, *, out: Array = None) -> Array:
    """The Hermite polynomial of degree `n`, as physicists have it."""
    return _member(xp, input, n, 2 * input, lambda k, x, now, before: 2 * (x * now - (k - 1) * before))


@pointwise(WIDE_FLOAT, namespace="special", samples=_degrees)
def special_hermite_polynomial_he(xp: Any, input: Operand, n: Operand, *, out: Array = None) -> Array:
    """The Hermite polynomial of degree `n`, as probabilists have it."""
    return _member(xp, input, n, input, lambda k, x, now, before: x * now - (k - 1) * before)


@pointwise(WIDE_FLOAT, namespace="special", samples=_degrees)
def special_laguerre_polynomial_l(xp: Any, input: Operand, n: Operand, *, out: Array = None) -> Array:
    """The Laguerre polynomial of degree `n`."""
    return _member(xp, input, n, 1 - input, lambda k, x, now, before: ((2 * k - 1 - x) * now - (k - 1) * before) / k)


@pointwise(WIDE_FLOAT, namespace="special", samples=_degrees)
def special_legendre_polynomial_p(xp: Any, input: Operand, n: Operand, *, out: Array = None) -> Array:
    """The Legendre polynomial of degree `n`."""
    return _member(xp, input, n, input, lambda k, x, now, before: ((2 * k - 1) * x * now - (k - 1) * before) / k)
