"""Equations whose matrix is triangular: solve_triangular.

The one idea to keep in mind: a triangle stands for the whole matrix, so only it is read, and only it gets a gradient.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recording import recorded
from tensorglass.ops.arguments import check_tensor
from tensorglass.ops.matrices import (
    by_columns,
    check_kernel,
    check_matrices,
    check_square,
    given,
    launch,
    turned,
)
from tensorglass.ops.samples import matrices, values
from tensorglass.ops.table import Sample, operator, sample
from tensorglass.tensor import Tensor


def _solution(xp: Any, A: Array, B: Array, upper: bool, left: bool, unit: bool) -> Array:
    A = xp.triu(A) if upper else xp.tril(A)
    if unit:
        count = A.shape[-1]
        A = xp.where(xp.eye(count, dtype=bool), xp.asarray(1, A.dtype), A)
    if not left:
        A, B = xp.swapaxes(A, -1, -2), xp.swapaxes(B, -1, -2)
        upper = not upper
    batch = xp.broadcast_shapes(A.shape[:-2], B.shape[:-2])
    B = xp.broadcast_to(B, (*batch, *B.shape[-2:]))
    count = A.shape[-1]
    rows: list[Array] = [None] * count
    for place in range(count - 1, -1, -1) if upper else range(count):
        known = range(place + 1, count) if upper else range(place)
        rest = B[..., place, :]
        for other in known:
            rest = rest - A[..., place, other, None] * rows[other]
        rows[place] = rest / A[..., place, place, None]
    answer = xp.stack(rows, -2) if count else B.copy()
    return turned(xp, answer if left else xp.swapaxes(answer, -1, -2))


def _of_matrix(grad: Tensor, A: Tensor, result: Tensor, upper: bool, left: bool, unitriangular: bool) -> Tensor:
    of_right = solve_with(A.mH, grad, not upper, left, unitriangular)
    of_all = -(of_right @ result.mH) if left else -(result.mH @ of_right)
    diagonal = (1 if upper else -1) if unitriangular else 0
    made: Tensor = of_all.triu(diagonal) if upper else of_all.tril(diagonal)
    return made


@derivative(
    node="LinalgSolveTriangularBackward0",
    A=_of_matrix,
    B=lambda grad, A, upper, left, unitriangular: solve_with(A.mH, grad, not upper, left, unitriangular),
)
def _solved(A: Tensor, B: Tensor, upper: bool, left: bool, unitriangular: bool) -> Tensor:
    storage = A._storage
    answer = launch(_solution, A, B, upper=upper, left=left, unit=unitriangular)
    return by_columns(answer, A._dtype, storage)


solve_with: Any = recorded(_solved)


def _check_equation(name: str, A: Tensor, B: Tensor, left: bool) -> None:
    check_square(name, A)
    check_matrices(name, B, "B")
    if A._size[-1] != B._size[-2 if left else -1]:
        raise RuntimeError(
            f"{name}: Incompatible shapes of A and B for the equation {'AX' if left else 'XA'} = B "
            f"({A._size[-2]}x{A._size[-1]} and {B._size[-2]}x{B._size[-1]})"
        )
    geometry.broadcast_shapes(A._size[:-2], B._size[:-2])


def _triangles() -> Iterator[Sample]:
    yield sample(matrices(3, 3), values(3, 2), upper=True)
    yield sample(matrices(3, 3, seed=1), values(3, 2), upper=False)
    yield sample(matrices(2, 3, 3, seed=1), values(3, 1), upper=False, unitriangular=True)
    yield sample(matrices(2, 2), values(3, 2), upper=True, left=False)
    yield sample(matrices(1, 2, 2), values(2, 1, 2, 3), upper=True)


@operator("linear algebra", namespace="linalg", out=True, samples=_triangles)
def linalg_solve_triangular(
    A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False, out: Tensor | None = None
) -> Tensor:
    """The `X` for which ``A @ X == B``, or ``X @ A == B`` if not `left`, where `A` is triangular.

    Of `A` the `upper` or the lower triangle is read; if `unitriangular`, its diagonal is taken for ones.
    """
    check_tensor("linalg_solve_triangular", A, "A")
    check_tensor("linalg_solve_triangular", B, "B", 2)
    if A._dtype is not B._dtype:
        raise RuntimeError(
            f"linalg.solve_triangular: Expected A and B to have the same dtype, but found A of type "
            f"{A._dtype.scalar_type} and B of type {B._dtype.scalar_type} instead"
        )
    _check_equation("linalg.solve_triangular", A, B, left)
    check_kernel("triangular_solve_cpu", A)
    if out is not None and out._dtype is not A._dtype:
        raise RuntimeError(f"expected scalar type {A._dtype.scalar_type} but found {out._dtype.scalar_type}")
    return given(solve_with(A, B, upper, left, unitriangular), out)
