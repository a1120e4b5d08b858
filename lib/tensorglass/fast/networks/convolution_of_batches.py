"""Convolutions of small images: one product of matrices for many images.

The windows of a small image are the columns of a narrow matrix, and OpenBLAS multiplies narrow matrices slowly. So here
the images' index is the last one, (C, *lengths, N). A place in the window then reads cells of all images that are next
to each other: the windows of all images are copied in long runs, as the columns of one matrix.
"""

from __future__ import annotations

from math import prod
from typing import Any

from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST
from tensorglass.ops.kernels.windows import Lengths
from tensorglass.ops.nn import convolution as plain
from tensorglass.ops.nn.convolution import Plan

XP = HOST.xp
#: Images that have more windows than this are as fast one by one: sequences, images, volumes; and of each kind, those
#: whose windows are single cells, which are read without a copy.
_MOST, _MOST_CELLS = (64, 200, 1 << 30), 4
_GAP = 24  # numbers


def takes(xp: Any, array: Array, weights: Array, plan: Plan) -> bool:
    """Whether this algorithm applies: images on the CPU of which each has few windows."""
    most = _MOST[len(plan.counts) - 1] if prod(plan.windows.size) > 1 else _MOST_CELLS
    return xp is XP and array.dtype.char in "fd" and array.size > 0 and weights.size > 0 and prod(plan.counts) <= most


def _images_last(images: Array) -> Array:
    """A view of (N, C, *lengths) as (C, *lengths, N)."""
    return images.transpose(*range(1, images.ndim), 0)


def _apart(images: Array) -> Array:
    """A copy in which images begin a few numbers later than the one before ends: the cells that are gathered from all
    images would otherwise often be a power of two apart, and share few lines of the cache.
    """
    length = prod(images.shape[1:])
    copy = XP.empty((len(images), length + _GAP), images.dtype)[:, :length].reshape(images.shape)
    XP.copyto(copy, images)
    return copy


class _Cells:
    """Padded images, (C, *lengths, N), of zeros; the part inside the padding; and the windows."""

    def __init__(self, count: int, channels: int, dtype: Any, plan: Plan) -> None:
        size, step, padding, apart = plan.windows
        lengths = list(zip(plan.lengths, padding, strict=True))
        cells = XP.zeros((channels, *[length + 2 * before for length, before in lengths], count), dtype)
        self.inside = cells[:, *[slice(before, before + length) for length, before in lengths]]
        channel, *along, image = cells.strides
        strides = *_times(apart, along), *_times(step, along)
        #: A view of the cells: (C, *size of the window, *counts, N).
        self.seen = XP.ndarray((channels, *size, *plan.counts, count), dtype, cells, 0, (channel, *strides, image))


def _times(some: Lengths, others: list[int]) -> list[int]:
    return [one * other for one, other in zip(some, others, strict=True)]


def _columns(images: Array, plan: Plan) -> Array:
    """The windows of all images as columns: (groups, channels of a group and places in the window, windows)."""
    cells = _Cells(len(images), images.shape[1], images.dtype, plan)
    XP.copyto(cells.inside, _images_last(_apart(images)))
    depth = images.shape[1] // plan.groups * prod(plan.windows.size)
    return cells.seen.reshape(plan.groups, depth, -1)


def _rows_of(results: Array, plan: Plan) -> Array:
    """The results of all images: (groups, channels of a group, windows)."""
    return _images_last(_apart(results)).reshape(plan.groups, results.shape[1] // plan.groups, -1)


def convolve(inputs: Array, weights: Array, bias: Array | None, plan: Plan) -> Array:
    """The kernel of `convolved`."""
    output = HOST.empty(HOST.dtype_of(inputs), (len(inputs), len(weights), *plan.counts))
    rows = plain._as_rows(weights, plan)
    for block in plain._blocks(len(inputs), weights, plan):
        products = XP.matmul(rows, _columns(inputs[block], plan)).reshape(len(weights), -1)
        if bias is not None:
            XP.add(products, bias.reshape(-1, 1), out=products)
        target = _images_last(output[block])
        XP.copyto(target, products.reshape(target.shape))
    return output


def spread(results: Array, weights: Array, plan: Plan) -> Array:
    """The kernel of `spread_out`."""
    rows, channels = plain._as_rows(weights, plan), plan.groups * weights.shape[1]
    output = HOST.empty(HOST.dtype_of(results), (len(results), channels, *plan.lengths))
    multiply = XP.matmul if rows.shape[1] > 1 else XP.multiply  # the same for one channel, and faster
    for block in plain._blocks(len(results), weights, plan):
        cells = _Cells(len(results[block]), channels, results.dtype, plan)
        shares = multiply(rows.swapaxes(1, 2), _rows_of(results[block], plan)).reshape(cells.seen.shape)
        for place in XP.ndindex(*plan.windows.size):
            where = cells.seen[:, *place]
            XP.add(where, shares[:, *place], out=where)
        XP.copyto(_images_last(output[block]), cells.inside)
    return output


def correlate(inputs: Array, results: Array, like: Array, plan: Plan) -> Array:
    """The kernel of `correlated`."""
    sums = XP.zeros(plain._as_rows(like, plan).shape, inputs.dtype)
    for block in plain._blocks(len(inputs), like, plan):
        sums += XP.matmul(_rows_of(results[block], plan), _columns(inputs[block], plan).swapaxes(1, 2))
    return sums.reshape(like.shape)
