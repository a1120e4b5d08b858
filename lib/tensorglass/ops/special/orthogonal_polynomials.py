"""``torch.special``: orthogonal polynomials, by the recurrence that each family has.

The first two of a family are given, and each next one is made of the two before it, for all elements, up to the highest
degree that one of them needs. They have no derivative, as PyTorch's have none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass.backends import Array
from tensorglass.ops.declare.pointwise import Operand, pointwise
from tensorglass.ops.declare.type_promotion import WIDE_FLOAT

#: From the degree, x, and the polynomials of the two degrees before.
Step = Callable[[int, Array, Array, Array], Array]


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


def _declare_chebyshev(letter: str, kind: str, first: Callable[[Array], Array]) -> None:
    """Declare the polynomials of a kind, of which `first` is that of degree 1, and those shifted to [0, 1]."""

    def kernel(xp: Any, input: Operand, n: Operand, *, out: Array = None) -> Array:
        return _member(xp, input, n, first(input), _doubled)

    def shifted(xp: Any, input: Operand, n: Operand, *, out: Array = None) -> Array:
        return kernel(xp, 2 * input - 1, n)

    kernel.__name__ = f"special_chebyshev_polynomial_{letter}"
    kernel.__doc__ = f"The Chebyshev polynomial of the {kind} kind of degree `n`."
    shifted.__name__ = f"special_shifted_chebyshev_polynomial_{letter}"
    shifted.__doc__ = f"The Chebyshev polynomial of the {kind} kind of degree `n`, of ``2 * input - 1``."
    for each in (kernel, shifted):
        globals()[each.__name__] = pointwise(WIDE_FLOAT, namespace="special")(each)  # pickle looks for it here


_declare_chebyshev("t", "first", lambda x: x)
_declare_chebyshev("u", "second", lambda x: 2 * x)
_declare_chebyshev("v", "third", lambda x: 2 * x - 1)
_declare_chebyshev("w", "fourth", lambda x: 2 * x + 1)


@pointwise(WIDE_FLOAT, namespace="special")
def special_hermite_polynomial_h(xp: Any, input: Operand, n: Operand, *, out: Array = None) -> Array:
    """The Hermite polynomial of degree `n`, as physicists have it."""
    return _member(xp, input, n, 2 * input, lambda k, x, now, before: 2 * (x * now - (k - 1) * before))


@pointwise(WIDE_FLOAT, namespace="special")
def special_hermite_polynomial_he(xp: Any, input: Operand, n: Operand, *, out: Array = None) -> Array:
    """The Hermite polynomial of degree `n`, as probabilists have it."""
    return _member(xp, input, n, input, lambda k, x, now, before: x * now - (k - 1) * before)


@pointwise(WIDE_FLOAT, namespace="special")
def special_laguerre_polynomial_l(xp: Any, input: Operand, n: Operand, *, out: Array = None) -> Array:
    """The Laguerre polynomial of degree `n`."""
    return _member(xp, input, n, 1 - input, lambda k, x, now, before: ((2 * k - 1 - x) * now - (k - 1) * before) / k)


@pointwise(WIDE_FLOAT, namespace="special")
def special_legendre_polynomial_p(xp: Any, input: Operand, n: Operand, *, out: Array = None) -> Array:
    """The Legendre polynomial of degree `n`."""
    return _member(xp, input, n, input, lambda k, x, now, before: ((2 * k - 1) * x * now - (k - 1) * before) / k)
