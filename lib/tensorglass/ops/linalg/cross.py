"""The cross product of vectors of three elements."""

from __future__ import annotations

from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.errors import warn
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import is_recorded, no_out_with_gradients, recorded
from tensorglass.ops.declare.overlap_checks import refuse_shared_cells
from tensorglass.ops.declare.reduction import write_out
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.type_promotion import check_out_dtype
from tensorglass.ops.derivatives.formulas import conj
from tensorglass.tensor.construct import from_array
from tensorglass.tensor.tensor import Tensor, array_of


def _of_first(grad: Tensor, other: Tensor, dim: int) -> Tensor:
    return _cross(conj(other), grad, dim)


def _of_second(grad: Tensor, input: Tensor, dim: int) -> Tensor:
    return _cross(grad, conj(input), dim)


@recorded
@derivative(node="LinalgCrossBackward0", input=_of_first, other=_of_second)
def _cross(input: Tensor, other: Tensor, dim: int, out: Tensor | None = None) -> Tensor:
    axis, size = _checked(input, other, dim)
    check_out_dtype(out, input._dtype)
    backend = input._storage.backend
    array = backend.launch(
        _cross_kernel, array_of(input), array_of(other), axis, size, backend.array_dtype(input._dtype)
    )
    if out is None:
        return from_array(array, input._dtype, input._storage)
    refuse_shared_cells(out, input, other)
    return write_out(array, size, out, input._dtype)


def _checked(input: Tensor, other: Tensor, dim: int) -> tuple[int, tuple[int, ...]]:
    """The dimension counted from the front, and the size of the result."""
    if len(input._size) != len(other._size):
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    if not input._size:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    axis = geometry.wrap_dim(dim, len(input._size))
    lengths = [each._size[axis] for each in (input, other)]
    if lengths != [3, 3]:
        raise RuntimeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {lengths[0]} and {lengths[1]}"
        )
    size = geometry.broadcast_shapes(input._size, other._size)
    if input._dtype is not other._dtype:
        raise RuntimeError(f"expected scalar type {input._dtype.scalar_type} but found {other._dtype.scalar_type}")
    if input._dtype is dtypes.bool:
        raise NotImplementedError("\"cross\" not implemented for 'Bool'")
    return axis, size


def _cross_kernel(xp: Any, input: Array, other: Array, axis: int, size: tuple[int, ...], dtype: Any) -> Array:
    (a, b, c), (x, y, z) = [xp.moveaxis(xp.broadcast_to(each, size), axis, 0) for each in (input, other)]
    rows = xp.stack([b * z - c * y, c * x - a * z, a * y - b * x], axis)  # half types round each product, as PyTorch's
    return xp.ascontiguousarray(rows, dtype)


@operator("linear algebra", namespace="linalg", out=True)
def linalg_cross(input: Tensor, other: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    """The cross products of the vectors along `dim`, which must have three elements."""
    return _crossed(input, other, dim, out)


@operator("linear algebra", out=True)
def cross(input: Tensor, other: Tensor, dim: int | None = None, *, out: Tensor | None = None) -> Tensor:
    """The cross products of the vectors along `dim`, or along the first dimension of three elements."""
    if dim is None:
        warn(
            "Using torch.cross without specifying the dim arg is deprecated.\n"
            "Please either pass the dim explicitly or simply use torch.linalg.cross.\n"
            "The default value of dim will change to agree with that of linalg.cross in a future release.",
        )
        if 3 not in input._size:
            raise RuntimeError("no dimension of size 3 in input")
        dim = input._size.index(3)
    return _crossed(input, other, dim, out)


def _crossed(input: Tensor, other: Tensor, dim: int, out: Tensor | None) -> Tensor:
    if out is not None and is_recorded((input, other)):
        raise no_out_with_gradients("linalg_cross")
    return _cross(input, other, dim, out)
