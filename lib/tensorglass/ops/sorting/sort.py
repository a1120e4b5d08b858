"""Putting elements in order: sort, argsort, msort. NaN counts as larger than every number.

Equal elements keep their order, but in small tensors whose rows are long enough for PyTorch not to keep it, unless
`stable` is asked for (`ops/among_equals.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import is_recorded, no_out_with_gradients
from tensorglass.ops.arg_parser.checks import check_pair, check_tensor
from tensorglass.ops.copies.copy import transfer
from tensorglass.ops.declare import return_types
from tensorglass.ops.declare.reduction import write_out
from tensorglass.ops.declare.registry import Sample, operator, sample
from tensorglass.ops.declare.run_pointwise import resize_output
from tensorglass.ops.declare.samples import values
from tensorglass.ops.declare.type_promotion import check_out_dtype
from tensorglass.ops.kernels import tie_breaking as among_equals
from tensorglass.ops.reductions.values_and_indices import elements_at, sort_backward
from tensorglass.tensor.construct import empty_on
from tensorglass.tensor.tensor import Tensor, array_of, raw_array


def _samples() -> Iterator[Sample]:
    yield sample(values(7))
    yield sample(values(3, 4), 0)
    yield sample(values(3, 4), -1, True)
    yield sample(values(2, 0))
    yield sample(values())


def _order(xp: Any, array: Array, axis: int, descending: bool, is_stable: bool) -> Array:
    """The positions of the elements in order."""
    backwards = (*(slice(None),) * axis, slice(None, None, -1))
    if not is_stable and among_equals.is_small(xp, array) and array.shape[axis] > among_equals.FEW:
        order = xp.argsort(array, axis=axis)
        if not among_equals.has_equals(elements_at(xp, array, order, axis), axis):
            return order[backwards] if descending else order
        sign = -1 if descending else 1
        return among_equals.along(xp, array, axis, lambda keys: among_equals.order([sign * key for key in keys]))
    if not descending:
        return xp.argsort(array, axis=axis, kind="stable")
    # Sorted from behind and read from behind, equals keep their order.
    behind = xp.argsort(array[backwards], axis=axis, kind="stable")[backwards]
    return array.shape[axis] - 1 - behind


def _sorted(xp: Any, array: Array, wide: Any, axis: int, descending: bool, is_stable: bool) -> tuple[Array, Array]:
    row = array.reshape(array.shape or (1,))
    positions = _order(xp, row.astype(wide, copy=False), axis, descending, is_stable)
    return elements_at(xp, row, positions, axis).reshape(array.shape), positions.reshape(array.shape)


def _write(xp: Any, target: Array, array: Array) -> None:
    target[...] = array


def _sort(input: Tensor, dim: int, descending: bool, stable: bool | None) -> tuple[Tensor, Tensor]:
    axis = geometry.wrap_dim(dim, max(len(input._size), 1))
    if input._dtype.is_complex:
        raise RuntimeError(" Sort does not support complex dtypes on CPU")
    backend = input._storage.backend
    wide = dtypes.float32 if input._dtype is dtypes.bfloat16 else input._dtype
    found = backend.launch(_sorted, array_of(input), backend.array_dtype(wide), axis, descending, bool(stable))
    strides = geometry.preserved_strides(input._size, input._stride)
    results = []
    for array, dtype in zip(found, (input._dtype, dtypes.int64), strict=True):
        made = empty_on(input._storage.device, input._size, strides, dtype)
        backend.launch(_write, raw_array(made), array)
        results.append(made)
    return results[0], results[1]


@operator("sorting", out=True, samples=_samples)
@derivative(node=lambda stable: f"SortBackward{int(stable is not None)}", outputs=1, input=sort_backward)
def sort(
    input: Tensor,
    dim: int = -1,
    descending: bool = False,
    *,
    stable: bool | None = None,
    out: tuple[Tensor, Tensor] | None = None,
) -> Any:
    """The elements in order along `dim`, and the positions where they stood; `stable`: equals keep their order."""
    check_tensor("sort", input)
    found = _sort(input, dim, descending, stable)
    if out is None:
        return return_types.sort(*found)
    check_pair(out)
    for made, target in zip(found, out, strict=True):
        check_out_dtype(target, made._dtype)
    for made, target in zip(found, out, strict=True):
        if target._size != made._size:
            resize_output(target, made._size)
        transfer(target, made)
        target._written()
    return return_types.sort.out(*out)


def _stable_samples() -> Iterator[Sample]:
    yield sample(values(7), stable=True)
    yield sample(values(3, 4), dim=0, descending=True, stable=True)
    yield sample(values(0, 3), stable=False)


@operator("sorting", out=True, samples=_stable_samples)
def argsort(
    input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool | None = None, out: Tensor | None = None
) -> Tensor:
    """The positions of the elements in order along `dim`; `stable`: equals keep their order."""
    check_tensor("argsort", input)
    found = _sort(input, dim, descending, stable)[1]
    if out is None:
        return found
    if stable is None:
        raise TypeError("PyTorch's form with out= has stable= as well")  # `calls` says it in its words
    check_out_dtype(out, found._dtype)
    return write_out(array_of(found), found._size, out, found._dtype)


def _whole_samples() -> Iterator[Sample]:
    yield sample(values(7))
    yield sample(values(3, 4))


@operator("sorting", out=True, samples=_whole_samples)
def msort(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements in order along the first dimension."""
    check_tensor("msort", input)
    check_out_dtype(out, input._dtype)
    if out is not None and is_recorded((input, out)):
        raise no_out_with_gradients("sort")
    made = sort(input, 0)[0]
    return made if out is None else write_out(array_of(made), made._size, out, made._dtype, (input,))
