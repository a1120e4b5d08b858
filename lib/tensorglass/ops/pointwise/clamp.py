"""`clamp` with one bound under names of its own: clamp_min, clamp_max."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.graph.derivative import derivative
from tensorglass.ops.arg_parser.missing_dtypes import refuse_unwritten
from tensorglass.ops.declare.pointwise import Operand, pointwise
from tensorglass.ops.declare.samples import binary
from tensorglass.ops.declare.type_promotion import PARAMETRIC, common_dtype
from tensorglass.ops.derivatives.formulas import clamp_backward, clamp_backward_max, clamp_backward_min
from tensorglass.ops.pointwise.checks import bounds_are_elements, bounds_fit, no_complex
from tensorglass.tensor.tensor import Tensor

_ORDERED = PARAMETRIC.refusing(dtypes.COMPLEX)
_no_complex = no_complex("clamp is not supported for complex types")
_SIGN = "which of 0.0 and -0.0 is returned depends on NumPy's"


def _has_order(operands: Any) -> None:
    if isinstance(operands[1], Tensor):
        return
    _no_complex(operands)
    if isinstance(operands[1], complex):
        raise NotImplementedError("clamp is not supported for complex types")


def _wants_numbers(name: str) -> Callable[[Any], None]:
    def check(operands: Any) -> None:
        bounds_are_elements(operands)
        common, kernel = common_dtype(operands), f"{name}_scalar_cpu"
        if isinstance(operands[1], Tensor):
            kernel = "maximum_cpu" if name == "clamp_min" else "minimum_cpu"
        elif common is dtypes.bool:
            raise NotImplementedError(f"\"{kernel}\" not implemented for 'Bool'")
        refuse_unwritten(kernel, common)

    return check


def _fits(operands: Any) -> None:
    bounds_fit((*operands, None))


@pointwise(
    _ORDERED,
    bounds=True,
    numbers_fit=True,
    check=_has_order,
    late_check=_wants_numbers("clamp_min"),
    inplace_check=_fits,
    error_name="maximum_cpu",
    samples=binary,
    differs=_SIGN,
)
@derivative(
    node=lambda min: f"ClampMinBackward{int(isinstance(min, Tensor))}",
    input=lambda grad, input, min: clamp_backward(grad, input, min, None),
    min=lambda grad, input, min: clamp_backward_min(grad, input, min, None),
)
def clamp_min(xp: Any, input: Array, min: Operand, *, out: Array = None) -> Array:
    """Each element, but no less than `min`."""
    return xp.maximum(input, min, out=out)


@pointwise(
    _ORDERED,
    bounds=True,
    numbers_fit=True,
    check=_has_order,
    late_check=_wants_numbers("clamp_max"),
    inplace_check=_fits,
    error_name="minimum_cpu",
    samples=binary,
    differs=_SIGN,
)
@derivative(
    node=lambda max: f"ClampMaxBackward{int(isinstance(max, Tensor))}",
    input=lambda grad, input, max: clamp_backward(grad, input, None, max),
    max=lambda grad, input, max: clamp_backward_max(grad, input, None, max),
)
def clamp_max(xp: Any, input: Array, max: Operand, *, out: Array = None) -> Array:
    """Each element, but no more than `max`."""
    return xp.minimum(input, max, out=out)
