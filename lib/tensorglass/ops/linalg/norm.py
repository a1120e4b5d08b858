"""Norms of vectors and matrices: norm and dist, and linalg's vector_norm, matrix_norm, norm and cond."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

from tensorglass import geometry
from tensorglass.core import dtypes
from tensorglass.core.dtypes import dtype as DType
from tensorglass.graph.derivative import derivative
from tensorglass.ops.arg_parser.checks import check_tensor, type_name
from tensorglass.ops.copies.out import cast_into_out, check_safe_cast
from tensorglass.ops.declare.reduction import Dims, axes_of, reduce
from tensorglass.ops.declare.registry import FUNCTIONS, operator
from tensorglass.ops.declare.type_promotion import check_out_dtype
from tensorglass.ops.derivatives.shared import norm_backward
from tensorglass.ops.derivatives.view_nodes import slice_view
from tensorglass.ops.kernels import sum as kernels
from tensorglass.ops.kernels.python_numbers import NUMBERS
from tensorglass.ops.linalg.common import check_floating, check_matrices, check_square
from tensorglass.ops.linalg.inv_solve import inv_ex
from tensorglass.ops.linalg.svd_qr import svdvals
from tensorglass.ops.pointwise.arithmetic import sub
from tensorglass.ops.reductions.max_min import amax, amin
from tensorglass.ops.reductions.sum_mean_prod import sum as sum_
from tensorglass.ops.views.shape import permute, unsqueeze
from tensorglass.tensor.tensor import Tensor


def check_norm_dtype(name: str, input: Tensor, dtype: DType | None) -> None:
    """Raise unless a norm of `input` can be computed in `dtype`."""
    check_floating(name, input)
    if dtype is None:
        return
    if dtype.category < dtypes.FLOATING:
        raise RuntimeError(f"{name}: dtype should be floating point or complex, but got {dtype.scalar_type}")
    if dtype.is_complex != input._dtype.is_complex:
        kind = "complex" if input._dtype.is_complex else "real"
        raise RuntimeError(f"{name}: dtype should be {kind} for {kind} inputs, but got {dtype.scalar_type}")
    if dtypes.promote_types(input._dtype, dtype) is not dtype:
        raise RuntimeError(
            f"{name}: the dtype of the input ({input._dtype.scalar_type}) should be convertible without narrowing to "
            f"the specified dtype ({dtype.scalar_type})"
        )


def order_of_norm(order: Any) -> Any:
    """The order as a number, if a 0-dim tensor that needs no gradient holds it."""
    return order.item() if isinstance(order, Tensor) and not order._size and not order.requires_grad else order


@operator("reduction", out=True)
@derivative(
    node=lambda p: None if p == "nuc" else "LinalgVectorNormBackward0",  # "nuc" is recorded step by step
    input=lambda grad, input, result, p, dim, keepdim: (
        None if p == 0 else norm_backward(grad, input, result, p, dim, keepdim)  # a number of elements
    ),
)
def norm(
    input: Tensor,
    p: float | str | None = "fro",
    dim: Dims = None,
    keepdim: bool = False,
    *,
    out: Tensor | None = None,
    dtype: DType | None = None,
) -> Tensor:
    """The vector norm of order `p` over dimensions `dim`, or over all; with `dtype` of the elements converted to it."""
    p = order_of_norm(p)
    if isinstance(p, str) and (p != "fro" or not (dim is None or isinstance(dim, int) or len(dim) <= 2)):
        several = list(range(len(input._size))) if dim is None else [dim] if isinstance(dim, int) else dim
        given = {} if out is None else {"out": out}
        return FUNCTIONS["linalg.matrix_norm"](input, p, several, keepdim, dtype=dtype, **given)  # it refuses by name
    check_norm_dtype("linalg.vector_norm", input, dtype)
    if dtype is not None:
        input = input.to(dtype)
    check_out_dtype(out, input._dtype.to_real())
    if p is not None and not isinstance(p, (str, *NUMBERS)):
        raise TypeError(f"linalg_vector_norm(): argument 'ord' (position 2) must be Number, not {type_name(p)}")
    several = dim if isinstance(dim, (tuple, list)) else () if dim is None else (dim,)
    if any(isinstance(position, bool) or not hasattr(position, "__index__") for position in several):
        wanted = f"tuple of ints, not {type_name(dim)}"
        if isinstance(dim, (tuple, list)):
            wanted = f"tuple of ints, but found element of type {type_name(dim[0])} at pos 0"
        raise TypeError(f"linalg_vector_norm(): argument 'dim' (position 3) must be {wanted}")
    if isinstance(p, complex):
        raise RuntimeError("linalg.vector_norm: Expected a non-complex scalar as the order of norm.")
    order = 2.0 if p in ("fro", None) else float(p)
    axes = axes_of(len(input._size), dim)
    if order < 0 or order == float("inf"):
        refuse_empty(input, order, dim, axes)
    return reduce(kernels.norm, input, axes, keepdim, input._dtype, input._dtype.to_real(), out, order=order)


def refuse_empty(input: Tensor, order: float, dim: Dims, axes: Sequence[int]) -> None:
    """A largest and a smallest element are there only where there are elements."""
    shown = f"linalg.vector_norm cannot compute the {order:g} norm on"
    if dim is None and 0 in input._size:
        raise RuntimeError(f"{shown} an empty tensor because the operation does not have an identity")
    for axis in axes:
        if input._size and input._size[axis] == 0:
            raise RuntimeError(
                f"{shown} the dimension {axis}because this dimension is empty and the operation does not have an "
                "identity"
            )


@operator("linear algebra")
@derivative(
    input=lambda grad, input, other, result, p: norm_backward(grad, input - other, result, p, None, False),
    other=lambda grad, input, other, result, p: -norm_backward(grad, input - other, result, p, None, False),
)
def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """The norm of order `p` of the difference."""
    check_tensor("dist", input)
    difference = sub(input, other)
    _check_floating(difference)
    return norm(difference, p)


def _check_floating(input: Tensor) -> None:
    if input._dtype.category < dtypes.FLOATING:
        raise RuntimeError(
            f"norm(): input dtype should be either floating point or complex. Got {input._dtype.scalar_type} instead."
        )


# --- under the names of linalg ---------------------------------------------------------------------------------------

_Dims = int | Sequence[int] | None


# --- vectors ---------------------------------------------------------------------------------------------------------


def _refuse_complex_order(name: str, order: Any) -> None:
    if isinstance(order, complex):
        raise RuntimeError(f"{name}: Expected a non-complex scalar as the order of norm.")


def _vector_norm(x: Tensor, order: float, dim: _Dims, keepdim: bool, dtype: DType | None, out: Tensor | None) -> Tensor:
    check_norm_dtype("linalg.vector_norm", x, dtype)
    _refuse_complex_order("linalg.vector_norm", order)
    if order < 0 or order == inf:
        axes = range(len(x._size)) if dim is None or dim == () else [dim] if isinstance(dim, int) else dim
        refuse_empty(x, order, dim, axes)
    if dtype is not None:
        x = x.to(dtype)
    check_out_dtype(out, x._dtype.to_real())
    return norm(x, order, dim, keepdim, out=out)


@operator("linear algebra", namespace="linalg", out=True)
def linalg_vector_norm(
    x: Tensor,
    ord: float = 2,
    dim: int | Sequence[int] | None = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The norm of order `ord` of the elements along `dim`, or of all elements as one vector."""
    return _vector_norm(x, order_of_norm(ord), dim, keepdim, dtype, out)


# --- matrices --------------------------------------------------------------------------------------------------------


def _matrix_norm(
    A: Tensor, order: float | str, dim: Sequence[int], keepdim: bool, dtype: DType | None, out: Tensor | None
) -> Tensor:
    name = "linalg.matrix_norm"
    _refuse_complex_order(name, order)
    if order not in ("fro", "nuc", 2, -2, 1, -1, inf, -inf):
        raise RuntimeError(f"{name}: Order {order if isinstance(order, str) else f'{order:g}'} not supported.")
    check_matrices(name, A)
    check_floating(name, A, halves=order not in ("nuc", 2, -2))
    if len(dim) != 2:
        raise RuntimeError(f"{name}: dim must be a 2-tuple. Got {' '.join(map(str, dim))}")
    rows, columns = [geometry.wrap_dim(axis, len(A._size)) for axis in dim]
    if rows == columns:
        raise RuntimeError(f"{name}: dims must be different. Got ({rows}, {columns})")
    check_norm_dtype(name, A, dtype)
    real = (dtype or A._dtype).to_real()
    if out is not None and out._dtype is not real:
        raise RuntimeError(f"{name} expected out tensor dtype {real.scalar_type} but got: {out._dtype.scalar_type}")
    if order == "fro":
        return _vector_norm(A, 2, (rows, columns), keepdim, dtype, out)
    if dtype is not None:
        A = A.to(dtype)
    if order in ("nuc", 2, -2):
        return cast_into_out(_by_singular_values(A, order, rows, columns, keepdim), out)
    summed, left = (rows, columns) if abs(order) == 1 else (columns, rows)  # type: ignore[arg-type]  # a number
    if not keepdim and left > summed:
        left -= 1
    sums = _vector_norm(A, 1, summed, keepdim, None, None)
    return cast_into_out(_extreme(order, sums, left, keepdim), out)


def _extreme(order: float | str, sizes: Tensor, dim: int, keepdim: bool) -> Tensor:
    """The largest of non-negative sizes if `order` is above 0, else the smallest; the largest of no sizes is 0."""
    if order < 0:  # type: ignore[operator]  # a number: strings went before
        return amin(sizes, dim, keepdim)
    return amax(sizes, dim, keepdim) if sizes._size[dim] else sum_(sizes, dim, keepdim)


def _by_singular_values(A: Tensor, order: float | str, rows: int, columns: int, keepdim: bool) -> Tensor:
    last = [*[dim for dim in range(len(A._size)) if dim not in (rows, columns)], rows, columns]
    singular_values = svdvals(permute(A, last))
    result = sum_(singular_values, -1, keepdim) if order == "nuc" else _extreme(order, singular_values, -1, keepdim)
    return permute(unsqueeze(result, -1), [last.index(dim) for dim in range(len(last))]) if keepdim else result


@operator(
    "linear algebra",
    namespace="linalg",
    out=True,
    signatures=(
        "(Tensor input, Number ord, tuple of ints dim = {-2,-1}, bool keepdim = False, *, torch.dtype dtype = None, "
        "Tensor out = None)",
        '(Tensor input, str ord = "fro", tuple of ints dim = {-2,-1}, bool keepdim = False, *, torch.dtype dtype = '
        "None, Tensor out = None)",
    ),
)
def linalg_matrix_norm(
    A: Tensor,
    ord: float | str = "fro",
    dim: Sequence[int] = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The norm of matrices: "fro" the root of the sum of squares, "nuc" the sum of singular values, 2 the largest of
    them, 1 and inf the largest sum of a column and of a row; the smallest for -2, -1, -inf.
    """
    return _matrix_norm(A, ord, dim, keepdim, dtype, out)


@operator(
    "linear algebra",
    namespace="linalg",
    out=True,
    signatures=(
        "(Tensor input, Number ord = None, tuple of ints or int dim = None, bool keepdim = False, *, torch.dtype dtype "
        "= None, Tensor out = None)",
        "(Tensor input, str ord, tuple of ints or int dim = None, bool keepdim = False, *, torch.dtype dtype = None, "
        "Tensor out = None)",
    ),
)
def linalg_norm(
    input: Tensor,
    ord: float | str | None = None,
    dim: int | Sequence[int] | None = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The norm of a vector where `dim` is one dimension, of a matrix where it is two; without `ord` that of all."""
    axes = None if dim is None else geometry.as_ints(dim)
    count = len(input._size) if axes is None else len(axes)
    if axes is not None and count not in (1, 2):
        raise RuntimeError(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(axes)}")
    if ord is not None and count not in (1, 2):
        raise RuntimeError(
            f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {count}D."
        )
    if ord is None:
        result = _vector_norm(input, 2, axes, keepdim, dtype, None)
    elif isinstance(ord, str) or count == 2:
        result = _matrix_norm(input, ord, (-2, -1) if axes is None else axes, keepdim, dtype, None)
    else:
        result = _vector_norm(input, ord, axes, keepdim, dtype, None)
    if out is not None and out._dtype is not result._dtype:
        raise RuntimeError(
            f"linalg.norm expected out tensor dtype {result._dtype.scalar_type} but got: {out._dtype.scalar_type}"
        )
    return cast_into_out(result, out)


# --- how far from singular -------------------------------------------------------------------------------------------


def _check_cond(input: Tensor, order: str) -> None:
    check_square(f"linalg.cond(ord={order})", input)


@operator(
    "linear algebra",
    namespace="linalg",
    out=True,
    signatures=("(Tensor input, Number p = None, *, Tensor out = None)", "(Tensor input, str p, *, Tensor out = None)"),
)
def linalg_cond(input: Tensor, p: float | str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The condition number: the norm of a matrix times that of its inverse, inf where it has none."""
    if len(input._size) < 2:
        raise RuntimeError("linalg.cond: The input tensor must have at least 2 dimensions.")
    if isinstance(p, str):
        _check_cond(input, p)
    if p not in (None, "fro", "nuc", 2, -2, 1, -1, inf, -inf):
        shown = f"{p:g}" if isinstance(p, (int, float)) else p
        raise RuntimeError(f"linalg.cond got an invalid norm type: {shown}")
    if 0 in input._size:
        result = input.new_zeros(input._size[:-2], dtype=input._dtype.to_real())
        result._written()  # PyTorch fills it
    elif p is None or p in (2, -2):
        singular_values = svdvals(input)
        first, last = slice_view(singular_values, -1, 0, 1), slice_view(singular_values, -1, -1)
        result = (last / first if p == -2 else first / last).squeeze(-1)
    else:
        _check_cond(input, f"{p:g}" if isinstance(p, (int, float)) else p)
        if p == "nuc":
            check_floating("linalg.svd", input)
        inverse, info = inv_ex(input)
        of_input = _matrix_norm(input, p, (-2, -1), False, None, None)
        inverse = inverse.masked_fill((info != 0).unsqueeze(-1).unsqueeze(-1), inf)
        of_inverse = _matrix_norm(inverse, p, (-2, -1), False, None, None)
        result = (of_input * of_inverse).nan_to_num(inf, inf, -inf)
    check_safe_cast("linalg.cond", result, out)
    return cast_into_out(result, out)
