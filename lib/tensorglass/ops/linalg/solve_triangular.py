"""Equations whose matrix is triangular: solve_triangular.

A triangle stands for the whole matrix, so only it is read, and only it gets a gradient.
"""

from __future__ import annotations

from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.copies.out import into_out
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.linalg.common import (
    check_equation,
    check_kernel,
    check_matrices,
    check_same_dtype,
    check_square,
    column_major,
    flattened,
    from_column_major,
    launch,
    routine,
    takes_lapack,
)
from tensorglass.tensor.tensor import Tensor


def substituted(xp: Any, A: Array, B: Array, upper: bool, unit: bool = False) -> Array:
    """In a kernel: the solution of ``A @ X == B``, where `A` is triangular, with ones on its diagonal if `unit`."""
    batch = xp.broadcast_shapes(A.shape[:-2], B.shape[:-2])
    shape = (*batch, *B.shape[-2:])
    right = flattened(xp.broadcast_to(B, shape))
    triangles = flattened(xp.broadcast_to(A, (*batch, *A.shape[-2:])))
    if not right.size or not takes_lapack(xp, triangles):
        return _row_by_row(xp, triangles, right, upper, unit).reshape(shape)
    solve = routine(xp, "trsm", A)
    solutions = [solve(1.0, *pair, lower=int(not upper), diag=int(unit)) for pair in zip(triangles, right, strict=True)]
    return xp.stack(solutions).reshape(shape)


def _row_by_row(xp: Any, A: Array, B: Array, upper: bool, unit: bool) -> Array:
    """The same without BLAS: the last row of an upper triangle gives the one above it, and so on."""
    answer = xp.array(B)
    count = A.shape[-1]
    for place in range(count - 1, -1, -1) if upper else range(count):
        others = slice(place + 1, None) if upper else slice(place)
        rest = answer[..., place, :] - xp.sum(A[..., place, others, None] * answer[..., others, :], axis=-2)
        answer[..., place, :] = rest if unit else rest / A[..., place, place, None]
    return answer


def _solution(xp: Any, A: Array, B: Array, upper: bool, left: bool, unit: bool) -> Array:
    if left:
        return column_major(xp, substituted(xp, A, B, upper, unit))
    A, B = xp.swapaxes(A, -1, -2), xp.swapaxes(B, -1, -2)
    return xp.ascontiguousarray(substituted(xp, A, B, not upper, unit))


def _of_matrix(grad: Tensor, A: Tensor, result: Tensor, upper: bool, left: bool, unitriangular: bool) -> Tensor:
    of_right = _of_right(grad, A, upper, left, unitriangular)
    of_all = -(of_right @ result.mH) if left else -(result.mH @ of_right)
    diagonal = (1 if upper else -1) if unitriangular else 0
    return of_all.triu(diagonal) if upper else of_all.tril(diagonal)


def _of_right(grad: Tensor, A: Tensor, upper: bool, left: bool, unitriangular: bool) -> Tensor:
    return solve_with(A.mH, grad, not upper, left, unitriangular)


@recorded
@derivative(node="LinalgSolveTriangularBackward0", A=_of_matrix, B=_of_right)
def solve_with(A: Tensor, B: Tensor, upper: bool, left: bool, unitriangular: bool) -> Tensor:
    check_kernel("triangular_solve_cpu", A, even_empty=True)
    answer = launch(_solution, A, B, upper=upper, left=left, unit=unitriangular)
    return from_column_major(answer, A._dtype, A._storage)


@operator("linear algebra", namespace="linalg", out=True)
def linalg_solve_triangular(
    A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False, out: Tensor | None = None
) -> Tensor:
    """The `X` for which ``A @ X == B``, or ``X @ A == B`` if not `left`, where `A` is triangular.

    Of `A` the `upper` or the lower triangle is read; if `unitriangular`, its diagonal is taken for ones.
    """
    name = "linalg.solve_triangular"
    check_same_dtype(name, A=A, B=B)
    check_square(name, A)
    check_matrices(name, B, "B")
    check_equation(name, A, B._size, left)
    geometry.broadcast_shapes(A._size[:-2], B._size[:-2])
    if out is not None and out._dtype is not A._dtype:
        raise RuntimeError(f"expected scalar type {A._dtype.scalar_type} but found {out._dtype.scalar_type}")
    return into_out(solve_with(A, B, upper, left, unitriangular), out)
