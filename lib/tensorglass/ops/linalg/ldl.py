"""A symmetric or Hermitian matrix as triangle times blocks times triangle: linalg.ldl_factor, ldl_factor_ex, ldl_solve.

An element of the diagonal may be too small to divide by. Then, after Bunch and Kaufman, a block of two rows and columns
is eliminated at once. `pivots` says which rows were exchanged, counted from 1; both rows of such a block have the same
number, negated.
"""

from __future__ import annotations

import math
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
    from_column_major,
    from_row_major,
    launch,
)
from tensorglass.tensor.tensor import Tensor

#: How much smaller than its neighbours an element may be to be divided by: what keeps growth the least.
_ENOUGH = (1 + math.sqrt(17)) / 8

# --- kernels ---------------------------------------------------------------------------------------------------------


def _factor(xp: Any, A: Array, hermitian: bool) -> tuple[Array, Array, Array]:
    """Both factors in one triangle, the exchanges, and which pivot was the first that is zero, or 0."""
    *batch, rows, _ = A.shape
    work = xp.tril(A).reshape((math.prod(batch), rows, rows))
    pivots = xp.zeros((len(work), rows), "int32")
    info = xp.zeros(len(work), "int32")
    for place, matrix in enumerate(work):
        info[place] = _eliminate(xp, matrix, pivots[place], hermitian)
    shaped = pivots.reshape((*batch, rows)), info.reshape(tuple(batch))
    return column_major(xp, work.reshape(A.shape)), *shaped


def _eliminate(xp: Any, work: Array, pivots: Array, hermitian: bool) -> int:
    """Eliminate one matrix, of which the lower triangle is read, in place. Returns its `info`."""
    info, first, rows = 0, 0, len(work)
    while first < rows:
        chosen, width = _pivot(xp, work, first, hermitian)
        if chosen is None:
            info = info or first + 1
            pivots[first] = first + 1
            first += 1
            continue
        last = first + width - 1
        if chosen != last:
            _exchange(xp, work, first, last, chosen, hermitian)
        if hermitian:
            _clear_diagonal(xp, work, first)
        block = work[first : last + 1, first : last + 1].copy()
        if width == 2:
            block[0, 1] = block[1, 0].conj() if hermitian else block[1, 0]
        below = work[last + 1 :, first : last + 1].copy()
        factors = below / block[0, 0] if width == 1 else below @ _inverse(xp, block)
        turned = xp.conj(below).T if hermitian else below.T
        work[last + 1 :, last + 1 :] -= xp.tril(factors @ turned)
        work[last + 1 :, first : last + 1] = factors
        pivots[first : last + 1] = chosen + 1 if width == 1 else -(chosen + 1)
        first = last + 1
    if hermitian:
        _clear_diagonal(xp, work, 0)
    return info


def _pivot(xp: Any, work: Array, first: int, hermitian: bool) -> tuple[int | None, int]:
    """Which row and column to bring here, and how many to eliminate at once; None where all that is left is zero."""
    own = _size(xp, work[first, first], hermitian)
    column = _sizes(xp, work[first + 1 :, first])
    below = first + 1 + int(xp.argmax(column)) if len(column) else first
    largest = float(column.max()) if len(column) else 0.0
    if max(own, largest) == 0 or math.isnan(own):
        return None, 1
    if own >= _ENOUGH * largest:
        return first, 1
    most = float(_sizes(xp, work[below, first:below]).max())
    if below + 1 < len(work):
        most = max(most, float(_sizes(xp, work[below + 1 :, below]).max()))
    if own >= _ENOUGH * largest * (largest / most):
        return first, 1
    return below, 1 if _size(xp, work[below, below], hermitian) >= _ENOUGH * most else 2


def _sizes(xp: Any, elements: Array) -> Array:
    """What LAPACK chooses the pivot by."""
    if elements.dtype.kind == "c":
        return xp.absolute(elements.real) + xp.absolute(elements.imag)
    return xp.absolute(elements)


def _size(xp: Any, element: Any, hermitian: bool) -> float:
    return float(xp.absolute(element.real) if hermitian else _sizes(xp, element))


def _exchange(xp: Any, work: Array, first: int, one: int, other: int, hermitian: bool) -> None:
    """Exchange rows and columns `one` and `other` of what is left from `first` on: only the lower triangle is there."""
    work[other + 1 :, [one, other]] = work[other + 1 :, [other, one]]
    between = work[one + 1 : other, one].copy(), work[other, one + 1 : other].copy()
    work[one + 1 : other, one] = xp.conj(between[1]) if hermitian else between[1]
    work[other, one + 1 : other] = xp.conj(between[0]) if hermitian else between[0]
    if hermitian:
        work[other, one] = xp.conj(work[other, one])
    work[[one, other], [one, other]] = work[[other, one], [other, one]]
    if one > first:
        work[[one, other], first] = work[[other, one], first]


def _clear_diagonal(xp: Any, work: Array, first: int) -> None:
    """The diagonal of a Hermitian matrix is real."""
    places = xp.arange(first, len(work))
    work[places, places] = work[places, places].real


def _inverse(xp: Any, block: Array) -> Array:
    (a, b), (c, d) = block
    return xp.stack([xp.stack([d, -b]), xp.stack([-c, a])]) / (a * d - b * c)


def _solution(xp: Any, LD: Array, pivots: Array, B: Array, hermitian: bool) -> Array:
    """The solutions, column by column."""
    batch = xp.broadcast_shapes(LD.shape[:-2], B.shape[:-2])
    found = xp.array(xp.broadcast_to(B, (*batch, *B.shape[-2:])))
    count = math.prod(batch)
    factors = xp.broadcast_to(LD, (*batch, *LD.shape[-2:])).reshape((count, *LD.shape[-2:]))
    exchanges = xp.broadcast_to(pivots, (*batch, pivots.shape[-1])).reshape((count, pivots.shape[-1]))
    right = found.reshape((count, *B.shape[-2:]))
    for place in range(count):
        _solve(xp, factors[place], [int(each) for each in exchanges[place]], right[place], hermitian)
    return column_major(xp, right.reshape(found.shape))


def _solve(xp: Any, LD: Array, pivots: list[int], right: Array, hermitian: bool) -> None:
    """Solve with one factored matrix, in place: down the triangle and through the blocks, then up again."""
    starts, first = [], 0
    while first < len(pivots):
        width = 1 if pivots[first] > 0 else 2
        starts.append((first, first + width))
        last, other = first + width - 1, abs(pivots[first]) - 1
        if other != last:
            right[[last, other]] = right[[other, last]]
        block = LD[first : last + 1, first : last + 1].copy()
        rows = right[first : last + 1]
        right[last + 1 :] -= LD[last + 1 :, first : last + 1] @ rows
        if width == 1:
            right[first] = rows[0] / (block[0, 0].real if hermitian else block[0, 0])
        else:
            block[0, 1] = block[1, 0].conj() if hermitian else block[1, 0]
            right[first : last + 1] = _inverse(xp, block) @ rows
        first = last + 1
    for first, end in reversed(starts):
        below = LD[end:, first:end]
        right[first:end] -= (xp.conj(below).T if hermitian else below.T) @ right[end:]
        other = abs(pivots[first]) - 1
        if other != end - 1:
            right[[end - 1, other]] = right[[other, end - 1]]


# --- operators -------------------------------------------------------------------------------------------------------


@derivative(node="NotImplemented", input=no_derivative("aten::linalg_ldl_factor_ex"))
def _factored(input: Tensor, hermitian: bool) -> tuple[Tensor, Tensor, Tensor]:
    name = "torch.linalg.ldl_factor_ex"
    check_square(name, input)
    check_floating(name, input)
    check_kernel("ldl_factor_kernel_cpu", input)
    both, pivots, info = launch(_factor, input, hermitian=hermitian)
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


def _samples() -> Iterator[Sample]:
    yield sample(values(3, 3))
    yield sample(values(2, 4, 4), hermitian=True)
    yield sample(values(0, 0))


@operator("linear algebra", namespace="linalg", out=True, samples=_samples)
def linalg_ldl_factor(input: Tensor, *, hermitian: bool = False, out: Any = None) -> Any:
    """A matrix, symmetric or `hermitian`, of which the lower triangle is read, as ``L @ D @ L.mT``, and the exchanges.

    `D` has blocks of one or two rows on its diagonal; both factors are in one lower triangle.
    """
    check_tensor("linalg_ldl_factor", input)
    LD, pivots, info = _recorded_factors(input, hermitian)
    _refuse_failure("torch.linalg.ldl_factor", info)
    return all_into_out(return_types.linalg_ldl_factor, (LD, pivots), out)


@operator("linear algebra", namespace="linalg", out=True, samples=_samples)
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


def _equations() -> Iterator[Sample]:
    triangle = values(3, 3, low=1.0)
    yield sample(triangle, values(3, low=1.0, high=1.9, dtype=dtypes.int32), values(3, 2))
    yield sample(triangle, values(3, low=1.0, high=1.9, dtype=dtypes.int32), values(2, 3, 1), hermitian=True)
    yield sample(values(0, 0), values(0, dtype=dtypes.int32), values(0, 2))


@operator("linear algebra", namespace="linalg", out=True, samples=_equations)
def linalg_ldl_solve(
    LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: bool = False, out: Tensor | None = None
) -> Tensor:
    """The `X` for which ``A @ X == B``, of the `A` that `ldl_factor` factored."""
    for argument, (place, given) in {"LD": (1, LD), "pivots": (2, pivots), "B": (3, B)}.items():
        check_tensor("linalg_ldl_solve", given, argument, place)
    _check_equation(LD, pivots, B)
    return into_out(_recorded_solution(LD, pivots, B, hermitian), out)
