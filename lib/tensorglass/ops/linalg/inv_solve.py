"""Inverses, and solutions of linear equations: inv, solve, and their forms that do not raise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.copies.out import all_into_out, into_out  # fmt: skip
from tensorglass.ops.declare import return_types
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.linalg.common import (
    check_equation,
    check_floating,
    check_kernel,
    check_same_dtype,
    check_square,
    column_major,
    from_column_major,
    from_row_major,
    launch,
    refuse_failure,
)
from tensorglass.ops.linalg.lu import lu_factors
from tensorglass.tensor.tensor import Tensor

# --- kernels ---------------------------------------------------------------------------------------------------------


def _solve_batch(xp: Any, A: Array, B: Array) -> tuple[Array, Array]:
    """Solutions, NaN for singular matrices, and for each matrix which pivot was zero."""
    try:
        answer = xp.linalg.solve(A, B)
        if bool(xp.isfinite(answer).all()):  # CuPy does not raise
            return answer, xp.zeros(A.shape[:-2], "int32")
    except xp.linalg.LinAlgError:
        answer = None
    info = lu_factors(xp, A)[2]
    singular = (info != 0)[..., None, None]
    if answer is None:
        # A matrix with infinities or NaN has no zero pivot, and no solution either.
        is_solvable = ~singular & xp.isfinite(A).all(axis=(-2, -1))[..., None, None]
        answer = xp.linalg.solve(xp.where(is_solvable, A, xp.eye(A.shape[-1], dtype=A.dtype)), B)
        return xp.where(is_solvable, answer, xp.asarray(math.nan, A.dtype)), info
    return xp.where(singular, xp.asarray(math.nan, A.dtype), answer), info


def _inverse_kernel(xp: Any, A: Array) -> tuple[Array, Array]:
    answer, info = _solve_batch(xp, A, xp.broadcast_to(xp.eye(A.shape[-1], dtype=A.dtype), A.shape))
    return column_major(xp, answer), info


def _solve_all(xp: Any, A: Array, B: Array, batch: tuple[int, ...], left: bool) -> tuple[Array, Array]:
    """`_solve_batch` for matrices that are broadcast; the solutions as PyTorch lays them out."""
    if not left:
        A, B = xp.swapaxes(A, -1, -2), xp.swapaxes(B, -1, -2)
    answer, info = _solve_batch(xp, *[xp.broadcast_to(array, (*batch, *array.shape[-2:])) for array in (A, B)])
    laid_out = column_major(xp, answer) if left else xp.ascontiguousarray(xp.swapaxes(answer, -1, -2))
    return laid_out, _of_matrices(xp, info, A)


def _solve_vectors(xp: Any, A: Array, B: Array, batch: tuple[int, ...]) -> tuple[Array, Array]:
    """The same for vectors."""
    right = xp.broadcast_to(B, (*batch, B.shape[-1]))[..., None]
    answer, info = _solve_batch(xp, xp.broadcast_to(A, (*batch, *A.shape[-2:])), right)
    return column_major(xp, answer[..., 0]) if batch else answer[..., 0], _of_matrices(xp, info, A)


def _of_matrices(xp: Any, info: Array, A: Array) -> Array:
    """`info` for each matrix of `A`, which may have been broadcast to several systems."""
    if info.shape == A.shape[:-2]:
        return info
    return lu_factors(xp, A)[2] if bool(info.any()) else xp.zeros(A.shape[:-2], "int32")


# --- inv -------------------------------------------------------------------------------------------------------------


@recorded
@derivative(node="LinalgInvExBackward0", outputs=1, input=lambda grad, result: -(result.mH @ (grad @ result.mH)))
def inv_ex(input: Tensor) -> tuple[Tensor, Tensor]:
    check_square("linalg.inv", input)
    check_floating("linalg.inv", input, halves=False)
    inverse, info = launch(_inverse_kernel, input)
    storage = input._storage
    return from_column_major(inverse, input._dtype, storage), from_row_major(info, dtypes.int32, storage)


_SINGULAR = (
    "The diagonal element {0} is zero, the inversion could not be completed because the input matrix is singular."
)
_UNSOLVED = "The solver failed because the input matrix is singular."
NAN = "what stands in the inverse of a singular matrix is nan; PyTorch leaves what the solver left"


@operator("linear algebra", namespace="linalg", out=True)
def linalg_inv(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of a matrix, or of each in a batch. Raises LinAlgError where it is singular."""
    inverse, info = inv_ex(A)
    refuse_failure("linalg.inv", info, _SINGULAR)
    return into_out(inverse, out)


@operator("linear algebra", out=True)
def inverse(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of a matrix, `linalg.inv`."""
    return linalg_inv(input, out=out)


@operator("linear algebra", namespace="linalg", differs=NAN)
def linalg_inv_ex(A: Tensor, *, check_errors: bool = False, out: Sequence[Tensor] | None = None) -> Any:
    """The inverse, and for each matrix which pivot was zero, from 1; 0 where it has an inverse."""
    inverse, info = inv_ex(A)
    if check_errors:
        refuse_failure("linalg.inv_ex", info, _SINGULAR)
    return all_into_out(return_types.linalg_inv_ex, (inverse, info), out)


# --- solve -----------------------------------------------------------------------------------------------------------


def _solve_for_matrix(grad: Tensor, A: Tensor, result: Tensor, left: bool) -> Tensor:
    is_vector = grad.dim() == 1 or grad.dim() < A.dim()
    of_right = _of_right(grad, A, left)
    if is_vector:
        return -(of_right.unsqueeze(-1) @ result.unsqueeze(-1).mH)
    return -(of_right @ result.mH) if left else -(result.mH @ of_right)


def _of_right(grad: Tensor, A: Tensor, left: bool) -> Tensor:
    return _solve_ex(A.mH, grad, left)[0]


@recorded
@derivative(node="LinalgSolveExBackward0", outputs=1, A=_solve_for_matrix, B=_of_right)
def _solve_ex(A: Tensor, B: Tensor, left: bool) -> tuple[Tensor, Tensor]:
    is_vector = _check_solvable(A, B, left)
    storage = A._storage
    batch = geometry.broadcast_shapes(A._size[:-2], B._size[:-1] if is_vector else B._size[:-2])
    if is_vector:
        answer, info = launch(_solve_vectors, A, B, batch=batch)
    else:
        answer, info = launch(_solve_all, A, B, batch=batch, left=left)
    lies_by_columns = bool(batch) if is_vector else left
    result = (from_column_major if lies_by_columns else from_row_major)(answer, A._dtype, storage)
    return result, from_row_major(info, dtypes.int32, storage)


def _check_solvable(A: Tensor, B: Tensor, left: bool) -> bool:
    """Raise PyTorch's errors; return whether `B` is a vector, or a batch of vectors."""
    check_floating("linalg.solve", A)
    check_same_dtype("linalg.solve", A=A, B=B)
    is_vector = len(B._size) == 1 or (len(A._size) - 1 == len(B._size) and B._size == A._size[:-1])
    check_square("linalg.solve", A)
    size = (*B._size, 1) if is_vector else B._size
    if len(size) < 2:
        raise RuntimeError("linalg.solve: The input tensor B must have at least 2 dimensions.")
    check_equation("linalg.solve", A, size, left)
    check_kernel("lu_cpu", A)
    return is_vector


@operator("linear algebra", namespace="linalg", out=True)
def linalg_solve(A: Tensor, B: Tensor, *, left: bool = True, out: Tensor | None = None) -> Tensor:
    """The `X` for which ``A @ X == B``, or ``X @ A == B`` if not `left`; `B` may be a vector for each matrix."""
    result, info = _solve_ex(A, B, left)
    refuse_failure("torch.linalg.solve", info, _UNSOLVED)
    return into_out(result, out)


@operator("linear algebra", namespace="linalg", differs=NAN)
def linalg_solve_ex(
    A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False, out: Sequence[Tensor] | None = None
) -> Any:
    """The solution, and for each matrix which pivot was zero, from 1; 0 where there is a solution."""
    result, info = _solve_ex(A, B, left)
    if check_errors:
        refuse_failure("torch.linalg.solve_ex", info, _UNSOLVED)
    return all_into_out(return_types.linalg_solve_ex, (result, info), out)
