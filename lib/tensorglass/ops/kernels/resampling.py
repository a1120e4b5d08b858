"""Signals, images and volumes read between their cells: at even steps (`resample`), or at the positions of a grid
(`sample`).

Both are sums over a few cells, the *taps*, each with a weight that depends on how near it is. In several dimensions the
weight is the product of those in each, so even steps are taken dimension after dimension.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import ceil, prod
from typing import Any, NamedTuple

from tensorglass.backends import Array

# --- even steps ------------------------------------------------------------------------------------------------------


class Steps(NamedTuple):
    """How one dimension is resampled."""

    length: int
    places: int  #: the length of the result
    scale: float | None  #: by which the length was multiplied, if that was what was asked for
    mode: str  #: "nearest", "nearest-exact", "linear", "cubic", "lanczos"
    align_corners: bool = False  #: whether the first and last cells keep their places, or the ends of those cells
    antialias: bool = False  #: whether taps reach as far as the steps of the result


def taps(xp: Any, steps: Steps, dtype: Any) -> tuple[Array, Array]:
    """The cells that each position of the result is made of, and their weights: both (count, taps)."""
    length, count, scale, mode = steps[:4]
    position = xp.arange(count)
    if mode in ("nearest", "nearest-exact"):
        ratio = xp.asarray(1 / scale if scale else length / count, "float32")
        middle = xp.asarray(0.5 if mode == "nearest-exact" else 0, "float32")
        where = xp.floor((position.astype("float32") + middle) * ratio).astype("int64")
        return xp.minimum(where, length - 1)[:, None], xp.ones((count, 1), dtype)
    ratio = xp.asarray(_ratio(steps), dtype)
    if steps.antialias:
        return _wide_taps(xp, steps, ratio, dtype)
    half = xp.asarray(0.5, dtype)
    source = position.astype(dtype) * ratio
    if not steps.align_corners:
        source = (position.astype(dtype) + half) * ratio - half
    if mode == "linear":
        source = xp.maximum(source, 0)
        first = xp.minimum(source.astype("int64"), length - 1)
        part = xp.clip(source - first.astype(dtype), 0, 1)
        return xp.stack([first, xp.minimum(first + 1, length - 1)], 1), xp.stack([1 - part, part], 1)
    first = xp.floor(source)
    weights = cubic(xp, source - first)
    cells = [xp.clip(first.astype("int64") + at, 0, length - 1) for at in (-1, 0, 1, 2)]
    return xp.stack(cells, 1), xp.stack(weights, 1)


def _ratio(steps: Steps) -> float:
    """The distance in the input between two neighbouring positions of the result."""
    if steps.align_corners:
        return (steps.length - 1) / (steps.places - 1) if steps.places > 1 else 0.0
    return 1 / steps.scale if steps.scale else steps.length / steps.places


_REACH = {"linear": 1, "cubic": 2, "lanczos": 3}


def _wide_taps(xp: Any, steps: Steps, ratio: Array, dtype: Any) -> tuple[Array, Array]:
    stretch = max(_ratio(steps), 1.0)
    support = xp.asarray(_REACH[steps.mode] * stretch, dtype)
    centre = ratio * (xp.arange(steps.places).astype(dtype) + xp.asarray(0.5, dtype))
    begin = xp.maximum((centre - support + 0.5).astype("int64"), 0)
    end = xp.minimum((centre + support + 0.5).astype("int64"), steps.length)
    most = ceil(_REACH[steps.mode] * stretch) * 2 + 1
    cells = begin[:, None] + xp.arange(most)
    distance = (cells.astype(dtype) - centre[:, None] + xp.asarray(0.5, dtype)) / xp.asarray(stretch, dtype)
    weights = xp.where(cells < end[:, None], _FILTERS[steps.mode](xp, xp.absolute(distance)), xp.zeros((), dtype))
    total = xp.sum(weights, axis=1, keepdims=True)
    weights = weights / xp.where(total == 0, xp.ones((), dtype), total)
    return xp.minimum(cells, steps.length - 1), weights.astype(dtype, copy=False)


def _triangle(xp: Any, distance: Array) -> Array:
    return xp.maximum(1 - distance, 0)


def _cubic_filter(xp: Any, distance: Array) -> Array:
    a = -0.5
    near = ((a + 2) * distance - (a + 3)) * distance * distance + 1
    far = (((distance - 5) * distance + 8) * distance - 4) * a
    return xp.where(distance < 1, near, xp.where(distance < 2, far, xp.zeros_like(distance)))


def _lanczos_filter(xp: Any, distance: Array) -> Array:
    return xp.where(distance < 3, xp.sinc(distance) * xp.sinc(distance / 3), xp.zeros_like(distance))


_FILTERS = {"linear": _triangle, "cubic": _cubic_filter, "lanczos": _lanczos_filter}


def cubic(xp: Any, part: Array) -> list[Array]:
    """The weights of four cells, for a position at `part` between the middle two (Keys 1981, a = -0.75)."""
    a = -0.75

    def near(x: Array) -> Array:
        return ((a + 2) * x - (a + 3)) * x * x + 1

    def far(x: Array) -> Array:
        return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a

    return [far(part + 1), near(part), near(1 - part), far(2 - part)]


def _cubic_slopes(xp: Any, part: Array) -> list[Array]:
    """The derivatives of `cubic`."""
    a = -0.75

    def near(x: Array) -> Array:
        return (3 * (a + 2) * x - 2 * (a + 3)) * x

    def far(x: Array) -> Array:
        return (3 * a * x - 10 * a) * x + 8 * a

    return [far(part + 1), near(part), -near(1 - part), -far(2 - part)]


def resample(xp: Any, input: Array, steps: tuple[Steps, ...]) -> Array:
    """The last dimensions resampled, one after the other."""
    is_integer = input.dtype.kind in "iu"
    resampled = input.astype("float32") if is_integer and steps[0].mode[:7] != "nearest" else input
    weight_dtype = resampled.dtype if resampled.dtype.kind == "f" else xp.dtype("float32")
    for axis, step in enumerate(steps, input.ndim - len(steps)):
        cells, weights = taps(xp, step, weight_dtype)
        if step.mode[:7] == "nearest":
            resampled = xp.take(resampled, cells[:, 0], axis=axis)
            continue
        size = (-1,) + (1,) * (input.ndim - axis - 1)
        parts = [
            xp.take(resampled, cells[:, tap], axis=axis) * weights[:, tap].reshape(size)
            for tap in range(cells.shape[1])
        ]
        resampled = parts[0]
        for part in parts[1:]:
            resampled += part
    if is_integer and resampled.dtype != input.dtype:
        limits = xp.iinfo(input.dtype)
        resampled = xp.clip(xp.floor(resampled + xp.asarray(0.5, "float32")), limits.min, limits.max).astype(
            input.dtype
        )
    return xp.ascontiguousarray(resampled)


def resample_back(xp: Any, grad: Array, steps: tuple[Steps, ...]) -> Array:
    """The gradient of `resample`: the product with its matrix, in each dimension."""
    gradient = grad
    for axis, step in enumerate(steps, grad.ndim - len(steps)):
        cells, weights = taps(xp, step, grad.dtype)
        matrix, rows = xp.zeros((step.places, step.length), grad.dtype), xp.arange(step.places)
        for tap in range(cells.shape[1]):
            matrix[rows, cells[:, tap]] += weights[:, tap]
        gradient = xp.moveaxis(xp.matmul(xp.moveaxis(gradient, axis, -1), matrix), -1, axis)
    return xp.ascontiguousarray(gradient)


# --- wherever a grid says --------------------------------------------------------------------------------------------


class Sampling(NamedTuple):
    """How a grid is read, by PyTorch's numbers."""

    mode: int  #: 0: linear in each dimension, 1: nearest, 2: cubic
    padding: int  #: what is beyond the ends. 0: zeros, 1: the last cell, 2: the cells mirrored
    align_corners: bool  #: whether -1 and 1 are the middles of the first and last cells, or their ends


class _Tap(NamedTuple):
    """One cell of each position's taps, in one dimension."""

    cell: Array
    is_inside: Array
    weight: Array
    slope: Array  #: of the weight, by the position in the grid


def _taps_at(xp: Any, where: Array, length: int, how: Sampling) -> list[_Tap]:
    one = where.dtype.type(1)
    step = where.dtype.type((length - 1) / 2 if how.align_corners else length / 2)
    source = (where + one) * step - (where.dtype.type(0) if how.align_corners else where.dtype.type(0.5))
    if how.mode == 2:
        first = xp.floor(source)
        part = source - first
        return [
            _tap(xp, _kept_inside(xp, first + at, length, how)[0], length, weight, slope * step)
            for at, weight, slope in zip((-1, 0, 1, 2), cubic(xp, part), _cubic_slopes(xp, part), strict=True)
        ]
    source, slope = _kept_inside(xp, source, length, how)
    if how.mode == 1:
        return [_tap(xp, xp.rint(source), length, xp.ones_like(source), xp.zeros_like(source))]
    first = xp.floor(source)
    part = source - first
    return [
        _tap(xp, first, length, one - part, -slope * step),
        _tap(xp, first + one, length, part, slope * step),
    ]


def _tap(xp: Any, cell: Array, length: int, weight: Array, slope: Array) -> _Tap:
    is_inside = (cell >= 0) & (cell < length)
    return _Tap(xp.where(is_inside, cell, xp.zeros_like(cell)).astype("int64"), is_inside, weight, slope)


def _kept_inside(xp: Any, source: Array, length: int, how: Sampling) -> tuple[Array, Array]:
    """Positions moved inside, as `padding` says, and the derivative of this move."""
    slope = xp.ones_like(source)
    if how.padding == 0:
        return source, slope
    if how.padding == 2:
        low = 0 if how.align_corners else -0.5
        span = length - 1 if how.align_corners else length
        if not span:
            return xp.zeros_like(source), xp.zeros_like(source)
        low, span = source.dtype.type(low), source.dtype.type(span)
        apart = source - low
        slope = xp.where(apart < 0, -slope, slope)
        apart = xp.absolute(apart)
        rest, turns = xp.fmod(apart, span), xp.floor(apart / span)
        is_even = xp.fmod(turns, 2) == 0
        source = xp.where(is_even, rest, span - rest) + low
        slope = xp.where(is_even, slope, -slope)
    slope = xp.where((source <= 0) | (source >= length - 1), xp.zeros_like(slope), slope)
    return xp.clip(source, 0, length - 1), slope


def _corners(
    xp: Any, grid: Array, lengths: Sequence[int], how: Sampling
) -> Iterator[tuple[Array, Array, tuple[_Tap, ...]]]:
    """For each combination of taps: the flat positions of the cells, whether they are inside, and the taps."""
    # The grid's first coordinate belongs to the last dimension.
    axes = [_taps_at(xp, grid[..., -1 - axis], length, how) for axis, length in enumerate(lengths)]
    for corner in product(*axes):
        cell: Any = 0
        is_inside: Any = True
        for tap, length in zip(corner, lengths, strict=True):
            cell, is_inside = cell * length + tap.cell, is_inside & tap.is_inside
        yield cell, is_inside, corner


def _product(factors: Sequence[Array]) -> Array:
    product = factors[0]
    for factor in factors[1:]:
        product = product * factor
    return product


def sample(xp: Any, input: Array, grid: Array, how: Sampling) -> Array:
    """(N, C, *lengths) read at (N, *counts, dimensions): (N, C, *counts)."""
    batch, channels, *lengths = input.shape
    counts = grid.shape[1:-1]
    rows = input.reshape(batch, channels, prod(lengths))
    samples = xp.zeros((batch, channels, prod(counts)), input.dtype)
    for cell, is_inside, corner in _corners(xp, grid.reshape(batch, prod(counts), len(lengths)), lengths, how):
        weight = xp.where(is_inside, _product([tap.weight for tap in corner]), xp.zeros((), input.dtype))
        samples += _read_cells(xp, rows, cell) * weight[:, None]
    return samples.reshape(batch, channels, *counts)


def _read_cells(xp: Any, rows: Array, cell: Array) -> Array:
    """The cells of (N, C, cells) at (N, positions): (N, C, positions)."""
    return xp.take(rows.reshape(-1), _in_all_rows(xp, rows.shape, cell))


def _in_all_rows(xp: Any, size: tuple[int, ...], cell: Array) -> Array:
    """The positions (N, count) in each row of an array of this size (N, C, cells), among all of its elements."""
    batch, channels, cells = size
    return cells * xp.arange(batch * channels).reshape(batch, channels, 1) + cell[:, None]


def sample_input_gradient(xp: Any, grad: Array, input: Array, grid: Array, how: Sampling) -> Array:
    """The gradient of `sample` for the input: each cell gets the gradients of what was read from it."""
    batch, channels, *lengths = input.shape
    count = prod(grid.shape[1:-1])
    rows = grad.reshape(batch, channels, count)
    size = batch, channels, prod(lengths)
    gradient = xp.zeros(prod(size), grad.dtype)
    for cell, is_inside, corner in _corners(xp, grid.reshape(batch, count, len(lengths)), lengths, how):
        weight = xp.where(is_inside, _product([tap.weight for tap in corner]), xp.zeros((), grad.dtype))
        xp.add.at(gradient, _in_all_rows(xp, size, cell).reshape(-1), (rows * weight[:, None]).reshape(-1))
    return gradient.reshape(input.shape)


def sample_grid_gradient(xp: Any, grad: Array, input: Array, grid: Array, how: Sampling) -> Array:
    """The gradient of `sample` for the grid: the slopes of the interpolation at its positions."""
    batch, channels, *lengths = input.shape
    count, rank = prod(grid.shape[1:-1]), len(lengths)
    rows, wanted = input.reshape(batch, channels, prod(lengths)), grad.reshape(batch, channels, count)
    gradient = xp.zeros((batch, count, rank), grad.dtype)
    for cell, is_inside, corner in _corners(xp, grid.reshape(batch, count, rank), lengths, how):
        along = xp.where(is_inside, xp.sum(_read_cells(xp, rows, cell) * wanted, axis=1), xp.zeros((), grad.dtype))
        for axis in range(rank):
            factors = [tap.slope if at == axis else tap.weight for at, tap in enumerate(corner)]
            gradient[..., rank - 1 - axis] += along * _product(factors)
    return gradient.reshape(grid.shape)
