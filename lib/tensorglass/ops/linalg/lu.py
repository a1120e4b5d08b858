"""A matrix as a permutation of a lower triangular matrix times an upper one: lu_factor, lu_factor_ex, lu, lu_unpack.

This is Gauss's elimination, written down. What a row was multiplied by stands below the diagonal, where elimination
left a zero; `pivots` says, step by step, which row was exchanged with that of the step.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.errors import explained, warn
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.arg_parser.checks import check_tensor, type_name
from tensorglass.ops.arg_parser.missing_dtypes import refuse_unwritten
from tensorglass.ops.copies.out import all_into_out
from tensorglass.ops.declare import return_types
from tensorglass.ops.declare.registry import Sample, operator, sample
from tensorglass.ops.declare.samples import values
from tensorglass.ops.kernels.host import on_host
from tensorglass.ops.linalg.common import (
    check_kernel,
    column_major,
    failure,
    from_column_major,
    from_row_major,
    launch,
)
from tensorglass.ops.linalg.solve_triangular import solve_with, substituted
from tensorglass.ops.rearrange.cat_stack import cat
from tensorglass.ops.rearrange.pad import constant_pad_nd
from tensorglass.tensor.tensor import Tensor, array_of

#: How many columns are eliminated one by one before the columns behind them are, in one product.
_BLOCK = 32
_FEW = 4  #: matrices, which take less time one by one than as a batch

# --- kernels ---------------------------------------------------------------------------------------------------------


def _factor(xp: Any, A: Array) -> tuple[Array, Array, Array]:
    """Both factors in one matrix, the exchanges, counted from 1, and which pivot was the first that is zero, or 0."""
    *batch, rows, columns = A.shape
    count = min(rows, columns)
    work = xp.array(A).reshape((math.prod(batch), rows, columns))
    pivots = xp.zeros((len(work), count), "int32")
    info = xp.zeros(len(work), "int32")
    if on_host(xp) and len(work) <= _FEW:
        for place, matrix in enumerate(work):
            info[place] = _eliminate(xp, matrix, pivots[place])
    else:
        info = _eliminate_all(xp, work, pivots, info)
    by_matrix = pivots.reshape((*batch, count)), info.reshape(tuple(batch)).astype("int32")
    return column_major(xp, work.reshape(A.shape)), *by_matrix


def _eliminate(xp: Any, work: Array, pivots: Array) -> int:
    """Eliminate one matrix, in place: a third of the time that it takes as a batch of one. Returns its `info`."""
    count, columns = len(pivots), work.shape[1]
    info = 0
    for start in range(0, count, _BLOCK):
        stop = min(start + _BLOCK, count)
        for step in range(start, stop):
            chosen = step + int(_magnitudes(xp, work[step:, step]).argmax())
            pivots[step] = chosen + 1
            if chosen != step:
                work[[step, chosen]] = work[[chosen, step]]
            head, factor = work[step, step], work[step + 1 :, step]
            if head == 0:
                info = info or step + 1
            else:
                factor /= head
            work[step + 1 :, step + 1 : stop] -= factor[:, None] * work[step, step + 1 : stop]
        if stop < columns:
            right = substituted(xp, work[start:stop, start:stop], work[start:stop, stop:], False, True)
            work[start:stop, stop:] = right
            work[stop:, stop:] -= work[stop:, start:stop] @ right
    return info


def _eliminate_all(xp: Any, work: Array, pivots: Array, info: Array) -> Array:
    """Eliminate a batch of matrices beside each other, in place. Returns `info`."""
    count, columns = pivots.shape[1], work.shape[2]
    number = xp.arange(len(work))
    for start in range(0, count, _BLOCK):
        stop = min(start + _BLOCK, count)
        for step in range(start, stop):
            chosen = step + xp.argmax(_magnitudes(xp, work[:, step:, step]), axis=1)
            pivots[:, step] = chosen + 1
            upper = work[:, step].copy()
            work[:, step] = work[number, chosen]
            work[number, chosen] = upper
            head = work[:, step, step]
            info = xp.where((head == 0) & (info == 0), step + 1, info)
            factor = work[:, step + 1 :, step] / xp.where(head == 0, 1, head)[:, None]
            work[:, step + 1 :, step] = factor
            work[:, step + 1 :, step + 1 : stop] -= factor[:, :, None] * work[:, None, step, step + 1 : stop]
        if stop < columns:
            right = substituted(xp, work[:, start:stop, start:stop], work[:, start:stop, stop:], False, True)
            work[:, start:stop, stop:] = right
            work[:, stop:, stop:] -= work[:, stop:, start:stop] @ right
    return info


def _magnitudes(xp: Any, column: Array) -> Array:
    """What LAPACK chooses the pivot by."""
    if column.dtype.kind == "c":
        return xp.absolute(column.real) + xp.absolute(column.imag)
    return xp.absolute(column)


def order_of_rows(xp: Any, pivots: Array, rows: int) -> Array:
    """For each row of the factors the row of the matrix that it was made of: the exchanges, one after the other."""
    *batch, steps = pivots.shape
    flat = pivots.reshape((math.prod(batch), steps))
    if on_host(xp) and len(flat) <= _FEW:
        return xp.asarray([_exchanged(each, rows) for each in flat.tolist()], "int64").reshape((*batch, rows))
    number = xp.arange(len(flat))
    order = xp.zeros((len(flat), rows), "int64") + xp.arange(rows)
    for step in range(steps):
        other = flat[:, step].astype("int64") - 1
        upper = order[:, step].copy()
        order[:, step] = order[number, other]
        order[number, other] = upper
    return order.reshape((*batch, rows))


def _exchanged(pivots: list[int], rows: int) -> list[int]:
    order = list(range(rows))
    for step, other in enumerate(pivots):
        order[step], order[other - 1] = order[other - 1], order[step]
    return order


def _permutation(xp: Any, LU: Array, pivots: Array) -> Array:
    rows = LU.shape[-2]
    order = order_of_rows(xp, pivots, rows)
    return xp.ascontiguousarray(xp.arange(rows)[:, None] == order[..., None, :], LU.dtype)


def _triangles(xp: Any, LU: Array) -> tuple[Array, Array]:
    rows, columns = LU.shape[-2:]
    count = min(rows, columns)
    lower = xp.tril(LU[..., :count], -1) + xp.eye(rows, count, dtype=LU.dtype)
    return xp.ascontiguousarray(lower), xp.ascontiguousarray(xp.triu(LU[..., :count, :]))


# --- derivatives -----------------------------------------------------------------------------------------------------


def _gradient(P: Tensor, L: Tensor, U: Tensor, of_lower: Tensor, of_upper: Tensor) -> Tensor:
    """The gradient of ``P @ L @ U``, from those of both triangles.

    From a tall matrix the rows below belong to L alone, from a wide one the columns behind to U alone.
    """
    rows, columns = L._size[-2], U._size[-1]
    count = min(rows, columns)
    square, top = L.narrow(-2, 0, count), U.narrow(-1, 0, count)
    inner = (L.mH @ of_lower).tril(-1) + (of_upper @ U.mH).triu()
    if columns > count:
        behind = of_upper.narrow(-1, count, columns - count)
        rest = U.narrow(-1, count, columns - count)
        inner = (L.mH @ of_lower - behind @ rest.mH).tril(-1) + (of_upper.narrow(-1, 0, count) @ top.mH).triu()
        inner = cat([_divided(inner, top), behind], -1)
        return P @ solve_with(square.mH, inner, True, True, True)
    if rows > count:
        below = of_lower.narrow(-2, count, rows - count)
        left = square.mH @ of_lower.narrow(-2, 0, count)
        inner = left.tril(-1) + (of_upper @ U.mH - L.narrow(-2, count, rows - count).mH @ below).triu()
        inner = cat([solve_with(square.mH, inner, True, True, True), below], -2)
        return P @ _divided(inner, top)
    return P @ solve_with(square.mH, _divided(inner, top), True, True, True)


def _divided(matrix: Tensor, upper: Tensor) -> Tensor:
    """``matrix @ upper.mH.inverse()``."""
    found: Tensor = solve_with(upper.mH, matrix, False, False, False)
    return found


def _of_factors(grads: Sequence[Tensor], results: Sequence[Tensor]) -> Tensor:
    L, U, P = results
    return _gradient(P, L, U, *grads[:2])


def _of_both_in_one(grad: Tensor, results: Sequence[Tensor]) -> Tensor:
    LU, pivots, _ = results
    count = min(LU._size[-2:])
    P, L, U = lu_unpack(LU, pivots)
    return _gradient(P, L, U, grad.narrow(-1, 0, count).tril(-1), grad.narrow(-2, 0, count).triu())


def _of_triangles(grads: Sequence[Tensor], LU_data_size: tuple[int, ...]) -> Tensor:
    rows, columns = LU_data_size[-2:]
    lower, upper = grads[0].tril(-1), grads[1].triu()
    if rows > columns:
        upper = constant_pad_nd(upper, (0, 0, 0, rows - columns))
    if columns > rows:
        lower = constant_pad_nd(lower, (0, columns - rows))
    return lower + upper


# --- what is recorded: the permutation comes last, for it moves in steps, and no gradient flows through it ------------


def _check(name: str, A: Tensor, pivot: bool) -> None:
    if len(A._size) < 2:
        raise RuntimeError(f"{name}: Expected tensor with 2 or more dimensions. Got size: {list(A._size)} instead")
    check_kernel("lu_cpu", A)
    if not pivot:
        raise explained(
            RuntimeError("linalg.lu_factor: LU without pivoting is not implemented on the CPU"),
            "Rows are exchanged so that nothing is divided by a small number.",
        )


@derivative(node="LinalgLuFactorExBackward0", outputs=1, A=_of_both_in_one)
def _factored(A: Tensor, pivot: bool) -> tuple[Tensor, Tensor, Tensor]:
    _check("torch.lu_factor", A, pivot)
    both, pivots, info = launch(_factor, A)
    storage = A._storage
    return (
        from_column_major(both, A._dtype, storage),
        from_row_major(pivots, dtypes.int32, storage),
        from_row_major(info, dtypes.int32, storage),
    )


@derivative(node="LinalgLuBackward0", outputs=2, A=_of_factors)
def _in_three(A: Tensor, pivot: bool) -> tuple[Tensor, Tensor, Tensor]:
    _check("linalg.lu", A, pivot)
    LU, pivots, _ = _factored(A, pivot)
    return _unpacked(LU, pivots)


@derivative(node="LuUnpackBackward0", outputs=2, LU_data=_of_triangles)
def _unpacked(LU_data: Tensor, LU_pivots: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    lower, upper = LU_data._backend.launch(_triangles, array_of(LU_data))
    storage, dtype = LU_data._storage, LU_data._dtype
    return from_row_major(lower, dtype, storage), from_row_major(upper, dtype, storage), _permuting(LU_data, LU_pivots)


def _permuting(LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    arrays = array_of(LU_data), array_of(LU_pivots)
    if 0 not in LU_data._size[:-1]:
        refuse_unwritten("scatter_gather_scalar_cpu", LU_data._dtype)
    return from_row_major(LU_data._backend.launch(_permutation, *arrays), LU_data._dtype, LU_data._storage)


_factored_recorded: Any = recorded(_factored)
_in_three_recorded: Any = recorded(_in_three)
_unpacked_recorded: Any = recorded(_unpacked)


# --- operators -------------------------------------------------------------------------------------------------------


def _matrices() -> Iterator[Sample]:
    yield sample(values(2, 3, 3, seed=2))
    yield sample(values(1, 3, 2, seed=1))
    yield sample(values(1, 2, 4))
    yield sample(values(1, 1))
    for size in ((0, 0), (0, 2, 2), (2, 0, 3), (3, 0)):
        yield sample(values(*size))


def _refuse_singular(name: str, info: Tensor) -> None:
    error = failure(
        name,
        info,
        lambda pivot: (
            f"U[{pivot},{pivot}] is zero and using it on lu_solve would result in a division by zero. If you still "
            "want to perform the factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)"
        ),
    )
    if error is not None:
        raise RuntimeError(str(error))


@operator("linear algebra", namespace="linalg", samples=_matrices)
def linalg_lu_factor(A: Tensor, *, pivot: bool = True, out: Sequence[Tensor] | None = None) -> Any:
    """Both triangular factors in one matrix, as `lu_solve` takes them, and the exchanges of rows.

    Raises RuntimeError where a pivot is zero: `lu_factor_ex` does not.
    """
    check_tensor("linalg_lu_factor", A, "A")
    LU, pivots, info = _factored_recorded(A, pivot)
    _refuse_singular("torch.linalg.lu_factor", info)
    return all_into_out(return_types.linalg_lu_factor, (LU, pivots), out)


@operator("linear algebra", namespace="linalg", samples=_matrices)
def linalg_lu_factor_ex(
    A: Tensor, *, pivot: bool = True, check_errors: bool = False, out: Sequence[Tensor] | None = None
) -> Any:
    """`lu_factor`, and for each matrix which pivot was the first that is zero, from 1; 0 where none is."""
    check_tensor("linalg_lu_factor_ex", A, "A")
    found = _factored_recorded(A, pivot)
    if check_errors:
        _refuse_singular("torch.linalg.lu_factor_ex", found[2])
    return all_into_out(return_types.linalg_lu_factor_ex, found, out)


@operator("linear algebra", namespace="linalg", samples=_matrices)
def linalg_lu(A: Tensor, *, pivot: bool = True, out: Sequence[Tensor] | None = None) -> Any:
    """The permutation `P`, the lower triangular `L` with ones on its diagonal, and `U`: ``P @ L @ U == A``."""
    check_tensor("linalg_lu", A, "A")
    L, U, P = _in_three_recorded(A, pivot)
    return all_into_out(return_types.linalg_lu, (P, L, U), out)


@operator("linear algebra", method=False)
def lu_unpack(
    LU_data: Tensor,
    LU_pivots: Tensor,
    unpack_data: bool = True,
    unpack_pivots: bool = True,
    *,
    out: Sequence[Tensor] | None = None,
) -> Any:
    """`P`, `L` and `U` of what `lu_factor` gave; empty tensors for those that are not asked for."""
    check_tensor("lu_unpack", LU_data, "LU_data")
    check_tensor("lu_unpack", LU_pivots, "LU_pivots", 2)
    if len(LU_data._size) < 2:
        raise RuntimeError(
            f"torch.lu_unpack: Expected tensor with 2 or more dimensions. Got size: {list(LU_data._size)} instead"
        )
    if unpack_pivots:
        _check_pivots(LU_data, LU_pivots)
    empty = [LU_data.new_empty((0,)) for _ in range(3)]
    if not unpack_data:
        P, L, U = _permuting(LU_data, LU_pivots) if unpack_pivots else empty[0], *empty[1:]
    else:
        of_nothing = LU_pivots if unpack_pivots else LU_pivots.new_empty((*LU_data._size[:-2], 0), dtype=dtypes.int32)
        L, U, P = _unpacked_recorded(LU_data, of_nothing)
        P = P if unpack_pivots else empty[0]
    return all_into_out(return_types.lu_unpack, (P, L, U), out)


def _check_pivots(LU_data: Tensor, LU_pivots: Tensor) -> None:
    if LU_pivots._dtype is not dtypes.int32:
        raise explained(
            RuntimeError("torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype."),
            "It is intended to be given what linalg.lu_factor returned.",
        )
    if LU_pivots.numel() and not bool(((LU_pivots >= 1) & (LU_pivots <= LU_data._size[-2])).all()):
        raise RuntimeError(
            "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive.Did you properly pass the result "
            "of lu_factor?"
        )


_ADVICE = (
    "torch.lu is deprecated in favor of torch.linalg.lu_factor / torch.linalg.lu_factor_ex and will be removed in a "
    "future PyTorch release.\nLU, pivots = torch.lu(A, compute_pivots)\nshould be replaced with\nLU, pivots = "
    "torch.linalg.lu_factor(A, compute_pivots)\nand\nLU, pivots, info = torch.lu(A, compute_pivots, get_infos=True)\n"
    "should be replaced with\nLU, pivots, info = torch.linalg.lu_factor_ex(A, compute_pivots)"
)


def _lu_method(A: Tensor, pivot: bool = True, get_infos: bool = False) -> tuple[Tensor, ...]:
    """`lu`, in a tuple without names."""
    return tuple(lu(A, pivot, get_infos))


@operator("linear algebra", samples=_matrices, signatures=None, method_form=_lu_method)
def lu(A: Tensor, pivot: bool = True, get_infos: bool = False, out: Sequence[Tensor] | None = None) -> Any:
    """`linalg.lu_factor_ex` under its old name: the factors and the exchanges, and if `get_infos` the zero pivots."""
    check_tensor("_lu_with_info", A)
    if not isinstance(pivot, bool):
        raise TypeError(f"_lu_with_info(): argument 'pivot' must be bool, not {type_name(pivot)}")
    warn(_ADVICE)
    found = _factored_recorded(A, pivot)
    if out is None:
        return return_types._lu_with_info(*found) if get_infos else found[:2]
    if len(out) != 2 + get_infos:
        raise TypeError(f"expected tuple of {2 + get_infos} elements but got {len(out)}")
    for each, result in zip(out, found, strict=False):
        each.resize_as_(result).copy_(result)
    return out
