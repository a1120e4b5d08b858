"""A matrix as a permutation of a lower triangular matrix times an upper one: lu_factor, lu_factor_ex, lu, lu_unpack;
and equations whose matrix has been factored so: lu_solve.

The factors record Gaussian elimination. Below the diagonal, where elimination left zeros, are the numbers that rows
were multiplied by; `pivots` says for each step which row was exchanged with the step's row. An equation is then solved
by substitution, first with one triangle, then with the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.errors import explained, warn
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.arg_parser.checks import all_tensors, check_tensor, holds_somewhere, type_name
from tensorglass.ops.copies.out import all_into_out, into_out
from tensorglass.ops.declare import return_types
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.linalg.common import (
    check_equation,
    check_floating,
    check_kernel,
    check_matrices,
    check_same_dtype,
    check_square,
    column_major,
    flattened,
    from_column_major,
    from_row_major,
    launch,
    refuse_failure,
    routine,
    takes_lapack,
)
from tensorglass.ops.linalg.solve_triangular import solve_with, substituted
from tensorglass.ops.rearrange.cat_stack import cat
from tensorglass.ops.rearrange.pad import constant_pad_nd
from tensorglass.tensor.tensor import Tensor, array_of

# --- kernels ---------------------------------------------------------------------------------------------------------


def lu_factors(xp: Any, A: Array) -> tuple[Array, Array, Array]:
    """Both factors in one matrix, the exchanges, counted from 1, and which pivot was the first that is zero, or 0."""
    matrices = flattened(A)
    if A.size and takes_lapack(xp, matrices):
        factor = routine(xp, "getrf", A)
        factored = [factor(matrix) for matrix in matrices]
        LU, pivots = xp.stack([factors for factors, _, _ in factored]), xp.stack([row for _, row, _ in factored]) + 1
        info = xp.asarray([failure for *_, failure in factored])
    else:
        LU, pivots, info = _eliminate(xp, matrices)
    count = min(A.shape[-2:])
    LU, pivots = LU.reshape(A.shape), pivots.reshape((*A.shape[:-2], count)).astype("int32")
    return column_major(xp, LU), pivots, info.reshape(A.shape[:-2]).astype("int32")


def _eliminate(xp: Any, matrices: Array) -> tuple[Array, Array, Array]:
    """The same without LAPACK, step by step for all matrices together."""
    work = xp.array(matrices)
    number, count = xp.arange(len(work)), min(work.shape[1:])
    pivots, info = xp.zeros((len(work), count), "int32"), xp.zeros(len(work), "int32")
    for step in range(count):
        column = work[:, step:, step]
        sizes = xp.absolute(column.real) + xp.absolute(column.imag)  # LAPACK chooses the pivot by this size
        chosen = step + xp.argmax(sizes, axis=1)
        pivots[:, step] = chosen + 1
        upper = work[:, step].copy()
        work[:, step] = work[number, chosen]
        work[number, chosen] = upper
        head = work[:, step, step]
        info = xp.where((head == 0) & (info == 0), step + 1, info)
        factor = work[:, step + 1 :, step] / xp.where(head == 0, 1, head)[:, None]
        work[:, step + 1 :, step] = factor
        work[:, step + 1 :, step + 1 :] -= factor[:, :, None] * work[:, None, step, step + 1 :]
    return work, pivots, info


def _order_of_rows(xp: Any, pivots: Array, rows: int) -> Array:
    """For each row of the factors, the row of the matrix that it came from: the exchanges applied in turn."""
    orders = []
    for steps in flattened(pivots, 1).tolist():
        order = list(range(rows))
        for step, other in enumerate(steps):
            order[step], order[other - 1] = order[other - 1], order[step]
        orders.append(order)
    return xp.asarray(orders, "int64").reshape((*pivots.shape[:-1], rows))


def _permutation(xp: Any, LU: Array, pivots: Array) -> Array:
    rows = LU.shape[-2]
    order = _order_of_rows(xp, pivots, rows)
    return xp.ascontiguousarray(xp.arange(rows)[:, None] == order[..., None, :], LU.dtype)


def _triangles(xp: Any, LU: Array) -> tuple[Array, Array]:
    rows, columns = LU.shape[-2:]
    count = min(rows, columns)
    lower = xp.tril(LU[..., :count], -1) + xp.eye(rows, count, dtype=LU.dtype)
    return xp.ascontiguousarray(lower), xp.ascontiguousarray(xp.triu(LU[..., :count, :]))


# --- derivatives -----------------------------------------------------------------------------------------------------


def _lu_gradient(P: Tensor, L: Tensor, U: Tensor, of_lower: Tensor, of_upper: Tensor) -> Tensor:
    """The gradient of ``P @ L @ U``, from those of both triangles.

    In a tall matrix the rows below the square belong to L alone; in a wide one the columns right of it belong to U
    alone.
    """
    rows, columns = L._size[-2], U._size[-1]
    count = min(rows, columns)
    square, top = L.narrow(-2, 0, count), U.narrow(-1, 0, count)
    inner = (L.mH @ of_lower).tril(-1) + (of_upper @ U.mH).triu()
    if columns > count:
        behind = of_upper.narrow(-1, count, columns - count)
        rest = U.narrow(-1, count, columns - count)
        inner = (L.mH @ of_lower - behind @ rest.mH).tril(-1) + (of_upper.narrow(-1, 0, count) @ top.mH).triu()
        inner = cat([_divided(inner, top), behind], -1)
        return P @ solve_with(square.mH, inner, True, True, True)
    if rows > count:
        below = of_lower.narrow(-2, count, rows - count)
        left = square.mH @ of_lower.narrow(-2, 0, count)
        inner = left.tril(-1) + (of_upper @ U.mH - L.narrow(-2, count, rows - count).mH @ below).triu()
        inner = cat([solve_with(square.mH, inner, True, True, True), below], -2)
        return P @ _divided(inner, top)
    return P @ solve_with(square.mH, _divided(inner, top), True, True, True)


def _divided(matrix: Tensor, upper: Tensor) -> Tensor:
    """``matrix @ upper.mH.inverse()``."""
    return solve_with(upper.mH, matrix, False, False, False)


def _of_factors(grads: Sequence[Tensor], results: Sequence[Tensor]) -> Tensor:
    L, U, P = results
    return _lu_gradient(P, L, U, *grads[:2])


def _of_both_in_one(grad: Tensor, results: Sequence[Tensor]) -> Tensor:
    LU, pivots, _ = results
    count = min(LU._size[-2:])
    P, L, U = lu_unpack(LU, pivots)
    return _lu_gradient(P, L, U, grad.narrow(-1, 0, count).tril(-1), grad.narrow(-2, 0, count).triu())


def _of_triangles(grads: Sequence[Tensor], LU_data_size: tuple[int, ...]) -> Tensor:
    rows, columns = LU_data_size[-2:]
    lower, upper = grads[0].tril(-1), grads[1].triu()
    if rows > columns:
        upper = constant_pad_nd(upper, (0, 0, 0, rows - columns))
    if columns > rows:
        lower = constant_pad_nd(lower, (0, columns - rows))
    return lower + upper


# --- what is recorded: the permutation comes last, for it moves in steps, and no gradient flows through it -----------


def _check_factorable(name: str, A: Tensor, pivot: bool) -> None:
    if len(A._size) < 2:
        raise RuntimeError(f"{name}: Expected tensor with 2 or more dimensions. Got size: {list(A._size)} instead")
    check_kernel("lu_cpu", A)
    if not pivot:
        raise explained(
            RuntimeError("linalg.lu_factor: LU without pivoting is not implemented on the CPU"),
            "Rows are exchanged so that nothing is divided by a small number.",
        )


@recorded
@derivative(node="LinalgLuFactorExBackward0", outputs=1, A=_of_both_in_one)
def _factored(A: Tensor, pivot: bool) -> tuple[Tensor, Tensor, Tensor]:
    _check_factorable("torch.lu_factor", A, pivot)
    both, pivots, info = launch(lu_factors, A)
    storage = A._storage
    return (
        from_column_major(both, A._dtype, storage),
        from_row_major(pivots, dtypes.int32, storage),
        from_row_major(info, dtypes.int32, storage),
    )


@recorded
@derivative(node="LinalgLuBackward0", outputs=2, A=_of_factors)
def _in_three(A: Tensor, pivot: bool) -> tuple[Tensor, Tensor, Tensor]:
    _check_factorable("linalg.lu", A, pivot)
    LU, pivots, _ = _factored(A, pivot)
    return _unpacked(LU, pivots)


@recorded
@derivative(node="LuUnpackBackward0", outputs=2, LU_data=_of_triangles)
def _unpacked(LU_data: Tensor, LU_pivots: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    lower, upper = LU_data._backend.launch(_triangles, array_of(LU_data))
    storage, dtype = LU_data._storage, LU_data._dtype
    return from_row_major(lower, dtype, storage), from_row_major(upper, dtype, storage), _permuting(LU_data, LU_pivots)


def _permuting(LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    arrays = array_of(LU_data), array_of(LU_pivots)
    return from_row_major(LU_data._backend.launch(_permutation, *arrays), LU_data._dtype, LU_data._storage)


# --- operators -------------------------------------------------------------------------------------------------------


_ZERO_PIVOT = (
    "U[{0},{0}] is zero and using it on lu_solve would result in a division by zero. If you still want to perform the "
    "factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)"
)


@operator("linear algebra", signatures=None)
def lu(A: Tensor, pivot: bool = True, get_infos: bool = False, out: Sequence[Tensor] | None = None) -> Any:
    """The older form of `linalg.lu_factor`: a tuple, with the numbers of zero pivots if `get_infos`."""
    check_tensor("_lu_with_info", A)
    if not isinstance(pivot, bool):
        raise TypeError(f"_lu_with_info(): argument 'pivot' must be bool, not {type_name(pivot)}")
    LU, pivots, info = _factored(A, pivot)
    parts = (LU, pivots, info) if get_infos else (LU, pivots)
    if out is None:
        return parts
    if not isinstance(out, tuple | list):
        raise TypeError(f"argument 'out' must be tuple of Tensors, not {type_name(out)}")
    if len(out) != 3:
        raise TypeError(f"expected tuple of 3 elements but got {len(out)}")
    all_tensors(out)
    return tuple([into_out(result, target) for result, target in zip(parts, out, strict=False)])


@operator("linear algebra", namespace="linalg")
def linalg_lu_factor(A: Tensor, *, pivot: bool = True, out: Sequence[Tensor] | None = None) -> Any:
    """Both triangular factors in one matrix, as `lu_solve` takes them, and the exchanges of rows.

    Raises RuntimeError where a pivot is zero: `lu_factor_ex` does not.
    """
    LU, pivots, info = _factored(A, pivot)
    refuse_failure("torch.linalg.lu_factor", info, _ZERO_PIVOT, RuntimeError)
    return all_into_out(return_types.linalg_lu_factor, (LU, pivots), out)


@operator("linear algebra", namespace="linalg")
def linalg_lu_factor_ex(
    A: Tensor, *, pivot: bool = True, check_errors: bool = False, out: Sequence[Tensor] | None = None
) -> Any:
    """`lu_factor`, and for each matrix which pivot was the first that is zero, from 1; 0 where none is."""
    factored = _factored(A, pivot)
    if check_errors:
        refuse_failure("torch.linalg.lu_factor_ex", factored[2], _ZERO_PIVOT, RuntimeError)
    return all_into_out(return_types.linalg_lu_factor_ex, factored, out)


@operator("linear algebra", namespace="linalg")
def linalg_lu(A: Tensor, *, pivot: bool = True, out: Sequence[Tensor] | None = None) -> Any:
    """The permutation `P`, the lower triangular `L` with ones on its diagonal, and `U`: ``P @ L @ U == A``."""
    L, U, P = _in_three(A, pivot)
    return all_into_out(return_types.linalg_lu, (P, L, U), out)


@operator("linear algebra", method=False)
def lu_unpack(
    LU_data: Tensor,
    LU_pivots: Tensor,
    unpack_data: bool = True,
    unpack_pivots: bool = True,
    *,
    out: Sequence[Tensor] | None = None,
) -> Any:
    """`P`, `L` and `U` of what `lu_factor` gave; empty tensors for those that are not asked for."""
    if len(LU_data._size) < 2:
        raise RuntimeError(
            f"torch.lu_unpack: Expected tensor with 2 or more dimensions. Got size: {list(LU_data._size)} instead"
        )
    if unpack_pivots:
        _check_pivots(LU_data, LU_pivots)
    empty = [LU_data.new_empty((0,)) for _ in range(3)]
    if not unpack_data:
        P, L, U = _permuting(LU_data, LU_pivots) if unpack_pivots else empty[0], *empty[1:]
    else:
        of_nothing = LU_pivots if unpack_pivots else LU_pivots.new_empty((*LU_data._size[:-2], 0), dtype=dtypes.int32)
        L, U, P = _unpacked(LU_data, of_nothing)
        P = P if unpack_pivots else empty[0]
    return all_into_out(return_types.lu_unpack, (P, L, U), out)


def _check_pivots(LU_data: Tensor, LU_pivots: Tensor) -> None:
    if LU_pivots._dtype is not dtypes.int32:
        raise explained(
            RuntimeError("torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype."),
            "It is intended to be given what linalg.lu_factor returned.",
        )
    if LU_pivots.numel() and holds_somewhere((LU_pivots < 1) | (LU_pivots > LU_data._size[-2])):
        raise RuntimeError(
            "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive.Did you properly pass the result "
            "of lu_factor?"
        )


# --- equations -------------------------------------------------------------------------------------------------------


def _lu_solution(xp: Any, LU: Array, pivots: Array, B: Array, left: bool, adjoint: bool) -> Array:
    """The solution, contiguous column by column, or row by row if not `left`."""
    if not left:  # X A == B as A.mH X.mH == B.mH
        solution = _lu_solution(xp, LU, pivots, xp.conj(xp.swapaxes(B, -1, -2)), True, not adjoint)
        return xp.conj(solution)
    batch = xp.broadcast_shapes(LU.shape[:-2], B.shape[:-2])
    order = xp.broadcast_to(_order_of_rows(xp, pivots, LU.shape[-1])[..., None], (*batch, *B.shape[-2:]))
    B = xp.broadcast_to(B, order.shape)
    if not adjoint:
        moved = xp.take_along_axis(B, order, -2)
        return column_major(xp, substituted(xp, LU, substituted(xp, LU, moved, False, True), True))
    back = xp.conj(xp.swapaxes(LU, -1, -2))
    moved = substituted(xp, back, substituted(xp, back, B, False), True, True)
    return column_major(xp, xp.take_along_axis(moved, xp.argsort(order, axis=-2), -2))


def _of_factors_solved_with(
    grad: Tensor, LU: Tensor, pivots: Tensor, result: Tensor, left: bool, adjoint: bool
) -> Tensor:  # fmt: skip
    P, L, U = lu_unpack(LU, pivots)
    of_right = _lu_of_right(grad, LU, pivots, left, adjoint)
    one, other = (of_right, result) if left is not adjoint else (result, of_right)
    of_matrix = -(one @ other.mH) if left else -(one.mH @ other)
    moved = P.mT @ of_matrix
    return (moved @ U.mH).tril(-1) + (L.mH @ moved).triu()


def _lu_of_right(grad: Tensor, LU: Tensor, pivots: Tensor, left: bool, adjoint: bool) -> Tensor:
    return _solved(LU, pivots, grad, left, not adjoint)


@recorded
@derivative(node="LinalgLuSolveBackward0", LU=_of_factors_solved_with, B=_lu_of_right)
def _solved(LU: Tensor, pivots: Tensor, B: Tensor, left: bool, adjoint: bool) -> Tensor:
    arrays = [array_of(tensor) for tensor in (LU, pivots, B)]
    answer = LU._backend.launch(_lu_solution, *arrays, left, adjoint)
    return (from_column_major if left else from_row_major)(answer, LU._dtype, LU._storage)


def _check_equation(LU: Tensor, pivots: Tensor, B: Tensor, left: bool) -> None:
    name = "linalg.lu_solve"
    check_floating(f"torch.{name}", LU)
    check_same_dtype(name, LU=LU, B=B)
    if pivots._dtype is not dtypes.int32:
        raise RuntimeError(f"{name}: pivots should be a Tensor of scalar type torch.int32")
    check_square(f"torch.{name}", LU)
    check_matrices(name, B, "B")
    check_equation(name, LU, B._size, left)
    if pivots._size[-1:] != LU._size[-1:]:
        raise RuntimeError(f"{name}: Number of pivots per batch should be same as the dimension of the matrix")
    if pivots._size != LU._size[:-1]:
        raise RuntimeError(
            f"{name}: Expected LU.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
            f"{list(pivots._size)} instead"
        )
    geometry.broadcast_shapes(LU._size[:-2], B._size[:-2])
    check_kernel(f"{name}_cpu", LU)
    if B.numel() and LU.numel():
        for wrong, words in (
            (pivots < 1, "greater or equal to 1"),
            (pivots > LU._size[-2], "smaller or equal to LU.size(-2)"),
        ):
            if holds_somewhere(wrong):
                raise RuntimeError(
                    f"Pivots given to lu_solve must all be {words}. Did you properly pass the result of lu_factor?"
                )


@operator("linear algebra", namespace="linalg", out=True)
def linalg_lu_solve(
    LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False, out: Tensor | None = None
) -> Tensor:
    """The `X` for which ``A @ X == B``, or ``X @ A == B`` if not `left`, of the `A` that `lu_factor` factored.

    If `adjoint`, of ``A.mH``.
    """
    _check_equation(LU, pivots, B, left)
    return into_out(_solved(LU, pivots, B, left, adjoint), out)


@operator("linear algebra", out=True)
def lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`linalg.lu_solve`, with the right side first: the `X` for which ``A @ X == input``."""
    warn(
        "torch.lu_solve is deprecated in favor of torch.linalg.lu_solveand will be removed in a future PyTorch "
        "release.\nNote that torch.linalg.lu_solve has its arguments reversed.\nX = torch.lu_solve(B, LU, pivots)\n"
        "should be replaced with\nX = torch.linalg.lu_solve(LU, pivots, B)"
    )
    solution: Tensor = linalg_lu_solve(LU_data, LU_pivots, input, out=out)
    return solution
