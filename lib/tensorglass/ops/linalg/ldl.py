"""A symmetric or Hermitian matrix as triangle times blocks times triangle: linalg.ldl_factor, ldl_factor_ex, ldl_solve.

An element of the diagonal may be too small to divide by. Then, after Bunch and Kaufman, a block of two rows and columns
is eliminated. `pivots` says which rows were exchanged, counted from 1; both rows of such a block have the same number,
negated.
"""

from __future__ import annotations

from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.copies.out import all_into_out, into_out
from tensorglass.ops.declare import return_types
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.derivatives.formulas import no_derivative
from tensorglass.ops.linalg.common import (
    check_floating,
    check_kernel,
    check_pivots,
    check_square,
    column_major,
    flattened,
    from_column_major,
    from_row_major,
    launch,
    routine,
)
from tensorglass.ops.linalg.solve_triangular import check_older_equation
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


@recorded
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


def _refuse_failure(name: str, info: Tensor) -> None:
    for found in info.reshape(-1).tolist():
        if found:
            raise RuntimeError(f"{name}: pivot {found} is zero, and cannot be divided by: the matrix is singular.")


@operator("linear algebra", namespace="linalg", out=True)
def linalg_ldl_factor(input: Tensor, *, hermitian: bool = False, out: Any = None) -> Any:
    """A matrix, symmetric or `hermitian`, of which the lower triangle is read, as ``L @ D @ L.mT``, and the exchanges.

    `D` has blocks of one or two rows on its diagonal; both factors are in one lower triangle.
    """
    LD, pivots, info = _factored(input, hermitian)
    _refuse_failure("torch.linalg.ldl_factor", info)
    return all_into_out(return_types.linalg_ldl_factor, (LD, pivots), out)


@operator("linear algebra", namespace="linalg", out=True)
def linalg_ldl_factor_ex(input: Tensor, *, hermitian: bool = False, check_errors: bool = False, out: Any = None) -> Any:
    """As `ldl_factor`; instead of raising it says in `info` which pivot was the first that is zero."""
    results = _factored(input, hermitian)
    if check_errors:
        _refuse_failure("torch.linalg.ldl_factor_ex", results[2])
    return all_into_out(return_types.linalg_ldl_factor_ex, results, out)


@recorded
@derivative(
    node="NotImplemented", LD=no_derivative("aten::linalg_ldl_solve"), B=no_derivative("aten::linalg_ldl_solve")
)
def _solved(LD: Tensor, pivots: Tensor, B: Tensor, hermitian: bool) -> Tensor:
    answer = launch(_solution, LD, pivots, B, hermitian=hermitian)
    return from_column_major(answer, LD._dtype, LD._storage)


def _check_equation(LD: Tensor, pivots: Tensor, B: Tensor) -> None:
    name = "torch.linalg.ldl_solve"
    check_square(name, LD)
    check_floating(name, LD)
    geometry.wrap_dim(-2, len(B._size))
    check_older_equation(name, B, LD)
    check_pivots(name, LD, pivots, "LD")
    if pivots._dtype.category != dtypes.INTEGER:
        raise RuntimeError(f"{name}: Expected pivots to be integers. Got {pivots._dtype.scalar_type}")
    geometry.broadcast_shapes(B._size[:-2], LD._size[:-2])
    check_kernel("ldl_solve_kernel_cpu", LD)


@operator("linear algebra", namespace="linalg", out=True)
def linalg_ldl_solve(
    LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: bool = False, out: Tensor | None = None
) -> Tensor:
    """The `X` for which ``A @ X == B``, of the `A` that `ldl_factor` factored."""
    _check_equation(LD, pivots, B)
    return into_out(_solved(LD, pivots, B, hermitian), out)
