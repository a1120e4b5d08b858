"""The standard's functions that rearrange elements: views where ours are views."""

from __future__ import annotations

from collections.abc import Sequence

import tensorglass as torch
from tensorglass import geometry
from tensorglass.array_api.promoting import result_type
from tensorglass.tensor.tensor import Tensor

Axes = int | tuple[int, ...]


def _of_one_dtype(arrays: Sequence[Tensor]) -> list[Tensor]:
    """Arrays in the dtype that theirs promote to."""
    common = result_type(*arrays)
    return [array.to(common) for array in arrays]


def broadcast_arrays(*arrays: Tensor) -> list[Tensor]:
    """Views of the arrays, all of the size that theirs broadcast to."""
    return list(torch.broadcast_tensors(*arrays))


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The size that these broadcast to."""
    return tuple(torch.broadcast_shapes(*shapes))


def broadcast_to(x: Tensor, /, shape: tuple[int, ...]) -> Tensor:
    """A view of `x` of this size: dimensions are stretched with stride 0."""
    return torch.broadcast_to(x, shape)


def concat(arrays: Sequence[Tensor], /, *, axis: int | None = 0) -> Tensor:
    """The arrays one behind the other along `axis`; None: flattened."""
    parts = _of_one_dtype(arrays)
    return torch.cat([part.reshape(-1) for part in parts]) if axis is None else torch.cat(parts, axis)


def expand_dims(x: Tensor, /, axis: int | tuple[int, ...] = 0) -> Tensor:
    """A view with a new dimension of size 1 at each position of `axis` in the result. IndexError if there is none."""
    axes = (axis,) if isinstance(axis, int) else axis
    dims = len(x._size) + len(axes)
    for place in sorted(geometry.wrap_dim(dim, dims) for dim in axes):
        x = x.unsqueeze(place)
    return x


def flip(x: Tensor, /, *, axis: Axes | None = None) -> Tensor:
    """The elements in reverse order along `axis`, or along all."""
    axes = tuple(range(x.ndim)) if axis is None else (axis,) if isinstance(axis, int) else axis
    return torch.flip(x, axes)


def moveaxis(x: Tensor, source: Axes, destination: Axes, /) -> Tensor:
    """A view with dimensions moved to other places."""
    return torch.movedim(x, source, destination)


def permute_dims(x: Tensor, /, axes: tuple[int, ...]) -> Tensor:
    """A view with the dimensions in another order."""
    return x.permute(axes)


def repeat(x: Tensor, repeats: int | Tensor, /, *, axis: int | None = None) -> Tensor:
    """Every element several times in succession, along `axis` or flattened."""
    return torch.repeat_interleave(x, repeats.long() if isinstance(repeats, Tensor) else repeats, axis)


def reshape(x: Tensor, /, shape: tuple[int, ...], *, copy: bool | None = None) -> Tensor:
    """The elements in another size. `copy` True always copies, False raises ValueError where no view will do."""
    if copy is None:
        return x.reshape(shape)
    if copy:
        return x.clone().reshape(shape)
    try:
        return x.view(shape)
    except RuntimeError as error:
        raise ValueError(f"no view of this size without a copy: {error}") from error


def roll(x: Tensor, /, shift: int | tuple[int, ...], *, axis: Axes | None = None) -> Tensor:
    """The elements moved by `shift` positions along `axis`; the last ones move to the front."""
    if isinstance(axis, tuple) and isinstance(shift, int):
        shift = (shift,) * len(axis)
    return torch.roll(x, shift, axis)


def squeeze(x: Tensor, /, axis: Axes) -> Tensor:
    """A view without dimensions of size 1. ValueError if one of `axis` is longer."""
    dims = [geometry.wrap_dim(dim, len(x._size)) for dim in ((axis,) if isinstance(axis, int) else axis)]
    for dim in dims:
        if x._size[dim] != 1:
            raise ValueError(f"dimension {dim} has size {x._size[dim]}, and only those of size 1 can be left out")
    return x.squeeze(dims) if dims else x.view(x._size)


def stack(arrays: Sequence[Tensor], /, *, axis: int = 0) -> Tensor:
    """The arrays side by side along a new dimension."""
    return torch.stack(_of_one_dtype(arrays), axis)


def tile(x: Tensor, repetitions: tuple[int, ...], /) -> Tensor:
    """`x` repeated as a whole, so often along each dimension."""
    return torch.tile(x, repetitions)


def unstack(x: Tensor, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """The slices along `axis`, as views."""
    return tuple(torch.unbind(x, axis))


def take(x: Tensor, indices: Tensor, /, *, axis: int | None = None) -> Tensor:
    """The elements of `x` at `indices` along `axis`, which a 1-dim array need not have."""
    if axis is None:
        if x.ndim != 1:
            raise ValueError(f"take() needs an axis for an array of {x.ndim} dimensions")
        axis = 0
    dim = geometry.wrap_dim(axis, len(x._size))
    return x.__getitem__((*[slice(None)] * dim, indices.to(torch.int64)))


def take_along_axis(x: Tensor, indices: Tensor, /, *, axis: int = -1) -> Tensor:
    """For every place of `indices`, the element of `x` that is there along `axis`."""
    return torch.take_along_dim(x, indices.to(torch.int64), axis)
