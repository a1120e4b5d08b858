"""What operators share that choose elements along a dimension: a pair of the values and the positions they had."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.dtypes import comparable
from tensorglass.core.dtypes import dtype as DType
from tensorglass.ops.arg_parser.checks import check_pair
from tensorglass.ops.declare.overlap_checks import refuse_shared_cells
from tensorglass.ops.declare.reduction import write_out
from tensorglass.ops.declare.type_promotion import check_out_dtype
from tensorglass.ops.derivatives.formulas import restore_reduced_dims
from tensorglass.ops.kernels.ordering import elements_at
from tensorglass.tensor.construct import from_array
from tensorglass.tensor.tensor import Tensor, array_of

#: Two tensors to write to: of the input's dtype and of int64.
OutPair = tuple[Tensor, Tensor] | list[Tensor] | None


def choose(
    kernel: Callable[..., tuple[Array, Array]], input: Tensor, axis: int, *parameters: Any
) -> tuple[Array, Array]:
    """Run ``kernel(xp, array, axis, …)``, which gives positions along `axis`; the elements there, and the positions."""
    backend = input._storage.backend
    compute = backend.array_dtype(comparable(input._dtype))
    return backend.launch(_chosen_elements, kernel, array_of(input), compute, axis, parameters)


def _chosen_elements(
    xp: Any, kernel: Any, array: Array, compute: Any, axis: int, parameters: tuple[Any, ...]
) -> tuple[Array, Array]:
    array = array.reshape(array.shape or (1,))
    positions = kernel(xp, array.astype(compute, copy=False), axis, *parameters)
    found = elements_at(xp, array, positions, axis)
    return xp.ascontiguousarray(found), xp.ascontiguousarray(positions, dtype="int64")


def check_outputs(out: OutPair, dtype: DType) -> None:
    """Raise unless `out` are two tensors, of the dtype of the values and of int64."""
    if out is not None:
        check_pair(out)
        for target, wanted in zip(out, (dtype, dtypes.int64), strict=True):
            check_out_dtype(target, wanted)


def paired(
    pair: Any, found: tuple[Array, Array], input: Tensor, size: tuple[int, ...], out: OutPair, apart: bool = True
) -> Any:
    """The named tuple of values and positions, new or written to `out`, whose values must lie `apart` from `input`."""
    if out is not None and apart:
        refuse_shared_cells(out[0], input)
    results = []
    for array, dtype, target in zip(found, (input._dtype, dtypes.int64), out or (None, None), strict=True):
        fresh = array.reshape(size)
        results.append(
            from_array(fresh, dtype, input._storage) if target is None else write_out(fresh, size, target, dtype)
        )
    return (pair if out is None else pair.out)(*results)


def value_selecting_reduction_backward(
    grad: Tensor, input_size: Any, result1: Tensor, dim: int, keepdim: bool
) -> Tensor:
    """The gradient of elements chosen along `dim`: it goes to where they were found."""
    if not input_size:
        return grad
    indices = restore_reduced_dims(result1, input_size, dim, keepdim)
    return grad.new_zeros(input_size).scatter(dim, indices, restore_reduced_dims(grad, input_size, dim, keepdim))


def sort_backward(grad: Tensor, input_size: Any, result1: Tensor, dim: int) -> Tensor:
    """The gradient of sorted elements: each goes back to where the element came from."""
    return value_selecting_reduction_backward(grad, input_size, result1, dim, True)


def evenly_distribute_backward(grad: Tensor, input: Tensor, result: Tensor) -> Tensor:
    """The gradient of one element chosen of all: in equal parts to all that are equal to it; of a NaN to all NaNs."""
    chosen = input.isnan() if result.isnan() else input == result
    return input.new_zeros(input._size).masked_fill(chosen, grad / chosen.sum())
