"""Whole tensors compared: equal, allclose, isclose; and a tensor searched: `in`."""

from __future__ import annotations

import numbers
from typing import Any

from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.errors import explained
from tensorglass.ops.arg_parser.checks import refuse_meta
from tensorglass.ops.declare.pointwise import pointwise
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.samples import pairs
from tensorglass.ops.declare.type_promotion import PREDICATE
from tensorglass.ops.kernels.positions import all_equal
from tensorglass.ops.pointwise.checks import dtypes_alike
from tensorglass.ops.pointwise.comparison import eq
from tensorglass.tensor.tensor import Tensor, array_of


@operator("comparison", samples=pairs)
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether both tensors have the same size and the same elements."""
    refuse_meta("aten::equal", input, other)
    if input._size != other._size:
        return False
    return bool(input._storage.backend.launch(all_equal, array_of(input), array_of(other)))


@pointwise(PREDICATE, function=False, method=False, inplace=False, check=dtypes_alike)
def _isclose(
    xp: Any, input: Array, other: Array, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Array:
    """Whether elements differ by at most ``atol + rtol * |other|``."""
    same = xp.equal(input, other)
    if equal_nan and input.dtype.kind in "fc":
        same |= xp.isnan(input) & xp.isnan(other)
    if rtol == atol == 0:
        return same
    if input.dtype.kind == "b":
        return same
    difference = (
        xp.absolute(input.astype("float64") - other) if input.dtype.kind in "iu" else xp.absolute(input - other)
    )
    return same | (xp.isfinite(difference) & (difference <= atol + xp.absolute(rtol * other)))


@operator("comparison", samples=pairs)
def isclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """Whether elements differ by at most ``atol + rtol * |other|``."""
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        if not tolerance >= 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {tolerance:g}")
    is_close: Tensor = _isclose(input, other, rtol=rtol, atol=atol, equal_nan=equal_nan)
    if equal_nan and input._dtype.category >= dtypes.FLOATING:
        is_close._written()  # PyTorch adds the close elements to the equal ones in place
    if rtol or atol:
        is_close._written()
    return is_close


@operator("comparison")
def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether all elements are close, as `isclose` has it. Both tensors must have the same dtype."""
    return bool(isclose(input, other, rtol, atol, equal_nan).all())


@operator("indexing", function=False, method=False, dunders=("__contains__",))
def contains(input: Tensor, element: Any) -> bool:
    """`element in input`: whether any element equals the number, or any matches the tensor's under broadcasting."""
    if not isinstance(element, (Tensor, numbers.Number)):
        raise explained(
            RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}."),
            "Ask for a number, as in 3 in x.",
        )
    equal = eq(element, input) if isinstance(element, Tensor) else eq(input, element)
    return bool(input._storage.backend.launch(_any, array_of(equal)))


def _any(xp: Any, array: Array) -> Any:
    return xp.any(array)
