"""The error function, its complement and its inverse. `ops.kernels.special_functions` computes them."""

from __future__ import annotations

import math
from typing import Any

from tensorglass.backends import Array
from tensorglass.graph.derivative import derivative
from tensorglass.ops.declare.pointwise import pointwise
from tensorglass.ops.declare.samples import unary, unit_interval
from tensorglass.ops.declare.type_promotion import ORDERED_FLOAT
from tensorglass.ops.kernels import special_functions

_SLOPE = 2 / math.sqrt(math.pi)  # of erf, at 0


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
