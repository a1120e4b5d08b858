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
_IMAGES = 32, 64  # the fewest that are worth it, and the most that are taken at a time
_WINDOWS = 200  # of an image; of larger ones the runs that `convolution` copies are long enough
_TILE = 128, 64  # cells and images that are brought out of this order at a time
_MOST = 1 << 20  # bytes that are written out at a time, so that they stay in the cache


def takes(xp: Any, array: Array, depth: int, plan: Plan) -> bool:
    """Whether this is the way: many images with few windows, of this `depth`, of which a row does not fill much."""
    return (
        xp is XP and len(plan.windows.size) == 2 and plan.groups == 1 and array.dtype.char in "fd" and array.size > 0
        and len(array) >= _IMAGES[0] and 0 < prod(plan.counts) <= _WINDOWS and prod(plan.windows.size) > 1
        and depth * plan.counts[1] * array.itemsize * _IMAGES[0] <= _MOST // 4
    )  # fmt: skip


def _evenly(count: int, most: int) -> Iterator[slice]:
    """So many in parts of about one length, at most of this one, if that is not 0."""
    step = -(-count // -(-count // max(most, 1)))
    for start in range(0, count, step):
        yield slice(start, min(start + step, count))


class _Images:
    """Images in this order with what is around them, and the windows that move over them."""

    def __init__(self, images: int, channels: int, array_dtype: Any, plan: Plan) -> None:
        windows = plan.windows
        (height, width), (above, left), (down, right) = plan.lengths, windows.padding, windows.stride
        self.cells = XP.zeros((channels, height + 2 * above, width + 2 * left, images), array_dtype)
        self.inside = self.cells[:, above : above + height, left : left + width]
        channel, row, cell, image = self.cells.strides
        apart = windows.dilation[0] * row, windows.dilation[1] * cell
        #: (channels, *size of a window, *windows, images)
        self.seen = XP.lib.stride_tricks.as_strided(
            self.cells,
            (channels, *windows.size, *plan.counts, images),
            (channel, *apart, down * row, right * cell, image),
        )

    def rows(self, depth: int) -> Iterator[slice]:
        """Rows of windows that are taken at a time, where `depth` numbers are written out of each window."""
        _, _, _, count, width, images = self.seen.shape
        return _evenly(count, _MOST // (depth * width * images * self.seen.itemsize))

    def columns_of(self, rows: slice) -> Array:
        """The windows in these rows, as columns: (channels and places in the window, windows and images)."""
        seen = self.seen[:, :, :, rows]
        found = XP.empty(seen.shape, seen.dtype)
        XP.copyto(found, seen)
        return found.reshape(prod(seen.shape[:3]), -1)


def _batch_outermost(cells: Array, out: Array) -> None:
    """Images in this order, (channels, cells, images), written to `out`: tile by tile, which stay in the cache."""
    target, source = out.reshape(*out.shape[:2], -1), cells.reshape(out.shape[1], -1, len(out))
    step = max(1, _TILE[0] // source.shape[1])
    for start in range(0, len(source), step):
        XP.copyto(target[:, start : start + step], source[start : start + step].transpose(2, 0, 1))


def convolve(inputs: Array, weights: Array, bias: Array | None, plan: Plan) -> Array:
    """The kernel of `convolved`."""
    made = HOST.empty(HOST.dtype_of(inputs), (len(inputs), len(weights), *plan.counts))
    kernels = weights.reshape(len(weights), -1)
    for block in _evenly(len(inputs), _IMAGES[1]):
        images = _Images(block.stop - block.start, inputs.shape[1], inputs.dtype, plan)
        XP.copyto(images.inside, inputs[block].transpose(1, 2, 3, 0))
        for rows in images.rows(kernels.shape[1]):
            found = matrix_product(XP, kernels, images.columns_of(rows))
            if bias is not None:
                XP.add(found, bias.reshape(-1, 1), found)
            _batch_outermost(found, made[block, :, rows])
    return made


def gradients(
    inputs: Array | None, results: Array, weights: Array, wanted: tuple[bool, bool], plan: Plan
) -> tuple[Array | None, Array | None]:
    """Towards inputs and weights, by the gradient of the results: the kernels of `spread_out` and `correlated`."""
    (count, channels), (towards_inputs, towards_weights) = weights.shape[:2], wanted
    size = (len(results), channels, *plan.lengths)
    of_inputs = HOST.empty(HOST.dtype_of(results), size) if towards_inputs else None
    of_weights = XP.zeros((weights[0].size, count), results.dtype) if towards_weights else None
    by_place = XP.ascontiguousarray(weights.transpose(2, 3, 1, 0))
    for block in _evenly(len(results), _IMAGES[1]):
        images = _Images(block.stop - block.start, channels, results.dtype, plan)
        given = XP.ascontiguousarray(results[block].transpose(1, 2, 3, 0))
        if of_weights is not None and inputs is not None:
            XP.copyto(images.inside, inputs[block].transpose(1, 2, 3, 0))
            for rows in images.rows(len(of_weights)):
                part = given[:, rows].reshape(count, -1)
                XP.add(of_weights, matrix_product(XP, images.columns_of(rows), part.T), of_weights)
        if of_inputs is not None:
            images.cells.fill(0)
            for rows in images.rows(channels + count):
                part = given[:, rows].reshape(count, -1)
                for place in XP.ndindex(*plan.windows.size):
                    where = images.seen[:, *place, rows]
                    XP.add(where, matrix_product(XP, by_place[place], part).reshape(where.shape), out=where)
            _batch_outermost(XP.ascontiguousarray(images.inside), of_inputs[block])
    return of_inputs, None if of_weights is None else XP.ascontiguousarray(of_weights.T).reshape(weights.shape)


def bias_gradient(results: Array) -> Array:
    """The sum of each channel."""
    sums = total(XP, results.reshape(len(results), results.shape[1], -1), (2,))
    return total(XP, sums.reshape(sums.shape[:2]), (0,)).reshape(-1)
