"""Positive-definite matrices as products of a triangular matrix and its adjoint, Cholesky's factors; and equations and
inverses of matrices that have been factored so: cholesky_solve, cholesky_inverse.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.errors import LinAlgError, warn
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.copies.out import (  # fmt: skip
    all_into_out,
    cast_into_out,
    check_safe_cast,
    into_out,
    safely_cast_into_out,
)
from tensorglass.ops.declare import return_types
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.derivatives.shared import columnwise
from tensorglass.ops.linalg.common import (
    check_floating,
    check_kernel,
    check_square,
    column_major,
    from_column_major,
    from_row_major,
    launch,
    refuse_failure,
)
from tensorglass.ops.linalg.inv_solve import inv_ex
from tensorglass.ops.linalg.solve_triangular import substituted
from tensorglass.tensor.tensor import Tensor


def _cholesky_factors(xp: Any, A: Array, upper: bool) -> tuple[Array, Array]:
    """The factors, and for each matrix the order of the first leading minor that is not positive-definite, or 0."""
    lower = xp.swapaxes(A, -1, -2) if upper else A  # only one triangle is read
    try:
        answer = xp.linalg.cholesky(lower)
        if not bool((xp.real(xp.diagonal(answer, 0, -2, -1)) > 0).all()):  # CuPy does not raise
            answer = None
    except xp.linalg.LinAlgError:
        answer = None
    info = xp.zeros(A.shape[:-2], "int32")
    if answer is None:
        answer, info = _step_by_step(xp, lower)
    return (xp.ascontiguousarray(answer) if upper else column_major(xp, answer)), info


def _step_by_step(xp: Any, A: Array) -> tuple[Array, Array]:
    """The same, column by column, for all matrices together; one that fails keeps the columns before."""
    count = A.shape[-1]
    work = xp.tril(A).reshape(-1, count, count)
    info = xp.zeros(len(work), "int32")
    for step in range(count):
        row = work[:, step, :step]
        head = xp.real(work[:, step, step] - xp.sum(row * xp.conj(row), axis=-1))
        goes_on = info == 0
        fails = goes_on & ~(head > 0)
        root = xp.sqrt(xp.where(head > 0, head, 1))
        below = work[:, step + 1 :, step] - xp.sum(work[:, step + 1 :, :step] * xp.conj(row)[:, None], axis=-1)
        runs = (goes_on & ~fails)[:, None]
        work[:, step + 1 :, step] = xp.where(runs, below / root[:, None], work[:, step + 1 :, step])
        changed = xp.where(fails, head, root)
        work[:, step, step] = xp.where(goes_on, changed, work[:, step, step])
        info = xp.where(fails, step + 1, info)
    return work.reshape(A.shape), info.reshape(A.shape[:-2]).astype("int32")


def _cholesky_gradient(grad: Tensor, result: Tensor, upper: bool) -> Tensor:
    lower, of_lower = (result.mH, grad.mH) if upper else (result, grad)
    inverse = inv_ex(lower)[0]
    half = (lower.mH @ of_lower).tril()
    return columnwise(inverse.mH @ (half + half.tril(-1).mH) @ inverse * 0.5)


@recorded
@derivative(
    node=lambda name: f"{'Cholesky' if name == 'cholesky' else 'LinalgCholeskyEx'}Backward0",
    outputs=1,
    input=_cholesky_gradient,
)
def _cholesky_ex(input: Tensor, upper: bool, name: str) -> tuple[Tensor, Tensor]:
    check_square(name, input)
    if name != "cholesky":
        check_floating(name, input)
    check_kernel("cholesky_cpu", input)
    factor, info = launch(_cholesky_factors, input, upper=upper)
    by_rows = name == "cholesky" and not factor.size  # only the older function returns this layout
    factor_tensor = (from_row_major if by_rows else from_column_major)(factor, input._dtype, input._storage)
    return factor_tensor, from_row_major(info, dtypes.int32, input._storage)


_INDEFINITE = (
    "The factorization could not be completed because the input is not positive-definite (the leading minor of order "
    "{0} is not positive-definite)."
)


@operator("linear algebra", namespace="linalg", out=True)
def linalg_cholesky(input: Tensor, *, upper: bool = False, out: Tensor | None = None) -> Tensor:
    """The lower triangular factor, or the upper one. Raises LinAlgError if the matrix is not positive-definite."""
    factor, info = _cholesky_ex(input, upper, "linalg.cholesky")
    refuse_failure("linalg.cholesky", info, _INDEFINITE)
    return into_out(factor, out)


@operator("linear algebra", namespace="linalg")
def linalg_cholesky_ex(
    input: Tensor, *, upper: bool = False, check_errors: bool = False, out: Sequence[Tensor] | None = None
) -> Any:
    """The factor, and for each matrix the order of the first leading minor that is not positive-definite, or 0."""
    factor, info = _cholesky_ex(input, upper, "linalg.cholesky")
    if check_errors:
        refuse_failure("linalg.cholesky_ex", info, _INDEFINITE)
    return all_into_out(return_types.linalg_cholesky_ex, (factor, info), out)


_CHOLESKY_ADVICE = (
    "torch.cholesky is deprecated in favor of torch.linalg.cholesky and will be removed in a future PyTorch release.\n"
    "L = torch.cholesky(A)\nshould be replaced with\nL = torch.linalg.cholesky(A)\nand\nU = torch.cholesky(A, "
    "upper=True)\nshould be replaced with\nU = torch.linalg.cholesky(A).mH\nThis transform will produce equivalent "
    "results for all valid (symmetric positive definite) inputs."
)


@operator("linear algebra", out=True)
def cholesky(input: Tensor, upper: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The lower triangular factor, or the upper one, as `linalg.cholesky` gives it."""
    warn(_CHOLESKY_ADVICE)
    result, info = _cholesky_ex(input, upper, "cholesky")
    refuse_failure("cholesky", info, _INDEFINITE)
    check_safe_cast("cholesky", result, out)
    return cast_into_out(result, out)


# --- equations with a factored matrix --------------------------------------------------------------------------------


def _cholesky_solution(xp: Any, B: Array, L: Array, upper: bool) -> Array:
    adjoint = xp.conj(xp.swapaxes(L, -1, -2))
    first, second = (adjoint, L) if upper else (L, adjoint)
    return column_major(xp, substituted(xp, second, substituted(xp, first, B, False), True))


def _of_factor(grad_of_matrix: Tensor, L: Tensor, upper: bool) -> Tensor:
    """The gradient for a factor, from the gradient for ``L @ L.mH``, or for ``L.mH @ L`` if `upper`."""
    both = grad_of_matrix + grad_of_matrix.mH
    return L @ both if upper else both @ L


def _cholesky_of_right(grad: Tensor, L: Tensor, upper: bool) -> Tensor:
    return _cholesky_solved(grad, L, upper)


@recorded
@derivative(
    node="CholeskySolveBackward0",
    B=_cholesky_of_right,
    L=lambda grad, L, result, upper: _of_factor(-(_cholesky_of_right(grad, L, upper) @ result.mH), L, upper),
)
def _cholesky_solved(B: Tensor, L: Tensor, upper: bool) -> Tensor:
    return from_column_major(launch(_cholesky_solution, B, L, upper=upper), B._dtype, B._storage)


@operator("linear algebra", out=True)
def cholesky_solve(input: Tensor, input2: Tensor, upper: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The `X` for which ``A @ X == input``, of the `A` whose Cholesky factor `input2` is, the upper one if `upper`."""
    for name, tensor in (("b", input), ("u", input2)):
        if len(tensor._size) < 2:
            raise RuntimeError(
                f"{name} should have at least 2 dimensions, but has {len(tensor._size)} dimensions instead"
            )
    geometry.broadcast_shapes(input2._size[:-2], input._size[:-2])
    _check_solvable(input, input2)
    check_kernel("cholesky_solve_cpu", input, even_empty=True)
    result: Tensor = _cholesky_solved(input, input2, upper)
    check_safe_cast("cholesky_solve", result, out)
    return cast_into_out(result, out)


def _check_solvable(b: Tensor, A: Tensor) -> None:
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
            f"Incompatible matrix sizes for cholesky_solve: each A matrix is {rows} by {columns} but each b matrix is "
            f"{b._size[-2]} by {b._size[-1]}"
        )


# --- the inverse -----------------------------------------------------------------------------------------------------


def _cholesky_inverse(xp: Any, L: Array, upper: bool) -> Array:
    one = xp.broadcast_to(xp.eye(L.shape[-1], dtype=L.dtype), L.shape)
    adjoint = xp.conj(xp.swapaxes(L, -1, -2))
    first, second = (adjoint, L) if upper else (L, adjoint)
    return column_major(xp, substituted(xp, second, substituted(xp, first, one, False), True))


@recorded
@derivative(
    node="CholeskyInverseBackward0",
    L=lambda grad, L, result, upper: _of_factor(-(result.mH @ grad @ result.mH), L, upper),
)
def _inverted_by_cholesky(L: Tensor, upper: bool) -> Tensor:
    return from_column_major(launch(_cholesky_inverse, L, upper=upper), L._dtype, L._storage)


def _refuse_singular(zeros: list[list[bool]], is_batch: bool) -> None:
    for place, row in enumerate(zeros):
        if True in row:
            where = f"(Batch element {place}): " if is_batch else ""
            raise LinAlgError(
                f"cholesky_inverse: {where}The diagonal element {row.index(True) + 1} is zero, the inversion could not "
                "be completed because the input matrix is singular."
            )


@operator("linear algebra", out=True)
def cholesky_inverse(input: Tensor, upper: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The inverse of the matrix whose Cholesky factor `input` is, the upper one if `upper`."""
    check_square("cholesky_inverse", input)
    check_kernel("cholesky_inverse_out_cpu", input, even_empty=True)
    if input.numel() and not input.is_meta:
        _refuse_singular((input.diagonal(0, -2, -1) == 0).reshape(-1, input._size[-1]).tolist(), len(input._size) > 2)
    return safely_cast_into_out("cholesky_inverse", _inverted_by_cholesky(input, upper), out)
