"""Sums of products of two tensors' elements over chosen dimensions: vdot, inner, tensordot, linalg.vecdot."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tensorglass import geometry
from tensorglass.graph.derivative import derivative
from tensorglass.ops.arg_parser.checks import check_tensor
from tensorglass.ops.copies.copy import copy_
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.run_pointwise import resize_output
from tensorglass.ops.derivatives.formulas import conj
from tensorglass.ops.linalg.common import check_floating, check_same_dtype
from tensorglass.ops.linalg.matmul import dot, matmul, mm
from tensorglass.ops.pointwise.arithmetic import mul
from tensorglass.ops.reductions.sum_mean_prod import sum as sum_
from tensorglass.ops.views.shape import diagonal, permute, reshape, squeeze, view
from tensorglass.tensor.tensor import Tensor

Dims = int | Sequence[int] | Sequence[Sequence[int]]


@operator("linear algebra", out=True, aliases=("ger",))
def outer(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The products of each element of one vector with each of another: a matrix."""
    for name, vector in (("self", input), ("vec2", vec2)):
        if len(vector._size) != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {len(vector._size)}-D")
    column = reshape(input, (input._size[0], 1))
    return mul(column, vec2) if out is None else mul(column, vec2, out=out)


@operator("linear algebra", out=True)
@derivative(input=lambda grad, other: conj(grad) * other, other=lambda grad, input: grad * input)
def vdot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sum of the products of two vectors' elements, those of the first conjugated."""
    if other._conj and not input._conj and out is None:
        made = dot(input, conj(other))
        made._conj = True  # it is conjugated when it is read
        return made
    return dot(conj(input), other, out=out)


@operator("linear algebra", out=True)
def inner(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sums of products over the last dimension of both, for each pair of what comes before; a number scales."""
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
    if isinstance(dims, Tensor):
        dims = dims.tolist() if dims.numel() > 1 else int(dims.item())
    if isinstance(dims, (tuple, list)) and not isinstance(dims[0], (tuple, list)):
        raise TypeError(
            f"tensordot(): argument 'dims_self' (position 3) must be tuple of ints, not {type(dims[0]).__name__}"
        )
    if not isinstance(dims, (int, tuple, list)):
        raise RuntimeError(
            "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] containing two lists, "
            f"but got dims={dims}"
        )
    if isinstance(dims, (tuple, list)):
        of_a, of_b = [list(each) if isinstance(each, (tuple, list)) else [each] for each in dims]
    else:
        count = int(dims)
        if count < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={count}")
        if count > min(len(a._size), len(b._size)):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={count}")
        of_a, of_b = list(range(-count, 0)), list(range(count))
    return _contracted(a, b, of_a, of_b, out)


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
    one, other = permute(one, (*rest_a, *of_a)), permute(other, (*of_b, *rest_b))
    if math.prod(size) == 1:  # one number: no matrices are needed
        if one.is_contiguous() and other.is_contiguous():
            number = dot(*[each if len(each._size) == 1 else reshape(each, (length,)) for each in (one, other)])
        else:
            number = sum_(mul(squeeze(one), squeeze(other)), dtype=one._dtype)
        return _written_to(view(number, size), out)
    rows, columns = [math.prod(each) for each in (size[: len(rest_a)], size[len(rest_a) :])]
    return _written_to(reshape(mm(reshape(one, (rows, length)), reshape(other, (length, columns))), size), out)


def _written_to(result: Tensor, out: Tensor | None) -> Tensor:
    """The result, written to `out` if there is one."""
    if out is None:
        return result
    if out._size != result._size:
        resize_output(out, result._size)
    return copy_(out, result)


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
    return diagonal(A, offset, dim1, dim2)
