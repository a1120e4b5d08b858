"""Equations and inverses of matrices that have been factored by `cholesky`: cholesky_solve, cholesky_inverse."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core.errors import LinAlgError
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.arg_parser.checks import check_tensor
from tensorglass.ops.copies.out import cast_into_out, check_safe_cast, safely_cast_into_out
from tensorglass.ops.declare.registry import Sample, operator, sample
from tensorglass.ops.declare.samples import matrices, values
from tensorglass.ops.linalg.common import check_kernel, check_square, column_major, from_column_major, launch
from tensorglass.ops.linalg.solve_triangular import check_equation, substituted
from tensorglass.tensor.tensor import Tensor


def _solution(xp: Any, B: Array, L: Array, upper: bool) -> Array:
    adjoint = xp.conj(xp.swapaxes(L, -1, -2))
    first, second = (adjoint, L) if upper else (L, adjoint)
    return column_major(xp, substituted(xp, second, substituted(xp, first, B, False), True))


def _of_factor(grad_of_matrix: Tensor, L: Tensor, upper: bool) -> Tensor:
    """The gradient of a factor, all of it, from that of ``L @ L.mH``, or of ``L.mH @ L`` if `upper`."""
    both = grad_of_matrix + grad_of_matrix.mH
    return L @ both if upper else both @ L


@derivative(
    node="CholeskySolveBackward0",
    B=lambda grad, L, upper: _solved(grad, L, upper),
    L=lambda grad, L, result, upper: _of_factor(-(_solved(grad, L, upper) @ result.mH), L, upper),
)
def _solve(B: Tensor, L: Tensor, upper: bool) -> Tensor:
    return from_column_major(launch(_solution, B, L, upper=upper), B._dtype, B._storage)


_solved: Any = recorded(_solve)


def _equations() -> Iterator[Sample]:
    yield sample(values(3, 2), matrices(3, 3))
    yield sample(values(2, 3, 2), matrices(3, 3, seed=1), True)
    yield sample(values(3, 1), matrices(2, 3, 3, seed=1))
    yield sample(values(0, 2), values(0, 0))


@operator("linear algebra", out=True, samples=_equations)
def cholesky_solve(input: Tensor, input2: Tensor, upper: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The `X` for which ``A @ X == input``, of the `A` whose Cholesky factor `input2` is, the upper one if `upper`."""
    check_tensor("cholesky_solve", input)
    check_tensor("cholesky_solve", input2, "input2", 2)
    for name, each in (("b", input), ("u", input2)):
        if len(each._size) < 2:
            raise RuntimeError(
                f"{name} should have at least 2 dimensions, but has {len(each._size)} dimensions instead"
            )
    geometry.broadcast_shapes(input2._size[:-2], input._size[:-2])
    check_equation("cholesky_solve", input, input2)
    check_kernel("cholesky_solve_cpu", input, even_empty=True)
    result: Tensor = _solved(input, input2, upper)
    check_safe_cast("cholesky_solve", result, out)
    return cast_into_out(result, out)


# --- the inverse -----------------------------------------------------------------------------------------------------


def _inverse(xp: Any, L: Array, upper: bool) -> Array:
    one = xp.broadcast_to(xp.eye(L.shape[-1], dtype=L.dtype), L.shape)
    adjoint = xp.conj(xp.swapaxes(L, -1, -2))
    first, second = (adjoint, L) if upper else (L, adjoint)
    return column_major(xp, substituted(xp, second, substituted(xp, first, one, False), True))


@derivative(
    node="CholeskyInverseBackward0",
    L=lambda grad, L, result, upper: _of_factor(-(result.mH @ grad @ result.mH), L, upper),
)
def _invert(L: Tensor, upper: bool) -> Tensor:
    return from_column_major(launch(_inverse, L, upper=upper), L._dtype, L._storage)


_inverted: Any = recorded(_invert)


def _refuse_singular(zeros: list[list[bool]], is_batch: bool) -> None:
    for place, row in enumerate(zeros):
        if True in row:
            where = f"(Batch element {place}): " if is_batch else ""
            raise LinAlgError(
                f"cholesky_inverse: {where}The diagonal element {row.index(True) + 1} is zero, the inversion could not "
                "be completed because the input matrix is singular."
            )


def _factors() -> Iterator[Sample]:
    yield sample(matrices(3, 3))
    yield sample(matrices(2, 3, 3, seed=1), True)
    yield sample(matrices(1, 1))
    yield sample(values(0, 0))
    yield sample(values(0, 2, 2))


@operator("linear algebra", out=True, samples=_factors)
def cholesky_inverse(input: Tensor, upper: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The inverse of the matrix whose Cholesky factor `input` is, the upper one if `upper`."""
    check_tensor("cholesky_inverse", input)
    check_square("cholesky_inverse", input)
    check_kernel("cholesky_inverse_out_cpu", input, even_empty=True)
    if input.numel():
        _refuse_singular((input.diagonal(0, -2, -1) == 0).reshape(-1, input._size[-1]).tolist(), len(input._size) > 2)
    return safely_cast_into_out("cholesky_inverse", _inverted(input, upper), out)
