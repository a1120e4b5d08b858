"""Products of vectors and tensors: outer, vdot, inner, tensordot, cross, kron; the trace."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.errors import warn
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import is_recorded, no_out_with_gradients, recorded
from tensorglass.ops.arg_parser.checks import check_tensor, type_name
from tensorglass.ops.arg_parser.signature import signatures_for
from tensorglass.ops.copies.copy import contiguous
from tensorglass.ops.copies.out import cast_into_out
from tensorglass.ops.declare.reduction import write_out
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.run_pointwise import refuse_shared_cells
from tensorglass.ops.declare.type_promotion import check_out_dtype
from tensorglass.ops.derivatives.shared import conj
from tensorglass.ops.derivatives.view_nodes import unsafe_view
from tensorglass.ops.linalg.common import check_floating, check_same_dtype
from tensorglass.ops.linalg.matmul import dot, matmul
from tensorglass.ops.pointwise.arithmetic import mul
from tensorglass.ops.reductions.sum_mean_prod import sum as sum_
from tensorglass.ops.views.shape import squeeze, view
from tensorglass.tensor.construct import from_array
from tensorglass.tensor.tensor import Tensor, array_of

Dims = int | Sequence[int] | Sequence[Sequence[int]]


@operator("linear algebra", out=True, aliases=("ger",))
def outer(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The products of each element of one vector with each of another: a matrix."""
    for name, vector in (("self", input), ("vec2", vec2)):
        if len(vector._size) != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {len(vector._size)}-D")
    column = input.reshape((input._size[0], 1))
    return mul(column, vec2) if out is None else mul(column, vec2, out=out)


@operator("linear algebra", out=True)
@derivative(input=lambda grad, other: conj(grad) * other, other=lambda grad, input: grad * input)
def vdot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sum of the products of two vectors' elements, those of the first conjugated."""
    if other._conj and not input._conj and out is None:
        product = dot(input, conj(other))
        product._conj = True  # it is conjugated when it is read
        return product
    return dot(conj(input), other, out=out)


@operator("linear algebra", out=True)
def inner(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sums of products over the last dimension of both, for all pairs of leading dimensions; a number scales."""
    if not input._size or not other._size:
        return mul(input, other, out=out)
    if input._size[-1] != other._size[-1]:
        raise RuntimeError(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{list(input._size)} and {list(other._size)}"
        )
    return _contracted(input, other, [-1], [-1], out)


# --- over any dimensions ---------------------------------------------------------------------------------------------


@operator("linear algebra", method=False, out=True, signatures=None)
def tensordot(a: Tensor, b: Tensor, dims: Dims | Tensor = 2, out: Tensor | None = None) -> Tensor:
    """The sums of products over pairs of dimensions.

    `dims` is a number, of the last dimensions of `a` and the first of `b`, or two lists: dimensions of `a`, and those
    of `b` that they are paired with. The result has the other dimensions of `a`, then those of `b`.
    """
    check_tensor("tensordot", a)
    check_tensor("tensordot", b, "other", 2)
    shown = dims
    if isinstance(dims, Tensor):
        if dims.numel() > 1 and dims._size[0] != 2:
            raise AssertionError(f"dims tensor must have size 2 in first dimension, got {dims._size[0]}")
        dims = dims.tolist() if dims.numel() > 1 else int(dims.item())
    if out is not None and not isinstance(out, Tensor):
        raise TypeError(f"tensordot(): argument 'out' must be Tensor, not {type_name(out)}")
    if not isinstance(dims, (int, tuple, list)):
        raise RuntimeError(
            "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] containing two lists, "
            f"but got dims={dims}"
        )
    if isinstance(dims, (tuple, list)):
        of_self, of_other = dims
        read = signatures_for(tensordot, "tensordot", _OF_LISTS, False)
        _, _, of_a, of_b = read.read((a, b, of_self, of_other), {})[0]
    else:
        count = int(dims)
        if count < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={shown}")
        if count > min(len(a._size), len(b._size)):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={count}")
        of_a, of_b = list(range(-count, 0)), list(range(count))
    return _contracted(a, b, [int(dim) for dim in of_a], [int(dim) for dim in of_b], out)


_OF_LISTS = ("(Tensor input, Tensor other, tuple of ints dims_self, tuple of ints dims_other, *, Tensor out = None)",)


def _contracted(a: Tensor, b: Tensor, of_a: list[int], of_b: list[int], out: Tensor | None) -> Tensor:
    if len(of_a) != len(of_b):
        raise RuntimeError("both dimension lists should have same length")
    if a._dtype is not b._dtype:
        raise RuntimeError("both inputs should have same dtype")
    if out is not None and out._dtype is not a._dtype:
        raise RuntimeError(
            f"tensordot: Expected the output tensor to have dtype {a._dtype.scalar_type}, but got an output tensor "
            f"with dtype {out._dtype.scalar_type}"
        )
    given = of_a, of_b
    of_a = [geometry.wrap_dim(dim, max(len(a._size), 1)) for dim in of_a]
    of_b = [geometry.wrap_dim(dim, max(len(b._size), 1)) for dim in of_b]
    one, other, length = a, b, 1
    for place, (first, second) in enumerate(zip(of_a, of_b, strict=True)):
        if b._size[second] == 1:
            one = sum_(one, first, True, dtype=one._dtype)
        elif a._size[first] == 1:
            other = sum_(other, second, True, dtype=other._dtype)
        elif a._size[first] != b._size[second]:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {a._size[first]} in dim {given[0][place]} "
                f"and second has size {b._size[second]} in dim {given[1][place]}"
            )
        else:
            length *= a._size[first]
    rest_a = [dim for dim in range(len(a._size)) if dim not in of_a]
    rest_b = [dim for dim in range(len(b._size)) if dim not in of_b]
    size = (*[a._size[dim] for dim in rest_a], *[b._size[dim] for dim in rest_b])
    one, other = one.permute((*rest_a, *of_a)), other.permute((*of_b, *rest_b))
    if math.prod(size) == 1:  # one number: no matrices are needed
        if one.is_contiguous() and other.is_contiguous():
            number = dot(*[tensor if len(tensor._size) == 1 else tensor.reshape((length,)) for tensor in (one, other)])
        else:
            number = sum_(mul(squeeze(one), squeeze(other)), dtype=one._dtype)
        return cast_into_out(view(number, size), out)
    rows, columns = [math.prod(lengths) for lengths in (size[: len(rest_a)], size[len(rest_a) :])]
    product = one.reshape((rows, length)).mm(other.reshape((length, columns)))
    return cast_into_out(product.reshape(size), out)


# --- linalg ----------------------------------------------------------------------------------------------------------


@operator("linear algebra", namespace="linalg", out=True)
def linalg_vecdot(x: Tensor, y: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    """The sums of products along `dim`, the elements of `x` conjugated."""
    check_floating("linalg.vecdot", x)
    check_same_dtype("linalg.vecdot", x=x, y=y)
    if out is not None and out._dtype is not x._dtype:
        raise RuntimeError(
            f"linalg.vecdot: Expected out of dtype{x._dtype.scalar_type} but found {out._dtype.scalar_type}"
        )
    if len(x._size) == len(y._size) == 1:
        return vdot(x, y, out=out)
    return sum_(mul(conj(x), y), dim, out=out)


@operator("linear algebra", namespace="linalg", out=True)
def linalg_matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The matrix product, `torch.matmul`."""
    return matmul(input, other, out=out)


@operator("linear algebra", namespace="linalg")
def linalg_diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The diagonals of the last two dimensions, or of others, as a view."""
    view: Tensor = A.diagonal(offset, dim1, dim2)
    return view


# --- the cross product -----------------------------------------------------------------------------------------------


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
    lengths = [tensor._size[axis] for tensor in (input, other)]
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
    (a, b, c), (x, y, z) = [xp.moveaxis(xp.broadcast_to(array, size), axis, 0) for array in (input, other)]
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


# --- trace and Kronecker's product -----------------------------------------------------------------------------------


def _trace_gradient(grad: Tensor, rows: int, columns: int) -> Tensor:
    places = [row * columns + row for row in range(min(rows, columns))]
    flat = grad.new_zeros(rows * columns).index_fill(0, grad.new_tensor(places, dtype=dtypes.int64), grad)
    return flat.view(rows, columns)


@operator("linear algebra")
@derivative(input=lambda grad, input_size: _trace_gradient(grad, *input_size))
def trace(input: Tensor) -> Tensor:
    """The sum of the elements on a matrix's diagonal. Integers are added as int64."""
    dtype = input._dtype
    if dtype is dtypes.bool:
        raise NotImplementedError("\"trace\" not implemented for 'Bool'")
    if len(input._size) != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {len(input._size)}")
    result = dtype if dtype.category >= dtypes.FLOATING else dtypes.int64
    backend = input._storage.backend
    wide = dtypes.float32 if dtype.is_floating_point and dtype.itemsize == 2 else result
    array = backend.launch(_trace, array_of(input), backend.array_dtype(wide), backend.array_dtype(result))
    return from_array(array, result, input._storage)


def _trace(xp: Any, array: Array, wide: Any, result: Any) -> Array:
    return xp.asarray(xp.trace(array.astype(wide, copy=False))).astype(result, copy=False)


@operator("linear algebra", out=True, differs="operands of every layout are multiplied; PyTorch refuses some")
def kron(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Kronecker product: `other` as often as `input` has elements, each copy multiplied by its element."""
    ndim = max(len(input._size), len(other._size))
    sizes = [(1,) * (ndim - len(tensor._size)) + tensor._size for tensor in (input, other)]
    outer = tuple([length for pair in zip(sizes[0], (1,) * ndim, strict=True) for length in pair])
    inner = tuple([length for pair in zip((1,) * ndim, sizes[1], strict=True) for length in pair])
    if out is not None and is_recorded((input, other)):
        raise no_out_with_gradients("mul")
    product = mul(unsafe_view(input, outer), unsafe_view(other, inner))
    size = tuple([a * b for a, b in zip(*sizes, strict=True)])
    if geometry.view_strides(product._size, product._stride, size) is None:
        product = contiguous(product)
    result: Tensor = unsafe_view(product, size)
    return result if out is None else write_out(array_of(result), result._size, out, result._dtype, (input, other))
