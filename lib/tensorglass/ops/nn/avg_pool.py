"""The mean of each window: avg_pool, and adaptive_avg_pool, whose windows divide the input into a given number of
parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.errors import explained
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.arg_parser.checks import check_tensor, not_implemented
from tensorglass.ops.arg_parser.parsed import parsed
from tensorglass.ops.declare.autocast import in_float32
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.kernels import pooling as kernels
from tensorglass.ops.kernels.windows import Lengths, Windows
from tensorglass.ops.nn import pooling
from tensorglass.ops.nn.arguments import Ints, as_input_lies, for_each, like_channels_last, run_wide
from tensorglass.ops.nn.max_pool import adaptive_lengths
from tensorglass.tensor.tensor import Tensor

# --- windows that move by a stride -----------------------------------------------------------------------------------


class _Averaging(NamedTuple):
    """The arguments of the mean of windows."""

    windows: Windows
    lengths: Lengths  #: of the input
    counts: Lengths  #: how many windows there are in each dimension
    counts_padding: bool
    divisor: int | None  #: what sums are divided by, if not by the number of cells


def _averages(xp: Any, array: Array, averaging: _Averaging) -> Array:
    total = kernels.sums(xp, array, averaging.windows, averaging.counts)
    divisor = _divisor(xp, averaging)
    if total.dtype.kind in "iu":
        return xp.trunc(total / divisor).astype(total.dtype)
    return xp.true_divide(total, divisor.astype(total.dtype), out=total)


def _divisor(xp: Any, averaging: _Averaging) -> Array:
    if averaging.divisor is not None:
        return xp.asarray(averaging.divisor)
    return kernels.divisors(xp, averaging.lengths, averaging.windows, averaging.counts, averaging.counts_padding)


def _shares(xp: Any, array: Array, averaging: _Averaging) -> Array:
    shares = array / _divisor(xp, averaging).astype(array.dtype)
    return kernels.add_to_windows(xp, shares, averaging.lengths, averaging.windows)


@derivative(
    node=lambda averaging: f"AvgPool{len(averaging.counts)}DBackward0",
    input=lambda grad, input_size, input_stride, averaging: average_shares(
        _as_image_lies(grad, len(averaging.counts), input_size, input_stride), averaging
    ),
)
def _average(input: Tensor, averaging: _Averaging) -> Tensor:
    result = run_wide(_averages, input, averaging=averaging)
    return like_channels_last(result, input) if len(averaging.counts) == 2 else result  # volumes are contiguous


def _as_image_lies(grad: Tensor, rank: int, size: Lengths, stride: Lengths) -> Tensor:
    return as_input_lies(grad, size, stride) if rank == 2 else grad


@derivative(
    node=lambda averaging: f"AvgPool{len(averaging.counts)}DBackwardBackward0",
    input=lambda grad, averaging: average(grad, averaging),
)
def _average_shares(input: Tensor, averaging: _Averaging) -> Tensor:
    return like_channels_last(run_wide(_shares, input, averaging=averaging), input)


#: The means of windows, and the gradient: each cell of a window gets an equal share of the mean's.
average: Any = recorded(_average)
average_shares: Any = recorded(_average_shares)


def _avg_pool(
    rank: int,
    input: Tensor,
    kernel_size: Ints,
    stride: Ints | None,
    padding: Ints,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Tensor:
    name = f"avg_pool{rank}d"
    check_tensor(name, input)
    pooled = pooling.windows(name, rank, kernel_size, stride, padding)
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    counts = pooling.check(input, pooled, ceil_mode, dilated=False)
    if input._dtype.category != dtypes.FLOATING and input._dtype is not dtypes.int64:
        raise not_implemented("avg_pool2d" if rank == 2 else "avg_pool3d_out_frame", input._dtype)
    result: Tensor = average(
        input, _Averaging(pooled, tuple(input._size[-rank:]), counts, count_include_pad, divisor_override)
    )
    return result


@parsed("avg_pool2d")
def avg_pool2d(
    input: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints = 0, ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: int | None = None,
) -> Tensor:  # fmt: skip
    """The mean of each window of images: (N, C, H, W) → (N, C, H', W'). See `avg_pool1d`.

    `divisor_override` is what sums are divided by instead of the number of cells.
    """
    return _avg_pool(2, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


@in_float32
@parsed("avg_pool3d")
def avg_pool3d(
    input: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints = 0, ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: int | None = None,
) -> Tensor:  # fmt: skip
    """The mean of each window of volumes: (N, C, D, H, W) → (N, C, D', H', W'). See `avg_pool2d`."""
    return _avg_pool(3, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


@operator("networks", method=False)
def avg_pool1d(
    input: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints = 0, ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:  # fmt: skip
    """The mean of each window of signals: (N, C, L) → (N, C, L'), or the same without N.

    ``L' = (L + 2·padding - kernel_size) // stride + 1``, rounded up with `ceil_mode`. `stride` is `kernel_size` if left
    out. Cells of the padding count as zeros, or not at all without `count_include_pad`.
    """
    check_tensor("avg_pool1d", input)
    if len(input._size) not in (2, 3):
        raise pooling.no_signals("avg_pool1d", input)
    for name, given in (("kernel_size", kernel_size), ("stride", stride), ("padding", padding)):
        if isinstance(given, Sequence) and len(given) > 1:
            raise RuntimeError(f"avg_pool1d() argument '{name}' should contain one int (got {len(given)})")
    size, before = for_each(kernel_size, 1), for_each(padding, 1)
    step = size if stride is None or stride == () or stride == [] else for_each(stride, 1)
    pooled = avg_pool2d(input.unsqueeze(-2), (1, *size), (1, *step), (0, *before), ceil_mode, count_include_pad)
    return pooled.squeeze(-2)


# --- windows that divide the input -----------------------------------------------------------------------------------


@derivative(
    node=lambda counts: f"AdaptiveAvgPool{len(counts)}DBackward0",
    input=lambda grad, input_size, input_stride, counts: adaptive_shares(
        _as_image_lies(grad, len(counts), input_size, input_stride), tuple(input_size[-len(counts) :])
    ),
)
def _adaptive(input: Tensor, counts: Lengths) -> Tensor:
    result = run_wide(kernels.adaptive_average, input, counts=counts)
    return like_channels_last(result, input) if len(counts) == 2 else result


@derivative(
    node=lambda lengths: f"AdaptiveAvgPool{len(lengths)}DBackwardBackward0",
    part=lambda grad, part_size, lengths: adaptive(grad, tuple(part_size[-len(lengths) :])),
)
def _adaptive_shares(part: Tensor, lengths: Lengths) -> Tensor:
    return like_channels_last(run_wide(kernels.adaptive_spread, part, lengths=lengths), part)


#: The mean of each part, and the gradient: each cell of a part gets an equal share of the mean's.
adaptive: Any = recorded(_adaptive)
adaptive_shares: Any = recorded(_adaptive_shares)


def _adaptive_avg(rank: int, input: Tensor, output_size: Any) -> Tensor:
    name = f"adaptive_avg_pool{rank}d"
    counts = adaptive_lengths(name, rank, input, output_size)
    if len(counts) != rank:
        raise RuntimeError(f"{name}: output_size must be {rank}")
    size = list(input._size)
    if min(counts) < 0:
        shown = ", ".join(map(str, counts[:2])) + "".join(f",{count}" for count in counts[2:])  # sic
        raise RuntimeError(
            f"{name}: elements of output_size must be greater than or equal to 0 but received {{{shown}}}"
        )
    if len(size) not in (rank + 1, rank + 2):
        raise explained(
            RuntimeError(f"{name}(): Expected {rank + 1}D or {rank + 2}D tensor, but got {size}"),
            "Its size is (batch, channels, …), or without batch.",
        )
    is_whole = all(count == 1 for count in counts)  # the mean of everything, of nothing too
    for dim in range(1 if rank == 3 else len(size) - rank, len(size)):
        if not (size[dim] or is_whole):
            raise RuntimeError(
                f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes {size} "
                f"with dimension {dim} being empty"
            )
    if is_whole:
        mean: Tensor = input.mean([dim - rank for dim in range(rank)], True)
        if geometry.suggests_channels_last(input._size, input._stride):
            channels = size[1]
            mean.as_strided_(mean._size, (channels, 1, *[channels] * (len(size) - 2)))
        return mean
    if input._dtype.category != dtypes.FLOATING:
        raise not_implemented(f"adaptive_avg_pool{rank}d" if rank == 2 else "adaptive_avg_pool3d_cpu", input._dtype)
    result: Tensor = adaptive(input, counts)
    return result


@parsed("adaptive_avg_pool2d")
def adaptive_avg_pool2d(input: Tensor, output_size: Ints) -> Tensor:
    """The mean of each of ``H' · W'`` parts of images: (N, C, H, W) → (N, C, H', W')."""
    return _adaptive_avg(2, input, output_size)


@parsed("adaptive_avg_pool3d")
def adaptive_avg_pool3d(input: Tensor, output_size: Ints) -> Tensor:
    """The mean of each of ``D' · H' · W'`` parts of volumes: (N, C, D, H, W) → (N, C, D', H', W')."""
    return _adaptive_avg(3, input, output_size)


@operator("networks", method=False)
def adaptive_avg_pool1d(input: Tensor, output_size: Ints) -> Tensor:
    """The mean of each of `output_size` parts of signals: (N, C, L) → (N, C, L'), or the same without N."""
    check_tensor("adaptive_avg_pool1d", input)
    if len(input._size) not in (2, 3):
        raise pooling.no_signals("adaptive_avg_pool1d", input)
    count = pooling.one_int("adaptive_avg_pool1d", output_size)
    return adaptive_avg_pool2d(input.unsqueeze(-2), (1, count)).squeeze(-2)
