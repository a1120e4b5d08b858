"""Cutting a dimension into parts.

A part is a `(start, length)` along one dimension, and `slice_` makes it a view. No function here touches strides; each
only decides where to cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TypeAlias

from tensorglass.core.errors import explained
from tensorglass.geometry.dims import Ints, as_int, wrap_dim

Parts: TypeAlias = list[tuple[int, int]]

_NOTEBOOK = "2/09 Joining and splitting"


def split(size: Ints, split_size: int, dim: int = 0) -> Parts:
    """Return parts of `split_size` elements along `dim`; the last may be smaller."""
    _check_has_dims(size, "split expects at least a 1-dimensional tensor")
    split_size = as_int(split_size)
    if split_size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={split_size}")
    length = size[wrap_dim(dim, len(size))]
    if split_size == 0:
        if length:
            raise explained(
                RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {length}"),
                "split takes the size of a part; to say how many parts, write chunk or tensor_split.",
                notebook=_NOTEBOOK,
            )
        return [(0, 0)]
    return [(start, min(split_size, length - start)) for start in range(0, max(length, 1), split_size)]


def split_with_sizes(size: Ints, split_sizes: Sequence[int], dim: int = 0) -> Parts:
    """Return parts of the given sizes along `dim`; together they must make up the whole dimension."""
    _check_has_dims(size, "split expects at least a 1-dimensional tensor")
    length, split_sizes = size[wrap_dim(dim, len(size))], [as_int(part) for part in split_sizes]
    if any(part < 0 for part in split_sizes):
        raise RuntimeError(
            "split_with_sizes expects split_sizes have only non-negative entries, but got "
            f"split_sizes={list(split_sizes)}"
        )
    if sum(split_sizes) != length:
        raise explained(
            RuntimeError(
                f"split_with_sizes expects split_sizes to sum exactly to {length} (input tensor's size at "
                f"dimension {dim}), but got split_sizes={list(split_sizes)}"
            ),
            f"They sum to {sum(split_sizes)}.",
            notebook=_NOTEBOOK,
        )
    parts = []
    start = 0
    for part in split_sizes:
        parts.append((start, part))
        start += part
    return parts


def chunk(size: Ints, chunks: int, dim: int = 0) -> Parts:
    """Return at most `chunks` parts along `dim`, all of one size but the last."""
    _check_has_dims(size, "chunk expects at least a 1-dimensional tensor")
    chunks = as_int(chunks)
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    length = size[wrap_dim(dim, len(size))]
    if length == 0:
        return [(0, 0)] * chunks
    return split(size, -(-length // chunks), dim)


def tensor_split(size: Ints, sections_or_indices: int | Sequence[int], dim: int = 0) -> Parts:
    """Return the given number of parts along `dim`, as equal as possible, or the parts between the given cuts."""
    _check_has_dims(size, "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    length = size[wrap_dim(dim, len(size))]
    if not isinstance(sections_or_indices, int):
        cuts = [None, *sections_or_indices, None]
        return [
            (begin, max(end - begin, 0))
            for begin, end, _ in (slice(cut, following).indices(length) for cut, following in pairwise(cuts))
        ]
    sections_or_indices = as_int(sections_or_indices)
    if sections_or_indices <= 0:
        raise RuntimeError(f"number of sections must be larger than 0, got {sections_or_indices}")
    smaller, larger_ones = divmod(length, sections_or_indices)
    parts = []
    start = 0
    for number in range(sections_or_indices):
        part = smaller + (number < larger_ones)
        parts.append((start, part))
        start += part
    return parts


def hsplit(size: Ints, sections_or_indices: int | Sequence[int]) -> tuple[int, Parts]:
    """Return the dimension that `hsplit` cuts (columns; of a vector, its elements) and its parts."""
    return _stacking_split("hsplit", size, sections_or_indices, dim=0 if len(size) == 1 else 1, at_least=1)


def vsplit(size: Ints, sections_or_indices: int | Sequence[int]) -> tuple[int, Parts]:
    """Return the dimension that `vsplit` cuts, the rows, and its parts."""
    return _stacking_split("vsplit", size, sections_or_indices, dim=0, at_least=2)


def dsplit(size: Ints, sections_or_indices: int | Sequence[int]) -> tuple[int, Parts]:
    """Return the dimension that `dsplit` cuts, the third, and its parts."""
    return _stacking_split("dsplit", size, sections_or_indices, dim=2, at_least=3)


def _stacking_split(
    name: str, size: Ints, sections_or_indices: int | Sequence[int], dim: int, at_least: int
) -> tuple[int, Parts]:
    if len(size) < at_least:
        raise RuntimeError(
            f"torch.{name} requires a tensor with at least {at_least} dimension, but got a tensor with "
            f"{len(size)} dimensions!"
        )
    if isinstance(sections_or_indices, int) and (as_int(sections_or_indices) == 0 or size[dim] % sections_or_indices):
        raise explained(
            RuntimeError(
                f"torch.{name} attempted to split along dimension {dim}, but the size of the dimension "
                f"{size[dim]} is not divisible by the split_size {sections_or_indices}!"
            ),
            f"{name} wants equal parts. tensor_split(…, dim={dim}) takes what does not divide evenly.",
            notebook=_NOTEBOOK,
        )
    return dim, tensor_split(size, sections_or_indices, dim)


def _check_has_dims(size: Ints, message: str) -> None:
    if not size:
        raise explained(RuntimeError(message), "A 0-dim tensor has no dimension to cut: unsqueeze(0) gives it one.")
