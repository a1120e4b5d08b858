"""Comparison, truth and bits, element by element. Comparisons answer in bool; bit operators keep the integer type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.graph.derivative import F, derivative
from tensorglass.ops.creation.fill import ones_like, zeros_like
from tensorglass.ops.declare.pointwise import Operand, pointwise
from tensorglass.ops.declare.registry import OPERATORS, operator
from tensorglass.ops.declare.samples import binary, bits, shifts, truths, unary, whole
from tensorglass.ops.declare.type_promotion import BITS, ORDERING, PREDICATE, PROMOTE
from tensorglass.ops.derivatives.shared import by_number, zero_gradient
from tensorglass.ops.views.shape import imag, real
from tensorglass.tensor.tensor import Tensor

SHIFTS = PROMOTE.refusing(dtypes.BOOL, dtypes.FLOATING, dtypes.COMPLEX)


def _zero_derivative(name: str) -> Callable[[F], F]:
    """The derivative of a comparison: none. In place it overwrites the input, whose gradient becomes zeros."""
    return derivative(node=by_number(name, 0, 1), in_place_only=True, input=zero_gradient, other=zero_gradient)


# --- comparison ------------------------------------------------------------------------------------------------------


@pointwise(PREDICATE, ufunc="equal", dunders=("__eq__",), samples=binary)
@_zero_derivative("Eq")
def eq(xp: Any, input: Array, other: Operand, *, out: Array = None) -> Array:
    """``input == other``."""
    return xp.equal(input, other, out=out)


@pointwise(PREDICATE, ufunc="not_equal", aliases=("not_equal",), dunders=("__ne__",), samples=binary)
@_zero_derivative("Ne")
def ne(xp: Any, input: Array, other: Operand, *, out: Array = None) -> Array:
    """``input != other``."""
    return xp.not_equal(input, other, out=out)


@pointwise(ORDERING, ufunc="less", error_name="lt_cpu", aliases=("less",), dunders=("__lt__",), samples=binary)
@_zero_derivative("Lt")
def lt(xp: Any, input: Array, other: Operand, *, out: Array = None) -> Array:
    """``input < other``."""
    return xp.less(input, other, out=out)


@pointwise(
    ORDERING, ufunc="less_equal", error_name="le_cpu", aliases=("less_equal",), dunders=("__le__",), samples=binary
)
@_zero_derivative("Le")
def le(xp: Any, input: Array, other: Operand, *, out: Array = None) -> Array:
    """``input <= other``."""
    return xp.less_equal(input, other, out=out)


@pointwise(ORDERING, ufunc="greater", error_name="gt_cpu", aliases=("greater",), dunders=("__gt__",), samples=binary)
@_zero_derivative("Gt")
def gt(xp: Any, input: Array, other: Operand, *, out: Array = None) -> Array:
    """``input > other``."""
    return xp.greater(input, other, out=out)


@pointwise(
    ORDERING,
    ufunc="greater_equal",
    error_name="ge_cpu",
    aliases=("greater_equal",),
    dunders=("__ge__",),
    samples=binary,
)
@_zero_derivative("Ge")
def ge(xp: Any, input: Array, other: Operand, *, out: Array = None) -> Array:
    """``input >= other``."""
    return xp.greater_equal(input, other, out=out)


# --- truth -----------------------------------------------------------------------------------------------------------


@pointwise(PREDICATE, ufunc="logical_and", samples=truths)
def logical_and(xp: Any, input: Array, other: Array, *, out: Array = None) -> Array:
    """Whether both elements are nonzero."""
    return xp.logical_and(input, other, out=out)


@pointwise(PREDICATE, ufunc="logical_or", samples=truths)
def logical_or(xp: Any, input: Array, other: Array, *, out: Array = None) -> Array:
    """Whether an element is nonzero."""
    return xp.logical_or(input, other, out=out)


@pointwise(PREDICATE, samples=truths)
def logical_xor(xp: Any, input: Array, other: Array, *, out: Array = None) -> Array:
    """Whether exactly one element is nonzero."""
    if input.dtype.kind != "b":  # comparing with 0 is quicker
        input, other = input != 0, other != 0
    return xp.not_equal(input, other, out=out)


@pointwise(PREDICATE, samples=unary)
def logical_not(xp: Any, input: Array, *, out: Array = None) -> Array:
    """Whether each element is zero."""
    return xp.logical_not(input, out=out) if input.dtype.kind == "b" else xp.equal(input, 0, out=out)


# --- bits ------------------------------------------------------------------------------------------------------------


@pointwise(
    BITS, ufunc="bitwise_and", error_name="bitwise_and_cpu", dunders=("__and__", "__rand__", "__iand__"), samples=bits
)
def bitwise_and(xp: Any, input: Operand, other: Operand, *, out: Array = None) -> Array:
    """``input & other``."""
    return xp.bitwise_and(input, other, out=out)


@pointwise(
    BITS, ufunc="bitwise_or", error_name="bitwise_or_cpu", dunders=("__or__", "__ror__", "__ior__"), samples=bits
)
def bitwise_or(xp: Any, input: Operand, other: Operand, *, out: Array = None) -> Array:
    """``input | other``."""
    return xp.bitwise_or(input, other, out=out)


@pointwise(
    BITS, ufunc="bitwise_xor", error_name="bitwise_xor_cpu", dunders=("__xor__", "__rxor__", "__ixor__"), samples=bits
)
def bitwise_xor(xp: Any, input: Operand, other: Operand, *, out: Array = None) -> Array:
    """``input ^ other``."""
    return xp.bitwise_xor(input, other, out=out)


@pointwise(BITS.exactly(), ufunc="bitwise_not", error_name="bitwise_not_cpu", samples=whole)
def bitwise_not(xp: Any, input: Array, *, out: Array = None) -> Array:
    """``~input``: every bit flipped; for bool, the negation."""
    return xp.bitwise_not(input, out=out)


_bitwise_not = OPERATORS["bitwise_not"].function


@operator("pointwise", function=False, method=False, dunders=("__invert__",))
def __invert__(input: Tensor) -> Tensor:
    """``~input``: `bitwise_not`, for integers and bools only."""
    if input._dtype.category > dtypes.INTEGER:
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return _bitwise_not(input)


@pointwise(
    SHIFTS,
    ufunc="left_shift",
    error_name="lshift_cpu",
    dunders=("__lshift__", "__rlshift__", "__ilshift__"),
    samples=shifts,
)
def bitwise_left_shift(xp: Any, input: Operand, other: Operand, *, out: Array = None) -> Array:
    """``input << other``."""
    return xp.left_shift(input, other, out=out)


@pointwise(
    SHIFTS,
    ufunc="right_shift",
    error_name="rshift_cpu",
    dunders=("__rshift__", "__rrshift__", "__irshift__"),
    samples=shifts,
)
def bitwise_right_shift(xp: Any, input: Operand, other: Operand, *, out: Array = None) -> Array:
    """``input >> other``."""
    return xp.right_shift(input, other, out=out)


# --- what kind of number ---------------------------------------------------------------------------------------------


@pointwise(PREDICATE, inplace=False, samples=unary)
def isnan(xp: Any, input: Array) -> Array:
    """Whether each element is not a number."""
    return xp.isnan(input)


@operator("pointwise", samples=unary)
def isinf(input: Tensor) -> Tensor:
    """Whether each element is infinite; for complex elements, whether a part is."""
    if input._dtype.is_complex:
        return isinf(real(input)).logical_or_(isinf(imag(input)))
    return _is_infinite(input) if input._dtype.is_floating_point else zeros_like(input, dtype=dtypes.bool)


@operator("pointwise", samples=unary)
def isfinite(input: Tensor) -> Tensor:
    """Whether each element is neither infinite nor NaN."""
    return _is_finite(input) if input._dtype.category >= dtypes.FLOATING else ones_like(input, dtype=dtypes.bool)


@pointwise(PREDICATE, function=False, method=False, inplace=False)
def _is_infinite(xp: Any, input: Array) -> Array:
    """`isinf` of floating-point numbers."""
    return xp.isinf(input)


@pointwise(PREDICATE, function=False, method=False, inplace=False)
def _is_finite(xp: Any, input: Array) -> Array:
    """`isfinite` of floating-point and complex numbers."""
    return xp.isfinite(input)
