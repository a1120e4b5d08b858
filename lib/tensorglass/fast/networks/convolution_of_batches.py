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
from tensorglass.ops.kernels.sum import total
from tensorglass.ops.kernels.windows import Lengths
from tensorglass.ops.nn import convolution as plain
from tensorglass.ops.nn.convolution import Plan

XP = HOST.xp
#: Images that have more windows than this are as fast one by one: sequences, images, volumes; and of each kind, those
#: whose windows are single cells, which are read without a copy.
_MOST, _MOST_CELLS = (64, 200, 1 << 30), 4
#: The gradients of larger images are faster here too, while the images' channels times their windows are no more than:
_MOST_BACK = 1 << 12
_GAP = 24  # numbers


def takes(xp: Any, array: Array, weights: Array, plan: Plan) -> bool:
    """Whether this algorithm applies: images on the CPU of which each has few windows."""
    most = _MOST[len(plan.counts) - 1] if prod(plan.windows.size) > 1 else _MOST_CELLS
    return xp is XP and array.dtype.char in "fd" and array.size > 0 and weights.size > 0 and prod(plan.counts) <= most


def takes_gradients(array: Array, weights: Array, plan: Plan) -> bool:
    """Whether this algorithm applies to both gradients of a convolution on the CPU together."""
    numbers = prod(plan.counts) * weights.shape[1]
    is_thin = plan.groups == 1 and max(plan.windows.stride) == 1 < prod(plan.windows.size) and numbers <= _MOST_BACK
    return takes(XP, array, weights, plan) or (is_thin and array.dtype.char in "fd" and array.size > 0)


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


def gradients(
    inputs: Array | None, results: Array, weights: Array, wanted: tuple[bool, bool], plan: Plan
) -> tuple[Array | None, Array | None]:
    """The gradients for inputs and weights: the kernels of `spread_out` and `correlated`."""
    rows, channels = plain._as_rows(weights, plan), plan.groups * weights.shape[1]
    of_inputs = HOST.empty(HOST.dtype_of(results), (len(results), channels, *plan.lengths)) if wanted[0] else None
    of_weights = XP.zeros(rows.shape, results.dtype) if wanted[1] else None
    for block in plain._blocks(len(results), weights, plan):
        given = _images_last(_apart(results[block])).reshape(*rows.shape[:2], -1)
        if of_weights is not None and inputs is not None:
            of_weights += XP.matmul(given, _columns(inputs[block], plan).swapaxes(1, 2))
        if of_inputs is not None:
            cells = _Cells(len(results[block]), channels, results.dtype, plan)
            shares = XP.matmul(rows.swapaxes(1, 2), given).reshape(cells.seen.shape)
            for place in XP.ndindex(*plan.windows.size):
                where = cells.seen[:, *place]
                XP.add(where, shares[:, *place], out=where)
            XP.copyto(_images_last(of_inputs[block]), cells.inside)
    return of_inputs, None if of_weights is None else of_weights.reshape(weights.shape)


def bias_gradient(results: Array) -> Array:
    """The gradient of the bias: the sum of each channel."""
    sums = total(XP, results.reshape(len(results), results.shape[1], -1), (2,))
    return total(XP, sums.reshape(sums.shape[:2]), (0,)).reshape(-1)
