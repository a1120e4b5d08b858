"""Equations whose matrix has been factored by `lu_factor`: linalg.lu_solve, and its older form lu_solve.

With the factors there are only triangles left to solve with, first one, then the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.errors import warn
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.arg_parser.checks import check_tensor
from tensorglass.ops.copies.out import into_out
from tensorglass.ops.declare.registry import Sample, operator, sample
from tensorglass.ops.declare.samples import matrices, values
from tensorglass.ops.linalg.common import (
    check_floating,
    check_kernel,
    check_matrices,
    check_square,
    column_major,
    from_column_major,
    from_row_major,
)
from tensorglass.ops.linalg.lu import lu_unpack, order_of_rows
from tensorglass.ops.linalg.solve_triangular import substituted
from tensorglass.tensor.tensor import Tensor, array_of


def _solution(xp: Any, LU: Array, pivots: Array, B: Array, left: bool, adjoint: bool) -> Array:
    """The solution with each column, or if not `left` each row, without gaps."""
    if not left:  # X A == B as A.mH X.mH == B.mH
        found = _solution(xp, LU, pivots, xp.conj(xp.swapaxes(B, -1, -2)), True, not adjoint)
        return xp.conj(found)
    batch = xp.broadcast_shapes(LU.shape[:-2], B.shape[:-2])
    order = xp.broadcast_to(order_of_rows(xp, pivots, LU.shape[-1])[..., None], (*batch, *B.shape[-2:]))
    B = xp.broadcast_to(B, order.shape)
    if not adjoint:
        moved = xp.take_along_axis(B, order, -2)
        return column_major(xp, substituted(xp, LU, substituted(xp, LU, moved, False, True), True))
    back = xp.conj(xp.swapaxes(LU, -1, -2))
    moved = substituted(xp, back, substituted(xp, back, B, False), True, True)
    return column_major(xp, xp.take_along_axis(moved, xp.argsort(order, axis=-2), -2))


def _of_factors(
    grad: Tensor, LU: Tensor, pivots: Tensor, result: Tensor, left: bool, adjoint: bool
) -> Tensor:  # fmt: skip
    P, L, U = lu_unpack(LU, pivots)
    of_right = _recorded(LU, pivots, grad, left, not adjoint)
    one, other = (of_right, result) if left is not adjoint else (result, of_right)
    of_matrix = -(one @ other.mH) if left else -(one.mH @ other)
    moved = P.mT @ of_matrix
    return (moved @ U.mH).tril(-1) + (L.mH @ moved).triu()


@derivative(
    node="LinalgLuSolveBackward0",
    LU=_of_factors,
    B=lambda grad, LU, pivots, left, adjoint: _recorded(LU, pivots, grad, left, not adjoint),
)
def _solved(LU: Tensor, pivots: Tensor, B: Tensor, left: bool, adjoint: bool) -> Tensor:
    arrays = [array_of(each) for each in (LU, pivots, B)]
    answer = LU._backend.launch(_solution, *arrays, left, adjoint)
    return (from_column_major if left else from_row_major)(answer, LU._dtype, LU._storage)


_recorded: Any = recorded(_solved)


def _check(LU: Tensor, pivots: Tensor, B: Tensor, left: bool) -> None:
    name = "linalg.lu_solve"
    check_floating(f"torch.{name}", LU)
    if LU._dtype is not B._dtype:
        raise RuntimeError(
            f"{name}: Expected LU and B to have the same dtype, but found LU of type {LU._dtype.scalar_type} and B of "
            f"type {B._dtype.scalar_type} instead"
        )
    if pivots._dtype is not dtypes.int32:
        raise RuntimeError(f"{name}: pivots should be a Tensor of scalar type torch.int32")
    check_square(f"torch.{name}", LU)
    check_matrices(name, B, "B")
    if LU._size[-1] != B._size[-2 if left else -1]:
        raise RuntimeError(
            f"{name}: Incompatible shapes of A and B for the equation {'AX' if left else 'XA'} = B "
            f"({LU._size[-2]}x{LU._size[-1]} and {B._size[-2]}x{B._size[-1]})"
        )
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
            if bool(wrong.any()):
                raise RuntimeError(
                    f"Pivots given to lu_solve must all be {words}. Did you properly pass the result of lu_factor?"
                )


def _pivots(*rows: Any) -> Tensor:
    return values(*rows, dtype=dtypes.int32).fill_(rows[-1])


def _equations() -> Iterator[Sample]:
    yield sample(matrices(3, 3), _pivots(3), values(3, 2))
    yield sample(matrices(3, 3), _pivots(3), values(2, 3), left=False)
    yield sample(matrices(2, 3, 3, seed=1), _pivots(2, 3), values(3, 2), adjoint=True)
    yield sample(matrices(3, 3, seed=1), _pivots(3), values(2, 2, 3), left=False, adjoint=True)
    yield sample(values(0, 0), values(0, dtype=dtypes.int32), values(0, 2))


@operator("linear algebra", namespace="linalg", out=True, samples=_equations)
def linalg_lu_solve(
    LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False, out: Tensor | None = None
) -> Tensor:
    """The `X` for which ``A @ X == B``, or ``X @ A == B`` if not `left`, of the `A` that `lu_factor` factored.

    If `adjoint`, of ``A.mH``.
    """
    check_tensor("linalg_lu_solve", LU, "LU")
    check_tensor("linalg_lu_solve", pivots, "pivots", 2)
    check_tensor("linalg_lu_solve", B, "B", 3)
    _check(LU, pivots, B, left)
    return into_out(_recorded(LU, pivots, B, left, adjoint), out)


_ADVICE = (
    "torch.lu_solve is deprecated in favor of torch.linalg.lu_solveand will be removed in a future PyTorch "
    "release.\n"
    "Note that torch.linalg.lu_solve has its arguments reversed.\nX = torch.lu_solve(B, LU, pivots)\nshould be "
    "replaced with\nX = torch.linalg.lu_solve(LU, pivots, B)"
)


def _old_equations() -> Iterator[Sample]:
    yield sample(values(3, 2), matrices(3, 3), _pivots(3))
    yield sample(values(3, 2), matrices(2, 3, 3, seed=1), _pivots(2, 3))


@operator("linear algebra", out=True, samples=_old_equations)
def lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`linalg.lu_solve` with its arguments turned round."""
    check_tensor("lu_solve", input)
    check_tensor("lu_solve", LU_data, "LU_data", 2)
    check_tensor("lu_solve", LU_pivots, "LU_pivots", 3)
    warn(_ADVICE)
    return linalg_lu_solve(LU_data, LU_pivots, input, out=out)
