"""Bessel functions: the oscillating J and Y; I and K, which grow or decay exponentially; and the Airy function."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tensorglass.backends import Array, special
from tensorglass.graph.derivative import derivative
from tensorglass.ops.declare.pointwise import pointwise
from tensorglass.ops.declare.registry import Sample
from tensorglass.ops.declare.samples import positive, unary
from tensorglass.ops.declare.type_promotion import ORDERED_FLOAT, WIDE_FLOAT
from tensorglass.ops.kernels.special_functions import at_elements
from tensorglass.tensor.tensor import Tensor

Samples = Callable[[], Iterable[Sample]]

_EXACT = "in float32 good to the last places; PyTorch's near its zeros to five"
_WIDER = "computed in float32 in half types too, where PyTorch's is off by two percent"

# --- J and Y, and others without derivatives -------------------------------------------------------------------------

_FIRST, _SECOND = "Bessel function of the first kind of order", "Bessel function of the second kind of order"


def _declare(name: str, function: str, samples: Samples, meaning: str, differs: str | None = None) -> None:
    """Declare ``special.<name>``, which is `function` of `scipy.special`."""

    def kernel(xp: Any, input: Array, *, out: Array = None) -> Array:
        return at_elements(xp, function, input)

    kernel.__name__, kernel.__doc__ = f"special_{name}", meaning
    declared = pointwise(WIDE_FLOAT, namespace="special", samples=samples, differs=differs)(kernel)
    globals()[kernel.__name__] = declared  # pickle looks for it here


_declare("bessel_j0", "j0", unary, f"The {_FIRST} 0.", _EXACT)
_declare("bessel_j1", "j1", unary, f"The {_FIRST} 1.", _EXACT)
_declare("bessel_y0", "y0", positive, f"The {_SECOND} 0.", _EXACT)
_declare("bessel_y1", "y1", positive, f"The {_SECOND} 1.", _EXACT)
_declare("modified_bessel_i0", "i0", unary, f"The modified {_FIRST} 0: `i0` without a derivative.")
_declare("modified_bessel_i1", "i1", unary, f"The modified {_FIRST} 1: `i1` without a derivative.")
_declare("modified_bessel_k0", "k0", positive, f"The modified {_SECOND} 0.")
_declare("modified_bessel_k1", "k1", positive, f"The modified {_SECOND} 1.")
_declare("scaled_modified_bessel_k0", "k0e", positive, "``modified_bessel_k0(input) * exp(input)``.")
_declare("scaled_modified_bessel_k1", "k1e", positive, "``modified_bessel_k1(input) * exp(input)``.")


@pointwise(WIDE_FLOAT, namespace="special", samples=unary)
def special_spherical_bessel_j0(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The spherical Bessel function of the first kind of order 0: ``sin(input) / input``, 1 at 0."""
    safe = xp.where((input == 0) | xp.isinf(input), 1, input)
    answer = xp.where(input == 0, 1, xp.where(xp.isinf(input), 0, xp.sin(safe) / safe))
    return answer.astype(input.dtype, copy=False)


@pointwise(
    WIDE_FLOAT,
    namespace="special",
    samples=unary,
    differs="good to thirteen places; PyTorch's to five where it swings",
)
def special_airy_ai(xp: Any, x: Array, *, out: Array = None) -> Array:
    """The Airy function Ai: the solution of ``y'' == x * y`` that goes to 0 for large `x`."""
    small = xp.where(xp.isfinite(x), xp.minimum(x, 200), x)  # beyond it is 0, where SciPy has NaN
    return special(xp).airy(small)[0].astype(x.dtype, copy=False)


# --- I ---------------------------------------------------------------------------------------------------------------


def _i1_over_input(input: Tensor, zeroth: Tensor, result: Tensor) -> Tensor:
    """The other term of the derivative of `i1`, beside `i0`: ``zeroth - result / input``, 1/2 at 0."""
    has_slope = (input < 0) | (input > 0)
    safe = input.masked_fill(~has_slope, 1.0)
    return (zeroth - result / safe).where(has_slope, 0.5)


@pointwise(ORDERED_FLOAT, error_name="i0_vml_cpu", samples=unary, aliases=("special.i0",))
@derivative(input=lambda grad, input: grad * special_i1(input))
def i0(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The modified Bessel function of the first kind of order 0."""
    return at_elements(xp, "i0", input)


@pointwise(ORDERED_FLOAT, namespace="special", samples=unary)
@derivative(input=lambda grad, input, result: grad * _i1_over_input(input, input.i0(), result))
def special_i1(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The modified Bessel function of the first kind of order 1."""
    return at_elements(xp, "i1", input)


@pointwise(ORDERED_FLOAT, namespace="special", samples=unary, differs=_WIDER)
@derivative(input=lambda grad, input, result: grad * (special_i1e(input) - input.sgn() * result))
def special_i0e(xp: Any, input: Array, *, out: Array = None) -> Array:
    """``i0(input) * exp(-abs(input))``, which stays a number however large `input` is."""
    return at_elements(xp, "i0e", input)


@pointwise(ORDERED_FLOAT, namespace="special", samples=unary, differs=_WIDER)
@derivative(
    input=lambda grad, input, result: grad * (_i1_over_input(input, special_i0e(input), result) - input.sgn() * result)
)
def special_i1e(xp: Any, input: Array, *, out: Array = None) -> Array:
    """``i1(input) * exp(-abs(input))``, which stays a number however large `input` is."""
    return at_elements(xp, "i1e", input)
