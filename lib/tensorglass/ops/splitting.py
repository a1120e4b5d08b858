"""Cutting a tensor into views along a dimension. Where the cuts are is `layout.splitting`'s arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorglass import layout
from tensorglass.layout.splitting import Parts
from tensorglass.making import view_of
from tensorglass.ops.table import operator
from tensorglass.tensor import Tensor

Views = tuple[Tensor, ...]


def _cut(input: Tensor, parts: Parts, dim: int) -> Views:
    dim = layout.wrap_dim(dim, len(input._size))
    size, stride, offset = input._size, input._stride, input._offset
    before, after, step = size[:dim], size[dim + 1 :], stride[dim]
    return tuple([view_of(input, (*before, length, *after), stride, offset + start * step) for start, length in parts])


@operator("view")
def split(input: Tensor, split_size_or_sections: int | Sequence[int], dim: int = 0) -> Views:
    """Views of `split_size` positions each along `dim`, the last perhaps smaller; or of the sizes in a list."""
    if isinstance(split_size_or_sections, int):
        return _cut(input, layout.split(input._size, split_size_or_sections, dim), dim)
    return split_with_sizes(input, split_size_or_sections, dim)


@operator("view")
def split_with_sizes(input: Tensor, split_sizes: Sequence[int], dim: int = 0) -> Views:
    """Views of the given sizes along `dim`, which make it up together."""
    return _cut(input, layout.split_with_sizes(input._size, list(split_sizes), dim), dim)


@operator("view")
def chunk(input: Tensor, chunks: int, dim: int = 0) -> Views:
    """At most `chunks` views of equal size along `dim`, the last perhaps smaller."""
    return _cut(input, layout.chunk(input._size, chunks, dim), dim)


@operator("view")
def tensor_split(input: Tensor, indices_or_sections: Any, dim: int = 0) -> Views:
    """Exactly that many views along `dim`, as equal as can be; or cut at the given indices."""
    return _cut(input, layout.tensor_split(input._size, _plain(indices_or_sections), dim), dim)


@operator("view")
def hsplit(input: Tensor, indices_or_sections: Any) -> Views:
    """`tensor_split` side by side: along dimension 1, or 0 of a vector; sections must be equal."""
    dim, parts = layout.hsplit(input._size, _plain(indices_or_sections))
    return _cut(input, parts, dim)


@operator("view")
def vsplit(input: Tensor, indices_or_sections: Any) -> Views:
    """`tensor_split` one below the other: along dimension 0; sections must be equal."""
    dim, parts = layout.vsplit(input._size, _plain(indices_or_sections))
    return _cut(input, parts, dim)


@operator("view")
def dsplit(input: Tensor, indices_or_sections: Any) -> Views:
    """`tensor_split` in depth: along dimension 2; sections must be equal."""
    dim, parts = layout.dsplit(input._size, _plain(indices_or_sections))
    return _cut(input, parts, dim)


def _plain(indices_or_sections: Any) -> Any:
    return indices_or_sections.tolist() if isinstance(indices_or_sections, Tensor) else indices_or_sections


@operator("view", dunders=())
def unbind(input: Tensor, dim: int = 0) -> Views:
    """One view for each position of `dim`, which goes away."""
    if not input._size:
        raise IndexError(f"Dimension specified as {layout.wrap_dim(dim, 1)} but tensor has no dimensions")
    dim = layout.wrap_dim(dim, len(input._size))
    size = input._size[:dim] + input._size[dim + 1 :]
    stride = input._stride[:dim] + input._stride[dim + 1 :]
    step = input._stride[dim]
    return tuple([view_of(input, size, stride, input._offset + index * step) for index in range(input._size[dim])])


@operator("view", function=False, method=False, dunders=("__iter__",))
def __iter__(input: Tensor) -> Any:
    """The views that `unbind` makes, one after the other."""
    if not input._size:
        raise TypeError("iteration over a 0-d tensor")
    return iter(unbind(input, 0))
