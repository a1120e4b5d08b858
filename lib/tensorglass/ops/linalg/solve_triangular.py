"""Equations whose matrix is triangular: solve_triangular, and its older form triangular_solve.

A triangle stands for the whole matrix, so only it is read, and only it gets a gradient.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core.errors import warn
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.arg_parser.checks import check_tensor
from tensorglass.ops.copies.out import all_into_out, into_out
from tensorglass.ops.declare import return_types
from tensorglass.ops.declare.registry import Sample, operator, sample
from tensorglass.ops.declare.samples import matrices, values
from tensorglass.ops.linalg.common import (
    check_kernel,
    check_matrices,
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
    found = [solve(1.0, *each, lower=int(not upper), diag=int(unit)) for each in zip(triangles, right, strict=True)]
    return xp.stack(found).reshape(shape)


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
    check_kernel("triangular_solve_cpu", A, even_empty=True)
    answer = launch(_solution, A, B, upper=upper, left=left, unit=unitriangular)
    return from_column_major(answer, A._dtype, A._storage)


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
    if out is not None and out._dtype is not A._dtype:
        raise RuntimeError(f"expected scalar type {A._dtype.scalar_type} but found {out._dtype.scalar_type}")
    return into_out(solve_with(A, B, upper, left, unitriangular), out)


# --- the older form --------------------------------------------------------------------------------------------------


def _old_gradient(
    grads: Sequence[Tensor], arrived: Sequence[Any], A: Tensor, result: Tensor, upper: bool, transpose: bool,
    unitriangular: bool,
) -> Tensor:  # fmt: skip
    """The gradient of `A`, from those of its copy and of the solution."""
    if arrived[0] is None:
        return grads[1]
    of_right = _old_solved(grads[0], A.conj(), upper, not transpose, unitriangular)[0]
    of_all = -(result.conj() @ of_right.mT) if transpose else -(of_right @ result.mH)
    diagonal = (1 if upper else -1) if unitriangular else 0
    made: Tensor = of_all.triu(diagonal) if upper else of_all.tril(diagonal)
    return made + grads[1]


def _old_right_gradient(
    arrived: Sequence[Any], A: Tensor, upper: bool, transpose: bool, unitriangular: bool
) -> Tensor | None:
    if arrived[0] is None:
        return None
    found: Tensor = _old_solved(arrived[0], A.conj(), upper, not transpose, unitriangular)[0]
    return found


@derivative(
    node="TriangularSolveBackward0",
    b=_old_right_gradient,
    A=_old_gradient,
)
def _old_form(b: Tensor, A: Tensor, upper: bool, transpose: bool, unitriangular: bool) -> tuple[Tensor, Tensor]:
    batch = geometry.broadcast_shapes(A._size[:-2], b._size[:-2])
    matrix, right = A.expand(*batch, *A._size[-2:]), b.expand(*batch, *b._size[-2:])
    answer = launch(_solution, matrix.mT if transpose else matrix, right, upper=upper is not transpose, left=True,
                    unit=unitriangular)  # fmt: skip
    copied = launch(turned_over, matrix)
    return from_column_major(answer, A._dtype, A._storage), from_column_major(copied, A._dtype, A._storage)


def turned_over(xp: Any, A: Array) -> Array:
    """A kernel: the matrices as `from_column_major` takes them, in memory of their own."""
    return xp.array(xp.swapaxes(A, -1, -2), order="C")


_old_solved: Any = recorded(_old_form)


def _old_triangles() -> Iterator[Sample]:
    yield sample(values(3, 2), matrices(3, 3))
    yield sample(values(2, 3, 2), matrices(3, 3, seed=1), False)
    yield sample(values(3, 1), matrices(2, 3, 3, seed=1), transpose=True)
    yield sample(values(3, 2), matrices(3, 3, seed=1), False, True, True)
    yield sample(values(0, 2), values(0, 0))


@operator("linear algebra", samples=_old_triangles)
def triangular_solve(
    input: Tensor,
    A: Tensor,
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
    *,
    out: Sequence[Tensor] | None = None,
) -> Any:
    """`linalg.solve_triangular` with its arguments in the other order, and a copy of the matrix."""
    check_tensor("triangular_solve", input)
    check_tensor("triangular_solve", A, "A", 2)
    warn(_TRIANGULAR_ADVICE)
    for name, each in (("b", input), ("A", A)):
        if len(each._size) < 2:
            raise RuntimeError(
                f"torch.triangular_solve: Expected {name} to have at least 2 dimensions, but it has {len(each._size)} "
                "dimensions instead"
            )
    check_equation("triangular_solve", input, A)
    check_kernel("triangular_solve_cpu", A, even_empty=True)
    return all_into_out(return_types.triangular_solve, _old_solved(input, A, upper, transpose, unitriangular), out)


def check_equation(name: str, b: Tensor, A: Tensor) -> None:
    """Raise, in the words of PyTorch's older functions, unless ``A @ X == b`` can have a solution."""
    if A._dtype is not b._dtype:
        raise RuntimeError(
            f"Expected b and A to have the same dtype, but found b of type {b._dtype.scalar_type} and A of type "
            f"{A._dtype.scalar_type} instead."
        )
    rows, columns = A._size[-2:]
    if rows != columns:
        raise RuntimeError(f"A must be batches of square matrices, but they are {rows} by {columns} matrices")
    if rows != b._size[-2]:
        raise RuntimeError(
            f"Incompatible matrix sizes for {name}: each A matrix is {rows} by {columns} but each b matrix is "
            f"{b._size[-2]} by {b._size[-1]}"
        )


_TRIANGULAR_ADVICE = (
    "torch.triangular_solve is deprecated in favor of torch.linalg.solve_triangularand will be removed in a future "
    "PyTorch release.\ntorch.linalg.solve_triangular has its arguments reversed and does not return a copy of one of "
    "the inputs.\nX = torch.triangular_solve(B, A).solution\nshould be replaced with\nX = "
    "torch.linalg.solve_triangular(A, B)."
)
