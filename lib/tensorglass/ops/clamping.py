"""`clamp` with one bound under names of its own: clamp_min, clamp_max."""

from __future__ import annotations

from typing import Any

from tensorglass.backends import Array
from tensorglass.graph.derivative import derivative
from tensorglass.ops.declaring import Operand, pointwise
from tensorglass.ops.gradients import at_max, at_min, inside
from tensorglass.ops.pointwise_checks import bounds_fit, no_complex
from tensorglass.ops.promotion import PARAMETRIC
from tensorglass.ops.samples import binary
from tensorglass.tensor import Tensor

_has_order = no_complex("clamp is not supported for complex types")


def _fits(operands: Any) -> None:
    clamped, bound = operands
    bounds_fit((clamped, bound, None))


@pointwise(PARAMETRIC, bounds=True, check=_has_order, inplace_check=_fits, samples=binary)
@derivative(
    node=lambda min: f"ClampMinBackward{int(isinstance(min, Tensor))}",
    input=lambda grad, input, min: inside(grad, input, min, None),
    min=lambda grad, input, min: at_min(grad, input, min, None),
)
def clamp_min(xp: Any, input: Array, min: Operand, *, out: Array = None) -> Array:
    """Each element, but no less than `min`."""
    return xp.maximum(input, min, out=out)


@pointwise(PARAMETRIC, bounds=True, check=_has_order, inplace_check=_fits, samples=binary)
@derivative(
    node=lambda max: f"ClampMaxBackward{int(isinstance(max, Tensor))}",
    input=lambda grad, input, max: inside(grad, input, None, max),
    max=lambda grad, input, max: at_max(grad, input, None, max),
)
def clamp_max(xp: Any, input: Array, max: Operand, *, out: Array = None) -> Array:
    """Each element, but no more than `max`."""
    return xp.minimum(input, max, out=out)
