"""Convolutions of many small images: each row of all images is copied once for each column of the window.

Then a window's cells in one row are next to its cells in the next row, so the windows of one row of results form a
matrix that is read in place, and the next row's matrix starts one row later (Cho and Brand, "MEC: Memory-efficient
Convolution for Deep Neural Network", 2017). So a 5×5 window is copied five times, not 25 times. In these rows, the
numbers of different images are interleaved, or the images follow one another if their rows are long enough.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST
from tensorglass.ops.kernels.matmul import SMALL
from tensorglass.ops.kernels.sum import total
from tensorglass.ops.nn.convolution import Plan

XP = HOST.xp
_IMAGES = 32  # fewer are not worth it
_LONG = 24  # windows in a row; from this many on, images follow one another
_LEAST_PIECE = 64  # cells
_MOST = 5 << 17  # bytes that are copied at a time, so that they stay in the cache


def takes(xp: Any, array: Array, weights: Array, plan: Plan) -> bool:
    """Whether this algorithm applies: many images, of which several are copied at a time."""
    return (
        xp is XP and len(plan.windows.size) == 2 and plan.groups == 1 and array.dtype.char in "fd" and array.size > 0
        and len(array) >= _IMAGES and min(plan.counts) > 0 and prod(plan.windows.size) > 1
        and plan.windows.dilation[0] == 1 and _written_out(weights, plan) <= _MOST // 8
    )  # fmt: skip


def _written_out(weights: Array, plan: Plan) -> int:
    """The bytes that are copied for an image and its results."""
    rows = plan.lengths[0] + 2 * plan.windows.padding[0]
    depth = rows * weights.shape[1] * plan.windows.size[1] + plan.counts[0] * len(weights)
    return depth * plan.counts[1] * weights.itemsize


class _Images:
    """A few images at a time, their arrays, and their layout."""

    def __init__(self, images: int, channels: int, array_dtype: Any, plan: Plan) -> None:
        self.images, self.channels, self.dtype, self.plan = images, channels, array_dtype, plan

    @staticmethod
    def blocks(count: int, weights: Array, plan: Plan) -> Iterator[slice]:
        """The slices of images that are processed at a time, of about equal size."""
        step = _MOST // _written_out(weights, plan)
        step = -(-count // -(-count // step))
        for start in range(0, count, step):
            yield slice(start, min(start + step, count))

    def new(self, rows: int, depth: int, width: int, make: Any = XP.empty) -> tuple[Array, Array]:
        """`depth` numbers for each cell of a row: (rows, depth, cells), and as (rows, depth, width, images)."""
        array = make((rows, depth, width * self.images), self.dtype)
        if self.plan.counts[1] < _LONG:
            return array, array.reshape(rows, depth, width, self.images)
        return array, array.reshape(rows, depth, self.images, width).swapaxes(2, 3)

    def padded(self) -> tuple[Array, Array, Array]:
        """Padded images of zeros; the part inside the padding; and their windows' columns, as views.

        (rows, channels, width, images) twice, and (rows, channels, columns of a window, windows, images).
        """
        size, (_, step), (above, left), (_, apart) = self.plan.windows
        height, width = self.plan.lengths
        padded, cells = self.new(height + 2 * above, self.channels, width + 2 * left, XP.zeros)
        row, channel, cell, image = cells.strides
        seen = _view(
            padded,
            (*cells.shape[:2], size[1], self.plan.counts[1], self.images),
            (row, channel, apart * cell, step * cell, image),
        )
        return cells, cells[above : above + height, :, left : left + width], seen

    def columns_of(self, inputs: Array) -> Array:
        """Images with each row copied for each column of the window: (rows, channels times columns, cells)."""
        cells, inside, seen = self.padded()
        XP.copyto(inside, inputs.transpose(2, 1, 3, 0))
        columns, places = self.new(len(cells), self.channels * seen.shape[2], seen.shape[3])
        XP.copyto(places.reshape(seen.shape), seen)
        return columns


def _view(array: Array, size: tuple[int, ...], strides: tuple[int, ...]) -> Array:
    """A view of an array without gaps, in less time than `as_strided` takes."""
    return XP.ndarray(size, array.dtype, array, 0, strides)


def _windows(rows: Array, height: int, step: int, count: int, parts: int = 1) -> Array:
    """Windows of this `height`, `step` rows apart, with the cells in parts: (count, parts, depth, cells)."""
    row, down, along = rows.strides
    length = rows.shape[2] // parts
    return _view(rows, (count, parts, height * rows.shape[1], length), (step * row, length * along, down, along))


def _multiply(kernels: Array, rows: Array, height: int, step: int, out: Array) -> None:
    """The kernels' products with windows of rows, in pieces that OpenBLAS multiplies without packing them."""
    cells = rows.shape[2]
    least = -(-kernels.size * cells // SMALL)
    parts = next((parts for parts in range(least, cells // _LEAST_PIECE + 1) if cells % parts == 0), 1)
    XP.matmul(kernels, _windows(rows, height, step, len(out), parts), _windows(out, 1, 1, len(out), parts))


def convolve(inputs: Array, weights: Array, bias: Array | None, plan: Plan) -> Array:
    """The kernel of `convolved`."""
    output = HOST.empty(HOST.dtype_of(inputs), (len(inputs), len(weights), *plan.counts))
    kernels, height = XP.ascontiguousarray(weights.transpose(0, 2, 1, 3)).reshape(len(weights), -1), weights.shape[2]
    for block in _Images.blocks(len(inputs), weights, plan):
        images = _Images(block.stop - block.start, inputs.shape[1], inputs.dtype, plan)
        products, seen = images.new(plan.counts[0], len(weights), plan.counts[1])
        _multiply(kernels, images.columns_of(inputs[block]), height, plan.windows.stride[0], products)
        if bias is not None:
            XP.add(products, bias.reshape(-1, 1), products)
        for target, source in zip(output[block].transpose(2, 1, 3, 0), seen, strict=True):
            XP.copyto(target, source)  # row by row, so that they stay in the cache while they are rearranged
    return output


def gradients(
    inputs: Array | None, results: Array, weights: Array, wanted: tuple[bool, bool], plan: Plan
) -> tuple[Array | None, Array | None]:
    """The gradients for inputs and weights: the kernels of `spread_out` and `correlated`."""
    (count, channels, height, width), (above, _), (down, _) = weights.shape, plan.windows.padding, plan.windows.stride
    of_inputs = HOST.empty(HOST.dtype_of(results), (len(results), channels, *plan.lengths)) if wanted[0] else None
    of_weights = XP.zeros((height * channels * width, count), results.dtype) if wanted[1] else None
    turned = XP.ascontiguousarray(weights.transpose(1, 3, 2, 0)[:, :, ::-1]).reshape(channels * width, height * count)
    # Rows of zeros pad the results' gradients where every window that contains an input contributes to it.
    room = height - 1 if wanted[0] else 0
    inside_rows = slice(room, room + (plan.counts[0] - 1) * down + 1, down)
    for block in _Images.blocks(len(results), weights, plan):
        images = _Images(block.stop - block.start, channels, results.dtype, plan)
        given, rows = images.new(plan.lengths[0] + 2 * above + room, count, plan.counts[1], XP.zeros)
        XP.copyto(rows[inside_rows], results[block].transpose(2, 1, 3, 0))
        if of_weights is not None and inputs is not None:
            seen = _windows(images.columns_of(inputs[block]), height, down, plan.counts[0])[:, 0]
            products = XP.matmul(seen, given[inside_rows].swapaxes(1, 2))
            XP.add(of_weights, XP.add.reduce(products, axis=0), of_weights)
        if of_inputs is not None:
            parts, places = images.new(plan.lengths[0], channels * width, plan.counts[1])
            _multiply(turned, given[above:], height, 1, parts)
            _, inside, seen = images.padded()
            seen, places = seen[above : above + plan.lengths[0]], places.reshape(len(parts), *seen.shape[1:])
            for column in range(width):
                XP.add(seen[:, :, column], places[:, :, column], seen[:, :, column])
            XP.copyto(of_inputs[block].transpose(2, 1, 3, 0), inside)
    if of_weights is not None:
        of_weights = of_weights.reshape(height, channels, width, count).transpose(3, 1, 0, 2)
    return of_inputs, None if of_weights is None else XP.ascontiguousarray(of_weights)


def bias_gradient(results: Array) -> Array:
    """The gradient of the bias: the sum of each channel."""
    sums = total(XP, results.reshape(len(results), results.shape[1], -1), (2,))
    return total(XP, sums.reshape(sums.shape[:2]), (0,)).reshape(-1)
