"""Convolutions of images with stride 1: windows are copied in long runs.

NumPy copies rows of a few cells slowly. In a flattened padded image, the cells that one position of the window reads,
window after window, form one run. The run continues across the ends of the image's rows, where the windows are invalid;
their few results are computed too, and dropped. The gradient for the input is such a convolution as well, with kernels
that are turned around.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from typing import Any

from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST
from tensorglass.fast.networks import convolution_of_batches as batches
from tensorglass.fast.node_rules import RULES, Kept
from tensorglass.ops.kernels.sum import total
from tensorglass.ops.nn import convolution as plain
from tensorglass.ops.nn.convolution import Plan

Kernel = Callable[..., Array]
XP = HOST.xp
_MOST = 1 << 20  # bytes of windows that are copied at a time, so that they stay in the cache


def _takes(xp: Any, array: Array, plan: Plan) -> bool:
    """Whether this algorithm applies: images on the CPU, stride 1, and a window larger than one cell."""
    windows = plan.windows
    return (
        xp is XP and len(windows.size) == 2 and windows.stride == (1, 1) and array.dtype.char in "fd"
        and prod(windows.size) > 1 and array.size > 0
    )  # fmt: skip


class _Runs:
    """The windows of a few images at a time, `depth` numbers of each, in buffers that all blocks reuse."""

    def __init__(self, images: Array, channels: int, rows: int, depth: int, plan: Plan) -> None:
        self.plan, self._batch, self._dtype = plan, len(images), images.dtype
        (height, width), (above, left) = plan.lengths, plan.windows.padding
        self._row = width + 2 * left
        self._length = plan.counts[0] * self._row  # the length of a run
        self._step = min(self._batch, max(1, _MOST // (depth * self._length * self._dtype.itemsize)))
        # One extra row: the last runs extend past the end by some cells.
        self.cells = XP.zeros((self._step, channels, height + 2 * above + 1, self._row), self._dtype)
        self.inside = self.cells[:, :, above : above + height, left : left + width]
        image, channel, down, along = self.cells.strides
        apart = plan.windows.dilation[0] * down, plan.windows.dilation[1] * along
        size = self._step, channels, *plan.windows.size, self._length
        #: A view of the cells: (images, channels, *size of the window, runs).
        self.seen = XP.lib.stride_tricks.as_strided(self.cells, size, (image, channel, *apart, along))
        self.results = self.buffer(rows)
        self.results.fill(0)

    def buffer(self, rows: int) -> Array:
        """An array for this many rows of numbers for all windows: (images, groups, rows of a group, runs)."""
        return XP.empty((self._step, self.plan.groups, rows // self.plan.groups, self._length), self._dtype)

    def copy_columns(self, inputs: Array, columns: Array) -> Array:
        """The windows of these images as `columns`: (images, groups, channels and places in the window, runs)."""
        count = len(inputs)
        XP.copyto(self.inside[:count], inputs)
        XP.copyto(columns[:count].reshape(self.seen[:count].shape), self.seen[:count])
        return columns[:count]

    def wanted(self, count: int) -> Array:
        """The results of the valid windows: (images, channels, height, width)."""
        channels = self.results.shape[1] * self.results.shape[2]
        rows = self.results[:count].reshape(count, channels, self.plan.counts[0], self._row)
        return rows[..., : self.plan.counts[1]]

    def blocks(self) -> Iterator[tuple[slice, int]]:
        """The slices of images that are processed at a time, and how many images each has."""
        for start in range(0, self._batch, self._step):
            yield slice(start, start + self._step), min(self._step, self._batch - start)


def _of_convolve(slow: Kernel) -> Kernel:
    def convolve(xp: Any, inputs: Array, weights: Array, bias: Array | None, plan: Plan) -> Array:
        if batches.takes(xp, inputs, weights, plan):
            return batches.convolve(inputs, weights, bias, plan)
        if not _takes(xp, inputs, plan):
            return slow(xp, inputs, weights, bias, plan)
        output = XP.empty((len(inputs), len(weights), *plan.counts), inputs.dtype)
        depth = inputs.shape[1] * prod(plan.windows.size)
        runs = _Runs(inputs, inputs.shape[1], len(weights), depth, plan)
        rows, columns = plain._as_rows(weights, plan), runs.buffer(depth)
        for block, count in runs.blocks():
            XP.matmul(rows, runs.copy_columns(inputs[block], columns), out=runs.results[:count])
            if bias is None:
                XP.copyto(output[block], runs.wanted(count))
            else:
                XP.add(runs.wanted(count), bias.reshape(-1, 1, 1), out=output[block])
        return output

    return convolve


def _turned(plan: Plan) -> Plan | None:
    """The plan of the convolution that spreads results out, whose kernels are turned around; None if there is none."""
    windows = plan.windows
    padding = tuple([apart * (size - 1) - before for size, _, before, apart in zip(*windows, strict=True)])
    if max(windows.stride) > 1 or min(padding) < 0:
        return None
    return Plan(windows._replace(padding=padding), plan.groups, plan.counts, plan.lengths)


def _of_spread(slow: Kernel) -> Kernel:
    def spread(xp: Any, results: Array, weights: Array, plan: Plan) -> Array:
        count, channels, *size = weights.shape
        # The windows of the results are copied, so they must not have many more channels.
        turned = _turned(plan) if xp is XP and count < 2 * plan.groups * channels else None
        if turned is not None:
            kernels = weights.reshape(plan.groups, count // plan.groups, channels, -1)[..., ::-1].swapaxes(1, 2)
            kernels = XP.ascontiguousarray(kernels).reshape(plan.groups * channels, count // plan.groups, *size)
            return plain.convolve(xp, results, kernels, None, turned)
        if batches.takes(xp, results, weights, plan):
            return batches.spread(results, weights, plan)
        return slow(xp, results, weights, plan)

    return spread


def _of_correlate(slow: Kernel) -> Kernel:
    def correlate(xp: Any, inputs: Array, results: Array, like: Array, plan: Plan) -> Array:
        if batches.takes(xp, inputs, like, plan):
            return batches.correlate(inputs, results, like, plan)
        if not _takes(xp, inputs, plan):
            return slow(xp, inputs, results, like, plan)
        depth = inputs.shape[1] * prod(plan.windows.size)
        runs = _Runs(inputs, inputs.shape[1], results.shape[1], depth, plan)
        gradient, columns = XP.zeros(plain._as_rows(like, plan).shape, inputs.dtype), runs.buffer(depth)
        for block, count in runs.blocks():
            XP.copyto(runs.wanted(count), results[block])  # what was not asked for stays 0
            seen = runs.copy_columns(inputs[block], columns)
            products = XP.matmul(seen, runs.results[:count].swapaxes(-1, -2))
            gradient += XP.add.reduce(products, axis=0).swapaxes(-1, -2)
        return gradient.reshape(like.shape)

    return correlate


def _rule(grad: Array, kept: Kept, wanted: list[bool]) -> list[Array | None] | None:
    """The gradients of a convolution, of arrays that these kernels read as they are."""
    input, weight = kept.get("input"), kept.get("weight")
    if input is None or weight is None or kept["transposed"]:
        return None
    arrays = grad, input, weight
    if not all(array.flags.c_contiguous and array.size for array in arrays) or grad.dtype.char not in "fd":
        return None
    if not input.dtype == weight.dtype == grad.dtype:
        return None
    names = ("stride", "padding", "dilation", "transposed", "output_padding", "groups")
    plan = plain._plan_of(input.shape, weight.shape, *[kept[name] for name in names])
    of_input = plain.spread(XP, grad, weight, plan) if wanted[0] else None
    of_weight = plain.correlate(XP, input, grad, weight, plan) if wanted[1] else None
    return [of_input, of_weight, *[_bias_gradient(grad) if is_wanted else None for is_wanted in wanted[2:]]]


def _bias_gradient(results: Array) -> Array:
    """The gradient of the bias: the sum of each channel."""
    sums = total(XP, results.reshape(len(results), results.shape[1], -1), (2,))
    return total(XP, sums.reshape(sums.shape[:2]), (0,)).reshape(-1)


def with_own_kernels(form: Callable[..., Any]) -> Callable[..., Any]:
    """The convolution `form` itself, with these kernels before its plain ones, which handle all other calls."""
    RULES["convolution"] = _rule
    plain.convolve = _of_convolve(plain.convolve)
    plain.spread = _of_spread(plain.spread)
    plain.correlate = _of_correlate(plain.correlate)
    return form
