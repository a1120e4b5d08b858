"""Cholesky's factors: a positive-definite matrix as a lower triangular one times its adjoint."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.errors import warn
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.arg_parser.checks import check_tensor
from tensorglass.ops.copies.out import all_into_out, cast_into_out, check_safe_cast, into_out  # fmt: skip
from tensorglass.ops.declare import return_types
from tensorglass.ops.declare.registry import Sample, operator, sample
from tensorglass.ops.declare.samples import matrices, values
from tensorglass.ops.derivatives.formulas import columnwise
from tensorglass.ops.linalg.common import (
    check_floating,
    check_kernel,
    check_square,
    column_major,
    failure,
    from_column_major,
    from_row_major,
    launch,
)
from tensorglass.ops.linalg.inv_solve import inv_ex
from tensorglass.tensor.tensor import Tensor


def _factor(xp: Any, A: Array, upper: bool) -> tuple[Array, Array]:
    """The factors, and for each matrix the order of the first leading minor that is not positive-definite, or 0."""
    lower = xp.swapaxes(A, -1, -2) if upper else A  # only one triangle is read; the factor of Aᵀ is that of A, turned
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
    """The same, column by column, for all matrices at once; one that fails keeps what it had by then."""
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


def _gradient(grad: Tensor, result: Tensor, upper: bool) -> Tensor:
    lower, of_lower = (result.mH, grad.mH) if upper else (result, grad)
    inverse = inv_ex(lower)[0]
    half = (lower.mH @ of_lower).tril()
    return columnwise(inverse.mH @ (half + half.tril(-1).mH) @ inverse * 0.5)


@derivative(node="LinalgCholeskyExBackward0", outputs=1, input=_gradient)
def _cholesky_ex(input: Tensor, upper: bool, name: str) -> tuple[Tensor, Tensor]:
    check_square(name, input)
    if name != "cholesky":
        check_floating(name, input)
    check_kernel("cholesky_cpu", input)
    factor, info = launch(_factor, input, upper=upper)
    return from_column_major(factor, input._dtype, input._storage), from_row_major(info, dtypes.int32, input._storage)


_recorded: Any = recorded(_cholesky_ex)


def _refuse(name: str, info: Tensor) -> None:
    error = failure(
        name,
        info,
        lambda order: (
            "The factorization could not be completed because the input is not positive-definite (the "
            f"leading minor of order {order} is not positive-definite)."
        ),
    )
    if error is not None:
        raise error


def _samples() -> Iterator[Sample]:
    yield sample(matrices(2, 3, 3))
    yield sample(matrices(1, 2, 2), upper=True)
    yield sample(matrices(1, 1))
    yield sample(values(0, 0))
    yield sample(values(0, 2, 2))


@operator("linear algebra", namespace="linalg", out=True, samples=_samples)
def linalg_cholesky(input: Tensor, *, upper: bool = False, out: Tensor | None = None) -> Tensor:
    """The lower triangular factor, or the upper one. Raises LinAlgError if the matrix is not positive-definite."""
    check_tensor("linalg_cholesky", input)
    factor, info = _recorded(input, upper, "linalg.cholesky")
    _refuse("linalg.cholesky", info)
    return into_out(factor, out)


@operator("linear algebra", namespace="linalg", samples=_samples)
def linalg_cholesky_ex(
    input: Tensor, *, upper: bool = False, check_errors: bool = False, out: Sequence[Tensor] | None = None
) -> Any:
    """The factor, and for each matrix the order of the first leading minor that is not positive-definite, or 0."""
    check_tensor("linalg_cholesky_ex", input)
    factor, info = _recorded(input, upper, "linalg.cholesky")
    if check_errors:
        _refuse("linalg.cholesky_ex", info)
    return all_into_out(return_types.linalg_cholesky_ex, (factor, info), out)


@derivative(node="CholeskyBackward0", input=_gradient)
def _old_cholesky(input: Tensor, upper: bool) -> Tensor:
    factor, info = _cholesky_ex(input, upper, "cholesky")
    if not input.numel():
        return input.new_zeros(input._size)
    _refuse("cholesky", info)
    return factor


_recorded_old: Any = recorded(_old_cholesky)


_ADVICE = (
    "torch.cholesky is deprecated in favor of torch.linalg.cholesky and will be removed in a future PyTorch release.\n"
    "L = torch.cholesky(A)\nshould be replaced with\nL = torch.linalg.cholesky(A)\nand\nU = torch.cholesky(A, "
    "upper=True)\nshould be replaced with\nU = torch.linalg.cholesky(A).mH\nThis transform will produce equivalent "
    "results for all valid (symmetric positive definite) inputs."
)


@operator("linear algebra", out=True, samples=_samples)
def cholesky(input: Tensor, upper: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The lower triangular factor, or the upper one, as `linalg.cholesky` gives it."""
    check_tensor("cholesky", input)
    warn(_ADVICE)
    result = _recorded_old(input, upper)
    check_safe_cast("cholesky", result, out)
    return cast_into_out(result, out)
