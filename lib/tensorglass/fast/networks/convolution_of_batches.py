"""Convolutions of many small images: the batch innermost in memory, (channels, height, width, images).

What a place of the windows sees is then a run of as many cells as there are images, times the windows in a row if they
move by one cell: windows are copied in long runs, without any that nobody asked for, and one product does for all
images. The images are brought into that order, and the results out of it, by transposing a matrix.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST
from tensorglass.ops.kernels.matmul import matrix_product
from tensorglass.ops.kernels.sum import total
from tensorglass.ops.nn.convolution import Plan

XP = HOST.xp
_LEAST_IMAGES = 32
_TILE = 128, 64  # cells and images that are brought out of this order at a time
_MOST = 1 << 22  # bytes of windows that are written out at a time


def takes(xp: Any, array: Array, depth: int, plan: Plan) -> bool:
    """Whether this is the way: many images, of which the windows of some, of this `depth`, do not fill much."""
    of_one = depth * prod(plan.counts) * array.itemsize
    return (
        xp is XP and len(plan.windows.size) == 2 and plan.groups == 1 and array.dtype.char in "fd" and array.size > 0
        and len(array) >= _LEAST_IMAGES and 0 < of_one * _LEAST_IMAGES <= _MOST and prod(plan.windows.size) > 1
    )  # fmt: skip


def _blocks(count: int, of_one: int) -> Iterator[slice]:
    """Images that are taken at a time: about as many each time."""
    times = -(-count * of_one // _MOST)
    step = -(-count // times)
    for start in range(0, count, step):
        yield slice(start, min(start + step, count))


class _Windows:
    """Images in this order with what is around them, and their windows as columns."""

    def __init__(self, images: int, channels: int, array_dtype: Any, plan: Plan) -> None:
        windows = plan.windows
        (height, width), (above, left), (down, right) = plan.lengths, windows.padding, windows.stride
        size = channels, height + 2 * above, width + 2 * left, images
        self.cells = XP.zeros(size, array_dtype)
        self.inside = self.cells[:, above : above + height, left : left + width]
        channel, row, cell, image = self.cells.strides
        apart = windows.dilation[0] * row, windows.dilation[1] * cell
        self.seen = XP.lib.stride_tricks.as_strided(
            self.cells,
            (channels, *windows.size, *plan.counts, images),
            (channel, *apart, down * row, right * cell, image),
        )
        self.depth = channels * prod(windows.size)

    def columns_of(self, inputs: Array) -> Array:
        """The windows of these images, as columns: (channels and places in the window, windows and images)."""
        XP.copyto(self.inside, inputs.transpose(1, 2, 3, 0))
        found = XP.empty(self.seen.shape, inputs.dtype)
        XP.copyto(found, self.seen)
        return found.reshape(self.depth, -1)

    def added(self, columns: Array, out: Array) -> None:
        """Columns, added up where their windows lie, written to images."""
        cut = columns.reshape(self.seen.shape)
        self.cells.fill(0)
        for place in XP.ndindex(*self.seen.shape[1:3]):
            where = self.seen[:, place[0], place[1]]
            XP.add(where, cut[:, place[0], place[1]], out=where)
        _batch_outermost(XP.ascontiguousarray(self.inside), out)


def _batch_innermost(results: Array) -> Array:
    """Images as a matrix: (channels, cells and images)."""
    return XP.ascontiguousarray(results.transpose(1, 2, 3, 0)).reshape(results.shape[1], -1)


def _batch_outermost(cells: Array, out: Array) -> None:
    """Images in this order, (…, images), written to `out`, (images, …): tile by tile, which stay in the cache."""
    target, source = out.reshape(len(out), -1), cells.reshape(-1, len(out))
    for image in range(0, len(out), _TILE[1]):
        for cell in range(0, len(source), _TILE[0]):
            where = slice(cell, cell + _TILE[0]), slice(image, image + _TILE[1])
            target[where[::-1]] = source[where].T


def convolve(inputs: Array, weights: Array, bias: Array | None, plan: Plan) -> Array:
    """The kernel of `convolved`."""
    made = HOST.empty(HOST.dtype_of(inputs), (len(inputs), len(weights), *plan.counts))
    rows = weights.reshape(len(weights), -1)
    for block in _blocks(len(inputs), rows.shape[1] * prod(plan.counts) * inputs.itemsize):
        images = block.stop - block.start
        columns = _Windows(images, inputs.shape[1], inputs.dtype, plan).columns_of(inputs[block])
        found = matrix_product(XP, rows, columns)
        if bias is not None:
            XP.add(found, bias.reshape(-1, 1), found)
        _batch_outermost(found, made[block])
    return made


def gradients(
    inputs: Array | None, results: Array, weights: Array, wanted: tuple[bool, bool], plan: Plan
) -> tuple[Array | None, Array | None]:
    """Towards inputs and weights, by the gradient of the results: the kernels of `spread_out` and `correlated`."""
    channels, (towards_inputs, towards_weights) = weights.shape[1], wanted
    rows = weights.reshape(len(weights), -1)
    size = (len(results), channels, *plan.lengths)
    of_inputs = HOST.empty(HOST.dtype_of(results), size) if towards_inputs else None
    of_weights = XP.zeros(rows.shape[::-1], results.dtype) if towards_weights else None
    for block in _blocks(len(results), rows.shape[1] * prod(plan.counts) * results.itemsize):
        windows = _Windows(block.stop - block.start, channels, results.dtype, plan)
        found = _batch_innermost(results[block])
        if of_weights is not None and inputs is not None:
            XP.add(of_weights, matrix_product(XP, windows.columns_of(inputs[block]), found.T), of_weights)
        if of_inputs is not None:
            windows.added(matrix_product(XP, rows.T, found), of_inputs[block])
    return of_inputs, None if of_weights is None else XP.ascontiguousarray(of_weights.T).reshape(weights.shape)


def bias_gradient(results: Array) -> Array:
    """The sum of each channel."""
    sums = total(XP, results.reshape(len(results), results.shape[1], -1), (2,))
    return total(XP, sums.reshape(sums.shape[:2]), (0,)).reshape(-1)
