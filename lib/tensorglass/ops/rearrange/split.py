"""Cutting a tensor into views along a dimension. Where the cuts are is `geometry.splitting`'s arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

from tensorglass import geometry
from tensorglass.core.dtypes import int64
from tensorglass.geometry.splitting import Parts
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.derivatives.view_nodes import slice_view
from tensorglass.ops.rearrange.cat_stack import cat, stack
from tensorglass.tensor.construct import as_siblings, view_of
from tensorglass.tensor.grad_mode import state
from tensorglass.tensor.tensor import Tensor

Views = tuple[Tensor, ...]


def _cut(input: Tensor, parts: Parts, dim: int) -> list[Tensor]:
    dim = geometry.wrap_dim(dim, len(input._size))
    if input._meta is not None and not state.below:  # recorded as slices
        return [slice_view(input, dim, start, start + length) for start, length in parts]
    size, stride, offset = input._size, input._stride, input._offset
    before, after, step = size[:dim], size[dim + 1 :], stride[dim]
    return [view_of(input, (*before, length, *after), stride, offset + start * step) for start, length in parts]


#: The signatures of the operators that PyTorch's method calls; the method itself is written in Python.
_BY_SIZE = (
    "(Tensor input, int split_size, int dim = 0)",
    "(Tensor input, tuple of ints split_size, int dim = 0)",
)


@derivative(
    node=lambda split_size: "SplitBackward0" if isinstance(split_size, (int, Tensor)) else None,
    input=lambda grads, dim, input_size, split_size: cat(grads, dim),
)
def _split(input: Tensor, split_size: Any, dim: int = 0) -> Views:
    """Views of `split_size` positions each along `dim`, the last perhaps smaller; or of the sizes in a list."""
    if isinstance(split_size, Tensor) and split_size.numel() == 1:
        split_size = int(split_size)
    if isinstance(split_size, int):
        if type(dim) is not int:
            from tensorglass.ops.arg_parser.signature import Signatures  # when it is needed: imports should be quick

            dim = Signatures(None, "split", _BY_SIZE, False).read((input, split_size, dim), {})[0][2]
        return as_siblings(_cut(input, geometry.split(input._size, index(split_size), dim), dim))
    if (
        type(dim) is not int
        or type(split_size) not in (list, tuple)
        or any(type(part) is not int for part in split_size)
    ):
        from tensorglass.ops.arg_parser.signature import refusal  # when it is needed: imports should be quick

        refused = refusal("split_with_sizes", (input, split_size, dim), {}, is_method=False)
        if refused is not None:
            raise refused
    return split_with_sizes(input, split_size, dim)


_split.__name__, _split.__qualname__ = "split", "Tensor.split"
_split = recorded(_split)


@operator("view", method_form=_split, signatures=None)
def split(tensor: Tensor, split_size_or_sections: int | Sequence[int], dim: int = 0) -> Views:
    """Views of `split_size` positions each along `dim`, the last perhaps smaller; or of the sizes in a list."""
    return tensor.split(split_size_or_sections, dim)  # PyTorch's function is Python too, and calls the method


@operator("view")
@derivative(input=lambda grads, dim, input_size, split_sizes: cat(grads, dim))
def split_with_sizes(input: Tensor, split_sizes: Sequence[int], dim: int = 0) -> Views:
    """Views of the given sizes along `dim`, which make it up together."""
    return as_siblings(_cut(input, geometry.split_with_sizes(input._size, list(split_sizes), dim), dim))


@operator("view")
def chunk(input: Tensor, chunks: int, dim: int = 0) -> Views:
    """At most `chunks` views of equal size along `dim`, the last perhaps smaller."""
    parts = geometry.chunk(input._size, chunks, dim)
    if input._meta is None:
        return as_siblings(_cut(input, parts, dim))
    views: Views = input.split(parts[0][1] or [0] * len(parts), dim)  # the node that PyTorch records
    return views


@operator(
    "view",
    signatures=(
        "(Tensor input, tuple of ints indices, int dim = 0)",
        "(Tensor input, Tensor tensor_indices_or_sections, int dim = 0)",
        "(Tensor input, int sections, int dim = 0)",
    ),
)
def tensor_split(input: Tensor, indices_or_sections: Any, /, dim: int = 0) -> Views:
    """That many views along `dim`, as equal as possible; or the parts between the given indices."""
    return tuple(_cut(input, geometry.tensor_split(input._size, _plain_sections(indices_or_sections, input), dim), dim))


@operator("view", signatures=("(Tensor input, int sections)", "(Tensor input, tuple of ints indices)"))
def hsplit(input: Tensor, indices_or_sections: Any, /) -> Views:
    """`tensor_split` along dimension 1, or 0 for a vector; sections must be equal."""
    dim, parts = geometry.hsplit(input._size, _plain_indices(indices_or_sections, input))
    return tuple(_cut(input, parts, dim))


@operator("view", signatures=("(Tensor input, int sections)", "(Tensor input, tuple of ints indices)"))
def vsplit(input: Tensor, indices_or_sections: Any, /) -> Views:
    """`tensor_split` along dimension 0; sections must be equal."""
    dim, parts = geometry.vsplit(input._size, _plain_indices(indices_or_sections, input))
    return tuple(_cut(input, parts, dim))


@operator("view", signatures=("(Tensor input, int sections)", "(Tensor input, tuple of ints indices)"))
def dsplit(input: Tensor, indices_or_sections: Any, /) -> Views:
    """`tensor_split` along dimension 2; sections must be equal."""
    dim, parts = geometry.dsplit(input._size, _plain_indices(indices_or_sections, input))
    return tuple(_cut(input, parts, dim))


def _plain_indices(given: Any, input: Tensor) -> Any:
    """As `_plain_sections`, for functions that take no tensor of indices."""
    if isinstance(given, Tensor) and given._size:
        raise TypeError("a tensor of several indices")  # `arg_parser` raises PyTorch's error
    return _plain_sections(given, input)


def _plain_sections(indices_or_sections: Any, input: Tensor) -> Any:
    if isinstance(indices_or_sections, tuple | list):
        if any(bound is None for bound in indices_or_sections) or isinstance((*indices_or_sections, 0)[0], bool):
            raise TypeError("no ints")  # as above
    elif not hasattr(indices_or_sections, "__index__"):
        raise TypeError("neither an int nor indices")
    elif isinstance(indices_or_sections, int) and indices_or_sections >= 2**63:
        raise ValueError("Overflow when unpacking long long")
    if not isinstance(indices_or_sections, Tensor) or not input._size:
        return indices_or_sections
    name = "tensor_split expected tensor_indices_or_sections to"
    if indices_or_sections._dtype is not int64:
        raise RuntimeError(f"{name} have dtype of long, but got {indices_or_sections._dtype.scalar_type}")
    ndim = len(indices_or_sections._size)
    if ndim > 1:
        raise RuntimeError(f"{name} be a zero-dimensional or one-dimensional tensor, but got a tensor with {ndim} dims")
    return indices_or_sections.tolist()


@operator("view", dunders=())
@derivative(input=lambda grads, dim: stack(grads, dim))
def unbind(input: Tensor, dim: int = 0) -> Views:
    """One view for each position of `dim`, which is removed."""
    if not input._size:
        raise IndexError(f"Dimension specified as {geometry.wrap_dim(dim, 1)} but tensor has no dimensions")
    dim = geometry.wrap_dim(dim, len(input._size))
    size = input._size[:dim] + input._size[dim + 1 :]
    stride = input._stride[:dim] + input._stride[dim + 1 :]
    step = input._stride[dim]
    return as_siblings(
        [view_of(input, size, stride, input._offset + index * step) for index in range(input._size[dim])]
    )


@operator("view", function=False, method=False, dunders=("__iter__",))
def __iter__(input: Tensor) -> Any:
    """The views that `unbind` makes, one after the other."""
    if not input._size:
        raise TypeError("iteration over a 0-d tensor")
    return iter(unbind(input, 0))
