"""Convolutions of images by steps of one cell: windows that are copied in long runs.

NumPy copies rows of a few cells slowly. In a padded image that lies in a row, the cells that one place of the window
sees, window after window, are one run: it goes on through the ends of the image's rows, where it sees windows that
nobody asked for. Their results are computed too, a few more, and left out. The gradient for the input is such a
convolution as well, with the kernels turned around.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from typing import Any

from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST
from tensorglass.fast.networks import convolution_of_batches as batches
from tensorglass.fast.node_rules import RULES, Kept
from tensorglass.ops.nn import convolution as plain
from tensorglass.ops.nn.convolution import Plan

Kernel = Callable[..., Array]
XP = HOST.xp


def _takes(xp: Any, array: Array, plan: Plan) -> bool:
    """Whether this is the way: images on the CPU, windows that move by one cell and are not all of one cell."""
    windows = plan.windows
    return (
        xp is XP and len(windows.size) == 2 and windows.stride == (1, 1) and array.dtype.char in "fd"
        and prod(windows.size) > 1 and array.size > 0
    )  # fmt: skip


class _Runs:
    """The windows of some images at a time, in buffers that serve all of them."""

    def __init__(self, batch: int, channels: int, rows: int, dtype: Any, plan: Plan) -> None:
        self.batch, self.plan = batch, plan
        (height, width), (above, left) = plan.lengths, plan.windows.padding
        self._row = width + 2 * left
        self._length = plan.counts[0] * self._row  # of a run
        self.step = min(
            batch, max(1, plain._BLOCK // (channels * prod(plan.windows.size) * self._length * dtype.itemsize))
        )
        # One row more than there is: the last runs go on for some cells.
        self._cells = XP.zeros((self.step, channels, height + 2 * above + 1, self._row), dtype)
        self.inside = self._cells[:, :, above : above + height, left : left + width]
        depth = channels // plan.groups * prod(plan.windows.size)
        self.columns = XP.empty((self.step, plan.groups, depth, self._length), dtype)
        self.results = XP.zeros((self.step, plan.groups, rows // plan.groups, self._length), dtype)

    def _seen(self, count: int) -> Array:
        """A view of the cells: (images, channels, *size of the window, runs)."""
        cells, windows = self._cells[:count], self.plan.windows
        images, channels, rows, one = cells.strides
        down, right = windows.dilation
        return XP.lib.stride_tricks.as_strided(
            cells,
            (count, cells.shape[1], *windows.size, self._length),
            (images, channels, down * rows, right * one, one),
        )

    def columns_of(self, inputs: Array) -> Array:
        """The windows of these images as columns: (images, groups, channels and places in the window, runs)."""
        XP.copyto(self.inside[: len(inputs)], inputs)
        seen, found = self._seen(len(inputs)), self.columns[: len(inputs)]
        XP.copyto(found.reshape(seen.shape), seen)
        return found

    def added(self, count: int) -> Array:
        """The columns of so many images, added up where their windows lie: (images, channels, height, width)."""
        self._cells[:count] = 0
        seen = self._seen(count)
        columns = self.columns[:count].reshape(seen.shape)
        for place in XP.ndindex(*self.plan.windows.size):
            cells = seen[:, :, place[0], place[1]]
            XP.add(cells, columns[:, :, place[0], place[1]], out=cells)
        return self.inside[:count]

    def wanted(self, count: int) -> Array:
        """The results of windows that were asked for: (images, channels, height, width)."""
        channels = self.results.shape[1] * self.results.shape[2]
        rows = self.results[:count].reshape(count, channels, self.plan.counts[0], self._row)
        return rows[..., : self.plan.counts[1]]

    def blocks(self) -> Iterator[slice]:
        """The images that are taken at a time."""
        for start in range(0, self.batch, self.step):
            yield slice(start, min(start + self.step, self.batch))


def _of_convolve(slow: Kernel) -> Kernel:
    def convolve(xp: Any, inputs: Array, weights: Array, bias: Array | None, plan: Plan) -> Array:
        if batches.takes(xp, inputs, prod(weights.shape[1:]), plan):
            return batches.convolve(inputs, weights, bias, plan)
        if not _takes(xp, inputs, plan):
            return slow(xp, inputs, weights, bias, plan)
        made = XP.empty((len(inputs), len(weights), *plan.counts), inputs.dtype)
        runs = _Runs(len(inputs), inputs.shape[1], len(weights), inputs.dtype, plan)
        rows = plain._as_rows(weights, plan)
        for block in runs.blocks():
            count = block.stop - block.start
            XP.matmul(rows, runs.columns_of(inputs[block]), out=runs.results[:count])
            if bias is None:
                XP.copyto(made[block], runs.wanted(count))
            else:
                XP.add(runs.wanted(count), bias.reshape(-1, 1, 1), out=made[block])
        return made

    return convolve


def _of_spread(slow: Kernel) -> Kernel:
    def spread(xp: Any, results: Array, weights: Array, plan: Plan) -> Array:
        if batches.takes(xp, results, prod(weights.shape[1:]), plan):
            return batches.gradients(None, results, weights, (True, False), plan)[0]
        if not _takes(xp, results, plan):
            return slow(xp, results, weights, plan)
        channels = plan.groups * weights.shape[1]
        made = XP.empty((len(results), channels, *plan.lengths), results.dtype)
        runs = _Runs(len(results), channels, len(weights), results.dtype, plan)
        columns = plain._as_rows(weights, plan).swapaxes(-1, -2)
        for block in runs.blocks():
            count = block.stop - block.start
            XP.copyto(runs.wanted(count), results[block])  # what was not asked for stays 0
            XP.matmul(columns, runs.results[:count], out=runs.columns[:count])
            XP.copyto(made[block], runs.added(count))
        return made

    return spread


def _of_correlate(slow: Kernel) -> Kernel:
    def correlate(xp: Any, inputs: Array, results: Array, like: Array, plan: Plan) -> Array:
        if batches.takes(xp, inputs, prod(like.shape[1:]), plan):
            return batches.gradients(inputs, results, like, (False, True), plan)[1]
        if not _takes(xp, inputs, plan):
            return slow(xp, inputs, results, like, plan)
        runs = _Runs(len(inputs), inputs.shape[1], results.shape[1], inputs.dtype, plan)
        made = XP.zeros(plain._as_rows(like, plan).shape, inputs.dtype)
        for block in runs.blocks():
            count = block.stop - block.start
            XP.copyto(runs.wanted(count), results[block])  # what was not asked for stays 0
            found = XP.matmul(runs.columns_of(inputs[block]), runs.results[:count].swapaxes(-1, -2))
            made += XP.add.reduce(found, axis=0).swapaxes(-1, -2)
        return made.reshape(like.shape)

    return correlate


def _rule(grad: Array, kept: Kept, wanted: list[bool]) -> list[Array | None] | None:
    """The gradients of a convolution of many small images, whose results' gradient is brought into order once."""
    input, weight = kept.get("input"), kept.get("weight")
    if input is None or weight is None or kept["transposed"] or not grad.flags.c_contiguous or grad.ndim != 4:
        return None
    names = ("stride", "padding", "dilation", "transposed", "output_padding", "groups")
    plan = plain._plan_of(input.shape, weight.shape, *[kept[name] for name in names])
    is_packed = input.flags.c_contiguous and weight.flags.c_contiguous and input.dtype == weight.dtype == grad.dtype
    if not is_packed or not batches.takes(XP, grad, prod(weight.shape[1:]), plan):
        return None
    found = batches.gradients(input, grad, weight, (wanted[0], wanted[1]), plan)
    return [*found, *[batches.bias_gradient(grad) if each else None for each in wanted[2:]]]


def install() -> None:
    """Put these ways before the plain kernels, which take what is not theirs."""
    RULES["convolution"] = _rule
    plain.convolve = _of_convolve(plain.convolve)
    plain.spread = _of_spread(plain.spread)
    plain.correlate = _of_correlate(plain.correlate)
