"""Views that reorder dimensions, or add and remove dimensions of size 1. No element moves.

Exchanging two dimensions exchanges two lengths and two strides, and nothing else. Every function takes a header and
returns the header of the view.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tensorglass.core.errors import explained
from tensorglass.geometry.dims import Header, Ints, as_int, count, remembered, wrap_dim, wrap_distinct_dims

_NOTEBOOK = "1/02 Views share a storage"


def transpose(size: Ints, stride: Ints, offset: int, dim0: int, dim1: int) -> Header:
    """Return the header with dimensions `dim0` and `dim1` exchanged."""
    return *exchange(size, stride, as_int(dim0), as_int(dim1)), offset


@remembered
def exchange(size: Ints, stride: Ints, dim0: int, dim1: int) -> tuple[Ints, Ints]:
    """Return size and stride with dimensions `dim0` and `dim1`, plain ints, exchanged."""
    ndim = len(size)
    first, second = wrap_dim(dim0, ndim), wrap_dim(dim1, ndim)
    if first == second:
        return size, stride
    new_size, new_stride = list(size), list(stride)
    new_size[first], new_size[second] = size[second], size[first]
    new_stride[first], new_stride[second] = stride[second], stride[first]
    return tuple(new_size), tuple(new_stride)


def t(size: Ints, stride: Ints, offset: int, name: str = "t") -> Header:
    """Return the header of `tensor.t()`: a matrix transposed; fewer dimensions stay as they are."""
    if len(size) > 2:
        raise explained(
            RuntimeError(f"{name}() expects a tensor with <= 2 dimensions, but self is {len(size)}D"),
            "To exchange two dimensions of many write transpose(dim0, dim1); to reverse all of them, permute.",
            notebook=_NOTEBOOK,
        )
    return size[::-1], stride[::-1], offset


def permute(size: Ints, stride: Ints, offset: int, dims: Sequence[int]) -> Header:
    """Return the header whose dimension i is dimension `dims[i]` of the given one."""
    order = _order(len(size), tuple(dims))
    return tuple([size[dim] for dim in order]), tuple([stride[dim] for dim in order]), offset


@remembered
def _order(ndim: int, dims: Ints) -> Ints:
    """The dimensions in the order `dims`, each counted from the front."""
    if len(dims) != ndim:
        raise explained(
            RuntimeError(
                "permute(sparse_coo): number of dimensions in the tensor input does not match the length "
                f"of the desired ordering of dimensions i.e. input.dim() = {ndim} is not equal to len(dims) "
                f"= {len(dims)}"
            ),
            f"permute wants each of the tensor's {count(ndim, 'dimension')} exactly once, in the new order.",
            notebook=_NOTEBOOK,
        )
    order: list[int] = []
    for dim in dims:
        place = wrap_dim(dim, ndim)
        if place in order:
            raise explained(
                RuntimeError("permute(): duplicate dims are not allowed."),
                f"{list(dims)} names dimension {place} twice: permute wants each dimension exactly once.",
                notebook=_NOTEBOOK,
            )
        order.append(place)
    return tuple(order)


def movedim(
    size: Ints, stride: Ints, offset: int, source: int | Sequence[int], destination: int | Sequence[int]
) -> Header:
    """Return the header with dimensions `source` moved to the places `destination`; the rest keep order."""
    sources = [source] if isinstance(source, int) else list(source)
    destinations = [destination] if isinstance(destination, int) else list(destination)
    if len(sources) != len(destinations):
        raise explained(
            RuntimeError(
                f"movedim: Invalid source or destination dims: source ({sources} dims) should contain the "
                f"same number of dims as destination ({destinations} dims)"
            ),
            "Each dimension that is moved needs one place to go to.",
        )
    ndim = len(size)
    moved = [wrap_dim(dim, ndim) for dim in sources]
    places = [wrap_dim(dim, ndim) for dim in destinations]
    for name, named, dims in (("source", sources, moved), ("destination", destinations, places)):
        if len(set(dims)) != len(dims):
            raise explained(
                RuntimeError(f"movedim: repeated dim in `{name}` ({named})"),
                f"Counted from the front, {named} is {dims}: a dimension can be named once.",
            )
    staying = iter([dim for dim in range(ndim) if dim not in moved])
    came_from = dict(zip(places, moved, strict=True))
    order = [came_from[dim] if dim in came_from else next(staying) for dim in range(ndim)]
    return permute(size, stride, offset, order)


def squeeze(size: Ints, stride: Ints, offset: int, dim: int | Iterable[int] | None = None) -> Header:
    """Return the header without the dimensions of size 1: all of them, or those that `dim` names.

    A named dimension whose size is not 1 stays.
    """
    ndim = len(size)
    if dim is None:
        gone: Sequence[int] = range(ndim)
    elif isinstance(dim, int):
        gone = [wrap_dim(dim, ndim)]
    else:
        gone = wrap_distinct_dims(dim, ndim)
    kept = [i for i in range(ndim) if size[i] != 1 or i not in gone]
    return tuple([size[i] for i in kept]), tuple([stride[i] for i in kept]), offset


def unsqueeze(size: Ints, stride: Ints, offset: int, dim: int) -> Header:
    """Return the header with a dimension of size 1 put in before dimension `dim`."""
    place = wrap_dim(dim, len(size) + 1)
    step = size[place] * stride[place] if place < len(size) else 1
    return (*size[:place], 1, *size[place:]), (*stride[:place], step, *stride[place:]), offset
