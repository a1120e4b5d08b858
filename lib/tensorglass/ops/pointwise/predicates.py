"""What kind of number each element is: finite, infinite, not a number, negative."""

from __future__ import annotations

from typing import Any

from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.ops.arg_parser.checks import check_tensor
from tensorglass.ops.creation.fill import ones_like, zeros_like
from tensorglass.ops.declare.pointwise import pointwise
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.samples import unary
from tensorglass.ops.declare.type_promotion import PREDICATE
from tensorglass.ops.views.shape import imag, real
from tensorglass.tensor.tensor import Tensor


@pointwise(PREDICATE, inplace=False, samples=unary)
def isnan(xp: Any, input: Array) -> Array:
    """Whether each element is not a number."""
    return xp.isnan(input)


@operator("pointwise", samples=unary)
def isinf(input: Tensor) -> Tensor:
    """Whether each element is infinite; a complex one, if a part of it is."""
    check_tensor("isinf", input)
    if input._dtype.is_complex:
        return isinf(real(input)).logical_or_(isinf(imag(input)))
    return _is_infinite(input) if input._dtype.is_floating_point else zeros_like(input, dtype=dtypes.bool)


@operator("pointwise", samples=unary)
def isfinite(input: Tensor) -> Tensor:
    """Whether each element is neither infinite nor NaN."""
    check_tensor("isfinite", input)
    return _is_finite(input) if input._dtype.category >= dtypes.FLOATING else ones_like(input, dtype=dtypes.bool)


@pointwise(PREDICATE, function=False, method=False, inplace=False)
def _is_infinite(xp: Any, input: Array) -> Array:
    """`isinf` of floating-point numbers."""
    return xp.isinf(input)


@pointwise(PREDICATE, function=False, method=False, inplace=False)
def _is_finite(xp: Any, input: Array) -> Array:
    """`isfinite` of floating-point and complex numbers."""
    return xp.isfinite(input)
