"""Each element several times in a row: repeat_interleave."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.memory_format import contiguous_format
from tensorglass.ops.arg_parser.checks import check_tensor
from tensorglass.ops.declare.registry import Sample, operator, sample
from tensorglass.ops.declare.samples import values
from tensorglass.ops.kernels.host import on_host
from tensorglass.ops.reductions.values_and_indices import not_implemented
from tensorglass.tensor.construct import from_array
from tensorglass.tensor.tensor import Tensor, array_of


def _samples() -> Iterator[Sample]:
    times = values(3, low=0, high=4, dtype=dtypes.int64)
    yield sample(values(3), 2)
    yield sample(values(2, 3), 2)
    yield sample(values(2, 3), 3, 1)
    yield sample(values(2, 3), times, 1)
    yield sample(values(3), times)
    yield sample(values(2, 3), 0, dim=0)
    yield sample(values(2, 0), 2, -1)


@operator("rearranging", samples=_samples)
def repeat_interleave(
    input: Tensor, repeats: Tensor | int | None = None, dim: int | None = None, *, output_size: int | None = None
) -> Tensor:
    """Each element, or each slice along `dim`, `repeats` times in a row; a tensor gives a number for each.

    Without `dim` all elements are taken in order. With a single tensor, the numbers 0, 1, … that many times each.
    `output_size` says how many there are in all, and saves counting.
    """
    check_tensor("repeat_interleave", input)
    if repeats is None:
        if dim is not None:
            raise TypeError("along a dimension it wants numbers")  # `calls` says it in PyTorch's words
        return _places(input, output_size)
    if isinstance(repeats, int):
        if repeats < 0:
            raise RuntimeError("Repeats must be non-negative")
        if output_size is not None:
            total = repeats * (input.numel() if dim is None else input.size(dim))
            if total != output_size:
                raise RuntimeError(f"repeat_interleave: Invalid output_size, expected {total} but got {output_size}")
        return _each(input, repeats, dim)
    chosen, axis = (input.flatten(), 0) if dim is None else (input, dim)
    counts: Tensor = repeats
    if len(repeats._size) == 0 or repeats._size == (1,):
        counts = repeats.reshape(1).expand(chosen.size(axis))
    elif len(repeats._size) > 1:
        raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
    elif len(repeats) != chosen.size(axis):
        raise RuntimeError(
            "repeats must have the same size as input along dim, but got repeats.size(0) = "
            f"{len(repeats)} and input.size({axis}) = {chosen.size(axis)}"
        )
    places = _places(counts, output_size)
    if chosen._conj:
        return chosen.conj().index_select(axis, places).conj()
    return chosen.index_select(axis, places)


def _each(input: Tensor, repeats: int, dim: int | None) -> Tensor:
    """Every slice as often: expanded beside itself, and copied once."""
    flat = input.flatten() if dim is None else input
    axis = 0 if dim is None else geometry.wrap_dim(dim, max(len(flat._size), 1))
    wide = flat.unsqueeze(axis + 1)
    size = (*wide._size[: axis + 1], repeats, *wide._size[axis + 2 :])
    return wide.expand(size).clone(memory_format=contiguous_format).flatten(axis, axis + 1)


def _places(repeats: Tensor, output_size: int | None) -> Tensor:
    if repeats._dtype not in (dtypes.int32, dtypes.int64):
        raise not_implemented("repeat_interleave_cpu", repeats._dtype)
    if len(repeats._size) != 1:
        raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
    if len(repeats) and int(repeats.min()) < 0:
        raise RuntimeError("repeats can not be negative")
    total = int(repeats.sum())
    if output_size is not None and output_size != total:
        raise RuntimeError("allocated size does not match required size")
    array = repeats._storage.backend.launch(run_numbers, array_of(repeats), total)
    return from_array(array, repeats._dtype, repeats._storage)


def run_numbers(xp: Any, lengths: Array, total: int) -> Array:
    """For each of `total` elements the number of the run that it is in, where the runs have these `lengths`."""
    if on_host(xp):
        return xp.repeat(xp.arange(len(lengths), dtype=lengths.dtype), lengths)
    # Where each run ends is counted; how many have ended before a place is whose turn it is.
    return xp.searchsorted(xp.cumsum(lengths), xp.arange(total), side="right").astype(lengths.dtype)
