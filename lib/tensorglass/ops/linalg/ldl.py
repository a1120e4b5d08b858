"""A symmetric or Hermitian matrix as triangle times blocks times triangle: linalg.ldl_factor, ldl_factor_ex, ldl_solve.

An element of the diagonal may be too small to divide by. Then, after Bunch and Kaufman, a block of two rows and columns
is eliminated. `pivots` says which rows were exchanged, counted from 1; both rows of such a block have the same number,
negated.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.arg_parser.checks import check_tensor
from tensorglass.ops.copies.out import all_into_out, into_out
from tensorglass.ops.declare import return_types
from tensorglass.ops.declare.registry import Sample, operator, sample
from tensorglass.ops.declare.samples import values
from tensorglass.ops.derivatives.formulas import no_derivative
from tensorglass.ops.linalg.common import (
    check_floating,
    check_kernel,
    check_square,
    column_major,
    flattened,
    from_column_major,
    from_row_major,
    launch,
    routine,
)
from tensorglass.tensor.tensor import Tensor

# --- kernels ---------------------------------------------------------------------------------------------------------


def _ldl(xp: Any, A: Array, hermitian: bool) -> tuple[Array, Array, Array]:
    """Both factors in one triangle, the exchanges, and which pivot was the first that is zero, or 0."""
    if not A.size:
        return A, xp.zeros(A.shape[:-1], "int32"), xp.zeros(A.shape[:-2], "int32")
    factor = routine(xp, "hetrf" if hermitian and A.dtype.kind == "c" else "sytrf", A)
    found = [factor(matrix, lower=1, lwork=64 * len(matrix)) for matrix in flattened(A)]
    LD = xp.tril(xp.stack([each for each, _, _ in found])).reshape(A.shape)
    pivots = xp.stack([each for _, each, _ in found]).astype("int32").reshape(A.shape[:-1])
    return column_major(xp, LD), pivots, xp.asarray([info for *_, info in found], "int32").reshape(A.shape[:-2])


def _solution(xp: Any, LD: Array, pivots: Array, B: Array, hermitian: bool) -> Array:
    """The solutions, column by column."""
    batch = xp.broadcast_shapes(LD.shape[:-2], B.shape[:-2])
    right = xp.broadcast_to(B, (*batch, *B.shape[-2:]))
    if not right.size:
        return column_major(xp, right)
    solve = routine(xp, "hetrs" if hermitian and LD.dtype.kind == "c" else "sytrs", LD)
    factors = flattened(xp.broadcast_to(LD, (*batch, *LD.shape[-2:])))
    exchanges = flattened(xp.broadcast_to(pivots.astype("int32"), (*batch, pivots.shape[-1])), 1)
    triples = zip(factors, exchanges, flattened(right), strict=True)
    return column_major(xp, xp.stack([solve(*each, lower=1)[0] for each in triples]).reshape(right.shape))


# --- operators -------------------------------------------------------------------------------------------------------


@derivative(node="NotImplemented", input=no_derivative("aten::linalg_ldl_factor_ex"))
def _factored(input: Tensor, hermitian: bool) -> tuple[Tensor, Tensor, Tensor]:
    name = "torch.linalg.ldl_factor_ex"
    check_square(name, input)
    check_floating(name, input)
    check_kernel("ldl_factor_kernel_cpu", input)
    both, pivots, info = launch(_ldl, input, hermitian=hermitian)
    storage = input._storage
    return (
        from_column_major(both, input._dtype, storage),
        from_row_major(pivots, dtypes.int32, storage),
        from_row_major(info, dtypes.int32, storage),
    )


_recorded_factors: Any = recorded(_factored)


def _refuse_failure(name: str, info: Tensor) -> None:
    for found in info.reshape(-1).tolist():
        if found:
            raise RuntimeError(f"{name}: pivot {found} is zero, and cannot be divided by: the matrix is singular.")


def _ldl_samples() -> Iterator[Sample]:
    yield sample(values(3, 3))
    yield sample(values(2, 4, 4), hermitian=True)
    yield sample(values(0, 0))


@operator("linear algebra", namespace="linalg", out=True, samples=_ldl_samples)
def linalg_ldl_factor(input: Tensor, *, hermitian: bool = False, out: Any = None) -> Any:
    """A matrix, symmetric or `hermitian`, of which the lower triangle is read, as ``L @ D @ L.mT``, and the exchanges.

    `D` has blocks of one or two rows on its diagonal; both factors are in one lower triangle.
    """
    check_tensor("linalg_ldl_factor", input)
    LD, pivots, info = _recorded_factors(input, hermitian)
    _refuse_failure("torch.linalg.ldl_factor", info)
    return all_into_out(return_types.linalg_ldl_factor, (LD, pivots), out)


@operator("linear algebra", namespace="linalg", out=True, samples=_ldl_samples)
def linalg_ldl_factor_ex(input: Tensor, *, hermitian: bool = False, check_errors: bool = False, out: Any = None) -> Any:
    """As `ldl_factor`; instead of raising it says in `info` which pivot was the first that is zero."""
    check_tensor("linalg_ldl_factor_ex", input)
    results = _recorded_factors(input, hermitian)
    if check_errors:
        _refuse_failure("torch.linalg.ldl_factor_ex", results[2])
    return all_into_out(return_types.linalg_ldl_factor_ex, results, out)


@derivative(
    node="NotImplemented", LD=no_derivative("aten::linalg_ldl_solve"), B=no_derivative("aten::linalg_ldl_solve")
)
def _solved(LD: Tensor, pivots: Tensor, B: Tensor, hermitian: bool) -> Tensor:
    answer = launch(_solution, LD, pivots, B, hermitian=hermitian)
    return from_column_major(answer, LD._dtype, LD._storage)


_recorded_solution: Any = recorded(_solved)


def _check_equation(LD: Tensor, pivots: Tensor, B: Tensor) -> None:
    name = "torch.linalg.ldl_solve"
    check_square(name, LD)
    check_floating(name, LD)
    if LD._dtype is not B._dtype:
        raise RuntimeError(
            f"Expected b and A to have the same dtype, but found b of type {B._dtype.scalar_type} and A of type "
            f"{LD._dtype.scalar_type} instead."
        )
    geometry.wrap_dim(-2, len(B._size))
    if LD._size[-1] != B._size[-2]:
        raise RuntimeError(
            f"Incompatible matrix sizes for {name}: each A matrix is {LD._size[-1]} by {LD._size[-1]} but each b "
            f"matrix is {B._size[-2]} by {B._size[-1]}"
        )
    if LD._size[:-1] != pivots._size:
        raise RuntimeError(
            f"{name}: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
            f"{list(pivots._size)} instead"
        )
    if pivots._dtype.category != dtypes.INTEGER:
        raise RuntimeError(f"{name}: Expected pivots to be integers. Got {pivots._dtype.scalar_type}")
    geometry.broadcast_shapes(B._size[:-2], LD._size[:-2])
    check_kernel("ldl_solve_kernel_cpu", LD)


def _ldl_equations() -> Iterator[Sample]:
    triangle = values(3, 3, low=1.0)
    yield sample(triangle, values(3, low=1.0, high=1.9, dtype=dtypes.int32), values(3, 2))
    yield sample(triangle, values(3, low=1.0, high=1.9, dtype=dtypes.int32), values(2, 3, 1), hermitian=True)
    yield sample(values(0, 0), values(0, dtype=dtypes.int32), values(0, 2))


@operator("linear algebra", namespace="linalg", out=True, samples=_ldl_equations)
def linalg_ldl_solve(
    LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: bool = False, out: Tensor | None = None
) -> Tensor:
    """The `X` for which ``A @ X == B``, of the `A` that `ldl_factor` factored."""
    for argument, (place, given) in {"LD": (1, LD), "pivots": (2, pivots), "B": (3, B)}.items():
        check_tensor("linalg_ldl_solve", given, argument, place)
    _check_equation(LD, pivots, B)
    return into_out(_recorded_solution(LD, pivots, B, hermitian), out)
