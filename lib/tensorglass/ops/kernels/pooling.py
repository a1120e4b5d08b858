"""Pooling: the largest element or the mean of each window, computed for all windows together, one place of the window
after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Any

from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST
from tensorglass.ops.kernels.select_by_mask import put
from tensorglass.ops.kernels.windows import Lengths, Windows, places

# --- windows that move by a stride -----------------------------------------------------------------------------------


def _with_room(xp: Any, array: Array, windows: Windows, counts: Lengths, value: Any) -> Array:
    """The array with `value` where windows reach beyond it."""
    outer = array.ndim - len(counts)
    lengths = array.shape[outer:]
    size, inside = list(array.shape[:outer]), []
    for length, count, kernel, stride, padding, dilation in zip(lengths, counts, *windows, strict=True):
        size.append(max((count - 1) * stride + dilation * (kernel - 1) + 1, padding + length))
        inside.append(slice(padding, padding + length))
    if tuple(size) == array.shape:
        return array
    padded = xp.full(size, value, array.dtype)
    padded[(..., *inside)] = array
    return padded


def _least(xp: Any, array: Array) -> Any:
    """A number that is not larger than any element."""
    return xp.iinfo(array.dtype).min if array.dtype.kind in "iu" else -xp.inf


def max_pool(xp: Any, array: Array, windows: Windows, counts: Lengths) -> Array:
    """The largest element of each window; NaN counts as larger than all others."""
    cells = _with_room(xp, array, windows, counts, _least(xp, array))
    maxima = None
    for _, where in places(windows, counts):
        seen = cells[(..., *where)]
        maxima = seen.copy() if maxima is None else xp.maximum(maxima, seen, out=maxima)
    return maxima


def max_pool_with_indices(xp: Any, array: Array, windows: Windows, counts: Lengths) -> tuple[Array, Array]:
    """The largest element of each window, and which cell of the input it is, counted through its last dimensions."""
    lengths = array.shape[array.ndim - len(counts) :]
    cells = _with_room(xp, array, windows, counts, _least(xp, array))
    has_nan = _may_have_nan(xp, array)
    maxima = xp.full((*array.shape[: array.ndim - len(counts)], *counts), _least(xp, array), array.dtype)
    # `which` is the place within the window, in as few bytes as possible; it starts at the first that lies in the
    # input.
    firsts = [
        -((at * stride - padding) // dilation) for at, (_, stride, padding, dilation) in _axes(xp, windows, counts)
    ]
    first = _counted(xp, [xp.maximum(first_cell, 0) for first_cell in firsts], windows.size)
    which = xp.empty(maxima.shape, "uint8" if prod(windows.size) < 256 else "int64")
    which[...] = first
    for number, (_, where) in enumerate(places(windows, counts)):
        _keep_larger(xp, maxima, which, cells[(..., *where)], number, has_nan)
    starts = [at * stride - padding for at, (_, stride, padding, _) in _axes(xp, windows, counts)]
    steps = [xp.arange(size) * dilation for size, dilation in zip(windows.size, windows.dilation, strict=True)]
    cell = xp.take(_counted(xp, steps, lengths).reshape(-1), which)
    return maxima, xp.add(cell, _counted(xp, starts, lengths), out=cell)


def _may_have_nan(xp: Any, array: Array) -> bool:
    if array.dtype.kind in "iu" or not array.size:
        return False
    return xp is not HOST.xp or bool(xp.isnan(array.max()))


def _axes(xp: Any, windows: Windows, counts: Lengths) -> Iterator[tuple[Array, tuple[int, ...]]]:
    for count, numbers in zip(counts, zip(*windows, strict=True), strict=True):
        yield xp.arange(count), numbers


def _counted(xp: Any, positions: Sequence[Array], lengths: Lengths) -> Array:
    """Positions in each dimension as positions in the flattened dimensions."""
    number: Any = 0
    for axis, (position, length) in enumerate(zip(positions, lengths, strict=True)):
        number = number * length + position.reshape((-1,) + (1,) * (len(lengths) - axis - 1))
    return number


def _keep_larger(xp: Any, maxima: Array, which: Array, seen: Array, here: Any, has_nan: bool = True) -> None:
    """Where `seen` is larger than `maxima`, or NaN, write it there, and `here` to `which`."""
    seen = xp.ascontiguousarray(seen)
    is_larger = seen > maxima
    if has_nan and seen.dtype.kind not in "iu":
        is_larger |= seen != seen
    put(xp, maxima, is_larger, seen)
    put(xp, which, is_larger, xp.asarray(here, which.dtype))


def sums(xp: Any, array: Array, windows: Windows, counts: Lengths) -> Array:
    """The sum of each window."""
    cells = _with_room(xp, array, windows, counts, 0)
    total = xp.zeros((*array.shape[: array.ndim - len(counts)], *counts), array.dtype)
    for _, where in places(windows, counts):
        xp.add(total, cells[(..., *where)], out=total)
    return total


def divisors(xp: Any, lengths: Lengths, windows: Windows, counts: Lengths, counts_padding: bool) -> Array:
    """How many cells each window has: those of the input, and with `counts_padding` those of the padding too."""
    counts_of_cells: Any = 1
    for axis, (length, count, size, stride, padding, _) in enumerate(zip(lengths, counts, *windows, strict=True)):
        start = xp.arange(count) * stride - padding
        end = xp.minimum(start + size, length + padding)
        if not counts_padding:
            start, end = xp.maximum(start, 0), xp.minimum(end, length)
        counts_of_cells = counts_of_cells * (end - start).reshape((-1,) + (1,) * (len(lengths) - axis - 1))
    return counts_of_cells


def add_to_windows(xp: Any, values: Array, lengths: Lengths, windows: Windows) -> Array:
    """The gradient of `sums`: each window's value, added to all of its cells."""
    outer, counts = values.shape[: values.ndim - len(lengths)], values.shape[values.ndim - len(lengths) :]
    tile, rank = _sizes_of_tiles(lengths, counts), len(lengths)
    if tile and tile[-1] >= _LONG_TILE and windows == Windows(tile, tile, (0,) * rank, (1,) * rank):
        return _spread_over_tiles(xp, values, lengths)
    size, inside = [], []
    for length, count, kernel, stride, padding, dilation in zip(lengths, counts, *windows, strict=True):
        size.append(max((count - 1) * stride + dilation * (kernel - 1) + 1, padding + length))
        inside.append(slice(padding, padding + length))
    gradient = xp.zeros((*outer, *size), values.dtype)
    for _, where in places(windows, counts):
        target = gradient[(..., *where)]
        xp.add(target, values, out=target)
    return xp.ascontiguousarray(gradient[(..., *inside)])


# --- windows that lie side by side -----------------------------------------------------------------------------------

_LONG_TILE = 4  # cells in a row; fewer are written faster place by place


def _sizes_of_tiles(lengths: Lengths, counts: Lengths) -> Lengths | None:
    """The size of each of `counts` windows that lie side by side and fill the input; None if they cannot."""
    if not all(counts) or any(length % count for length, count in zip(lengths, counts, strict=True)):
        return None
    return tuple([length // count for length, count in zip(lengths, counts, strict=True)])


def _in_tiles(array: Array, counts: Lengths) -> Array:
    """(…, *lengths) as (…, count, size, count, size, …): for each dimension the window and the place in it."""
    outer = array.shape[: array.ndim - len(counts)]
    pairs = zip(array.shape[len(outer) :], counts, strict=True)
    return array.reshape(*outer, *[part for length, count in pairs for part in (count, length // count)])


def _spread_over_tiles(xp: Any, values: Array, lengths: Lengths) -> Array:
    """Each window's value in all of its cells."""
    counts = values.shape[values.ndim - len(lengths) :]
    outer = values.shape[: values.ndim - len(lengths)]
    cells = xp.empty((*outer, *lengths), values.dtype)
    _in_tiles(cells, counts)[...] = values.reshape(*outer, *[part for count in counts for part in (count, 1)])
    return cells


def _largest_of_tiles(xp: Any, array: Array, size: Lengths, counts: Lengths) -> tuple[Array, Array]:
    """The largest element of each window, none of which is NaN, and which cell it is."""
    rank, lengths = len(counts), array.shape[array.ndim - len(counts) :]
    outer = array.ndim - rank
    order = (*range(outer), *range(outer, outer + 2 * rank, 2), *range(outer + 1, outer + 2 * rank, 2))
    rows = _in_tiles(array, counts).transpose(order).reshape(*array.shape[:outer], *counts, prod(size))
    place = rows.argmax(axis=-1)
    maxima = xp.take_along_axis(rows, place[..., None], axis=-1)[..., 0]
    first = _counted(xp, [xp.arange(count) * step for count, step in zip(counts, size, strict=True)], lengths)
    steps = _counted(xp, [xp.arange(step) for step in size], lengths)
    return maxima, xp.take(steps.reshape(-1), place) + first


# --- windows that divide the input into so many parts ----------------------------------------------------------------


def _parts(xp: Any, length: int, count: int) -> tuple[Array, Array]:
    """The start and the length of each of `count` parts of a dimension."""
    number = xp.arange(count)
    start = number * length // max(count, 1)
    return start, -((-(number + 1) * length) // max(count, 1)) - start


def _part_places(xp: Any, lengths: Lengths, counts: Lengths) -> Iterator[tuple[tuple[Array, ...], Any]]:
    """For each place in the longest part: the index of the cells there, and which parts are long enough to have it."""
    rank = len(lengths)
    starts, sizes = zip(
        *[_parts(xp, *lengths_and_count) for lengths_and_count in zip(lengths, counts, strict=True)], strict=True
    )
    longest = [int(sizes_of_dim.max()) if sizes_of_dim.size else 0 for sizes_of_dim in sizes]
    for place in product(*[range(most) for most in longest]):
        index, is_there = [], True
        for axis, at in enumerate(place):
            shape = (-1,) + (1,) * (rank - axis - 1)
            index.append(xp.minimum(starts[axis] + at, lengths[axis] - 1).reshape(shape))
            is_there = is_there & (at < sizes[axis]).reshape(shape)
        yield tuple(index), is_there


def adaptive_average(xp: Any, array: Array, counts: Lengths) -> Array:
    """The mean of each part."""
    outer = array.ndim - len(counts)
    lengths = array.shape[outer:]
    sums = xp.zeros((*array.shape[:outer], *counts), array.dtype)
    for index, is_there in _part_places(xp, lengths, counts):
        sums += xp.where(is_there, array[(..., *index)], xp.zeros((), array.dtype))
    return sums / _part_sizes(xp, lengths, counts, sums.dtype)


def _part_sizes(xp: Any, lengths: Lengths, counts: Lengths, dtype: Any) -> Array:
    part_sizes: Any = 1
    for axis, (length, count) in enumerate(zip(lengths, counts, strict=True)):
        part_sizes = part_sizes * _parts(xp, length, count)[1].reshape((-1,) + (1,) * (len(lengths) - axis - 1))
    return part_sizes.astype(dtype)


def adaptive_spread(xp: Any, values: Array, lengths: Lengths) -> Array:
    """The gradient of `adaptive_average`: each part's value, divided among its cells."""
    outer, counts = values.shape[: values.ndim - len(lengths)], values.shape[values.ndim - len(lengths) :]
    shares = values / _part_sizes(xp, lengths, counts, values.dtype)
    if _sizes_of_tiles(lengths, counts):
        return _spread_over_tiles(xp, shares, lengths)
    gradient = xp.zeros((*outer, *lengths), values.dtype)
    for part in product(*[range(count) for count in counts]):
        where = [
            slice(at * length // count, -(-(at + 1) * length // count))
            for at, length, count in zip(part, lengths, counts, strict=True)
        ]
        gradient[(..., *where)] += shares[(..., *[slice(at, at + 1) for at in part])]
    return gradient


def adaptive_max(xp: Any, array: Array, counts: Lengths) -> tuple[Array, Array]:
    """The largest element of each part, and which cell it is, counted through the last dimensions."""
    outer = array.ndim - len(counts)
    lengths = array.shape[outer:]
    size = _sizes_of_tiles(lengths, counts)
    if size and array.size and not _may_have_nan(xp, array):
        return _largest_of_tiles(xp, array, size, counts)
    maxima = xp.full((*array.shape[:outer], *counts), _least(xp, array), array.dtype)
    which = xp.empty(maxima.shape, "int64")
    which[...] = _counted(
        xp, [_parts(xp, *length_and_count)[0] for length_and_count in zip(lengths, counts, strict=True)], lengths
    )
    for index, is_there in _part_places(xp, lengths, counts):
        seen = xp.where(is_there, array[(..., *index)], _least(xp, array))
        _keep_larger(xp, maxima, which, seen, _counted(xp, [positions.reshape(-1) for positions in index], lengths))
    return maxima, which


# --- windows at random places ----------------------------------------------------------------------------------------


def fractional_max(xp: Any, array: Array, samples: Array, size: Lengths, counts: Lengths) -> tuple[Array, Array]:
    """The largest element of windows of one `size`, whose distances vary; (N, C, …) and a number in [0, 1) for each
    of its channels and dimensions."""
    lengths, samples = array.shape[2:], samples[: len(array)]
    rank = len(lengths)
    starts = []
    for axis, (length, window, count) in enumerate(zip(lengths, size, counts, strict=True)):
        sample = samples[..., axis : axis + 1]
        alpha = xp.asarray((length - window) / (count - 1) if count > 1 else 0, sample.dtype)
        begin = ((xp.arange(count) + sample) * alpha).astype("int64") - (sample * alpha).astype("int64")
        begin[..., count - 1 :] = length - window
        starts.append(begin.reshape((*begin.shape[:2], *[count if other == axis else 1 for other in range(rank)])))
    rows = array.reshape(*array.shape[:2], prod(lengths))
    maxima = xp.full((*array.shape[:2], *counts), _least(xp, array), array.dtype)
    which = xp.zeros(maxima.shape, "int64")
    for place in product(*[range(length) for length in size]):
        here: Any = 0
        for start, at, length in zip(starts, place, lengths, strict=True):
            here = here * length + start + at
        here = xp.broadcast_to(here, maxima.shape)
        seen = xp.take_along_axis(rows, here.reshape(*array.shape[:2], prod(counts)), axis=-1).reshape(maxima.shape)
        if not any(place):
            which[...] = here
        _keep_larger(xp, maxima, which, seen, here)
    return maxima, which


# --- elements by their cells -----------------------------------------------------------------------------------------


def put_back(xp: Any, values: Array, indices: Array, lengths: Lengths, may_repeat: bool) -> Array:
    """Values added to the cells that `indices` name in each of their images, which are zeros elsewhere."""
    outer, cells = values.shape[: values.ndim - len(lengths)], prod(lengths)
    images = prod(outer)
    gradient = xp.zeros(images * cells, values.dtype)
    first = cells * xp.arange(images)  # the first cell of each image among all cells
    where = (indices.reshape(images, prod(values.shape[len(outer) :])) + first[:, None]).reshape(-1)
    if may_repeat:
        xp.add.at(gradient, where, values.reshape(-1))
    else:
        gradient[where] = values.reshape(-1)
    return gradient.reshape(*outer, *lengths)
