"""The largest element of each window, max_pool, adaptive and fractional; and its partial inverse, max_unpool.

`indices` says which cell of the input is the largest, as a position in the flattened image. The gradient of each window
goes to that cell.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import index
from typing import Any, NamedTuple

from tensorglass.core import dtypes
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import is_recorded, recorded
from tensorglass.ops.arg_parser.checks import check_tensor, not_implemented
from tensorglass.ops.arg_parser.parsed import parsed
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.kernels import pooling as kernels
from tensorglass.ops.kernels.windows import Lengths, Windows
from tensorglass.ops.nn import pooling
from tensorglass.ops.nn.arguments import Ints, as_input_lies, for_each, like_channels_last, run_wide
from tensorglass.tensor.construct import from_array, reread
from tensorglass.tensor.tensor import Tensor, array_of

# --- elements by their cells -----------------------------------------------------------------------------------------


class _Of(NamedTuple):
    """The pooling whose gradient is computed."""

    name: str  #: PyTorch's, of the node
    lengths: Lengths  #: the lengths of the image
    may_repeat: bool = True  #: whether several windows may have the same largest element
    may_miss: bool = False  #: whether all cells of a window may be padding: its index is then that of no cell


@derivative(node=lambda of: f"{of.name}BackwardBackward0", part=lambda grad, indices, of: gathered(grad, indices, of))
def _put_back(part: Tensor, indices: Tensor, of: _Of) -> Tensor:
    values = part
    if of.may_miss:
        is_no_cell = indices >= math.prod(of.lengths)
        values, indices = part.masked_fill(is_no_cell, 0), indices.masked_fill(is_no_cell, 0)
    return like_channels_last(
        run_wide(kernels.put_back, values.contiguous(), indices.contiguous(), of.lengths, of.may_repeat), part
    )


@derivative(node=lambda of: f"{of.name}BackwardBackward0", whole=lambda grad, indices, of: put_back(grad, indices, of))
def _gathered(whole: Tensor, indices: Tensor, of: _Of) -> Tensor:
    outer = whole._size[: len(whole._size) - len(of.lengths)]
    cells, places = math.prod(of.lengths), math.prod(indices._size[len(outer) :])
    if of.may_miss:
        is_no_cell = indices >= cells
        inside = indices.masked_fill(is_no_cell, 0)
        return _gathered(whole, inside, of._replace(may_miss=False)).masked_fill(is_no_cell, 0)
    result = whole.reshape((*outer, cells)).gather(-1, indices.reshape((*outer, places)))
    return result.reshape(indices._size)


#: Values added to the cells that they came from; and the gradient, which is read from those cells.
put_back: Any = recorded(_put_back)
gathered: Any = recorded(_gathered)


def _launch(kernel: Any, input: Tensor, *arguments: Any) -> tuple[Tensor, Tensor]:
    values_, indices = input._storage.backend.launch(kernel, array_of(input), *arguments)
    storage = input._storage
    return (
        like_channels_last(from_array(values_, input._dtype, storage), input),
        like_channels_last(from_array(indices, dtypes.int64, storage), input),
    )


def _refuse_dtype(kernel: str, input: Tensor, *, integers: bool = True) -> None:
    if input._dtype.is_complex or input._dtype is dtypes.bool or not (integers or input._dtype.is_floating_point):
        raise not_implemented(kernel, input._dtype)


# --- windows that move by a stride -----------------------------------------------------------------------------------


class _Move(NamedTuple):
    windows: Windows
    counts: Lengths


def _pool_name(input: Tensor, move: _Move) -> str:
    return f"MaxPool{len(move.counts)}DWithIndicesBackward0"


def _pool_gradient(grad: Tensor, input_size: Lengths, input_stride: Lengths, result1: Tensor, move: _Move) -> Tensor:
    grad = as_input_lies(grad, input_size, input_stride)
    rank = len(move.counts)
    windows = move.windows
    may_miss = any(apart > 1 for apart in windows.dilation)
    may_repeat = may_miss or any(step < apart * (size - 1) + 1 for size, step, _, apart in zip(*windows, strict=True))
    of = _Of(f"MaxPool{rank}DWithIndices", tuple(input_size[-rank:]), may_repeat, may_miss)
    gradient: Tensor = put_back(grad, result1, of)
    return gradient


@derivative(node=_pool_name, outputs=1, input=_pool_gradient)
def _with_indices(input: Tensor, move: _Move) -> tuple[Tensor, Tensor]:
    return _launch(kernels.max_pool_with_indices, input, *move)


_recorded_pool: Any = recorded(_with_indices)


def _read(
    rank: int, input: Tensor, kernel_size: Ints, stride: Ints | None, padding: Ints, dilation: Ints, ceil_mode: bool
) -> _Move:
    name = f"max_pool{rank}d"
    check_tensor(name, input)
    windows = pooling.windows(name, rank, kernel_size, stride, padding, dilation)
    move = _Move(windows, pooling.check(input, windows, ceil_mode))
    _refuse_dtype(name, input)
    return move


@parsed("max_pool2d_with_indices")
def max_pool2d_with_indices(
    input: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints = 0, dilation: Ints = 1,
    ceil_mode: bool = False,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """`max_pool2d`, and which cell of each image the largest element is."""
    result: tuple[Tensor, Tensor] = _recorded_pool(
        input, _read(2, input, kernel_size, stride, padding, dilation, ceil_mode)
    )
    return result


@parsed("max_pool3d_with_indices")
def max_pool3d_with_indices(
    input: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints = 0, dilation: Ints = 1,
    ceil_mode: bool = False,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """`max_pool3d`, and which cell of each volume the largest element is."""
    result: tuple[Tensor, Tensor] = _recorded_pool(
        input, _read(3, input, kernel_size, stride, padding, dilation, ceil_mode)
    )
    return result


def _largest(input: Tensor, move: _Move) -> Tensor:
    if is_recorded((input,)):
        result: Tensor = _recorded_pool(input, move)[0]
        return result
    results = input._storage.backend.launch(kernels.max_pool, array_of(input), *move)
    return like_channels_last(from_array(results, input._dtype, input._storage), input)


@operator("networks", method=False)
def max_pool1d_with_indices(
    input: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints = 0, dilation: Ints = 1,
    ceil_mode: bool = False,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """`max_pool1d`, and which cell of each signal the largest element is."""
    check_tensor("max_pool1d", input)
    windows = pooling.windows("max_pool1d", 1, kernel_size, stride, padding, dilation)
    pooling.check_1d(input, windows, ceil_mode)
    size, step, before, apart = windows
    largest, indices = max_pool2d_with_indices(
        input.unsqueeze(-2), (1, *size), (1, *step), (0, *before), (1, *apart), ceil_mode
    )
    return largest.squeeze(-2), indices.squeeze(-2)


@operator("networks", method=False)
def max_pool1d(
    input: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints = 0, dilation: Ints = 1,
    ceil_mode: bool = False,
) -> Tensor:  # fmt: skip
    """The largest element of each window of signals: (N, C, L) → (N, C, L'), or the same without N.

    ``L' = (L + 2·padding - dilation·(kernel_size - 1) - 1) // stride + 1``, rounded up with `ceil_mode`. `stride` is
    `kernel_size` if left out. Raises RuntimeError where there is no window.
    """
    result: Tensor = max_pool1d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)[0]
    return result if is_recorded((input,)) else reread(result.contiguous(), result._size)


@operator("networks", method=False)
def max_pool2d(
    input: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints = 0, dilation: Ints = 1,
    ceil_mode: bool = False,
) -> Tensor:  # fmt: skip
    """The largest element of each window of images: (N, C, H, W) → (N, C, H', W'). See `max_pool1d`."""
    return _largest(input, _read(2, input, kernel_size, stride, padding, dilation, ceil_mode))


@operator("networks", method=False)
def max_pool3d(
    input: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints = 0, dilation: Ints = 1,
    ceil_mode: bool = False,
) -> Tensor:  # fmt: skip
    """The largest element of each window of volumes: (N, C, D, H, W) → (N, C, D', H', W'). See `max_pool1d`."""
    return _largest(input, _read(3, input, kernel_size, stride, padding, dilation, ceil_mode))


# --- windows that divide the input -----------------------------------------------------------------------------------


def _adaptive_gradient(
    grad: Tensor, input_size: Lengths, input_stride: Lengths, result1: Tensor, counts: Lengths
) -> Tensor:
    rank = len(counts)
    if rank == 2:  # volumes are contiguous
        grad = as_input_lies(grad, input_size, input_stride)
    gradient: Tensor = put_back(grad, result1, _Of(f"AdaptiveMaxPool{rank}D", tuple(input_size[-rank:])))
    return gradient


@derivative(node=lambda counts: f"AdaptiveMaxPool{len(counts)}DBackward0", outputs=1, input=_adaptive_gradient)
def _adaptive(input: Tensor, counts: Lengths) -> tuple[Tensor, Tensor]:
    return _launch(kernels.adaptive_max, input if len(counts) == 2 else input.contiguous(), counts)


_recorded_adaptive: Any = recorded(_adaptive)


def adaptive_lengths(name: str, rank: int, input: Tensor, output_size: Any) -> Lengths:
    """The number of parts of each dimension; None means as many as it has cells."""
    check_tensor(name, input)
    lengths_wanted = tuple(output_size) if isinstance(output_size, (tuple, list)) else (output_size,) * rank
    lengths = input._size[-rank:]
    if len(lengths_wanted) == rank and len(lengths) == rank:
        lengths_wanted = tuple(
            [length if size is None else size for size, length in zip(lengths_wanted, lengths, strict=True)]
        )
    return tuple([index(size) if isinstance(size, Tensor) else size for size in lengths_wanted])


def _adaptive_max(rank: int, input: Tensor, output_size: Any) -> tuple[Tensor, Tensor]:
    name = f"adaptive_max_pool{rank}d"
    counts = adaptive_lengths(name, rank, input, output_size)
    size = list(input._size)
    if len(size) not in (rank + 1, rank + 2):
        raise RuntimeError(f"{name}(): Expected {rank + 1}D or {rank + 2}D tensor, but got: {size}")
    for dim in range(len(size) - rank - 1, len(size)):
        if dim > 0 and not size[dim]:
            raise RuntimeError(
                f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes {size} "
                f"with dimension {dim} being empty"
            )
    if len(counts) != rank:
        raise RuntimeError(f"{name}(): internal error: output_size.size() must be {rank}")
    if min(counts) < 0:
        refused = [*size[:-rank], *counts]
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(counts)}: {refused}")
    _refuse_dtype(name, input, integers=False)
    result: tuple[Tensor, Tensor] = _recorded_adaptive(input, counts)
    return result


@operator("networks", method=False)
def adaptive_max_pool1d(input: Tensor, output_size: Ints) -> tuple[Tensor, Tensor]:
    """The largest element of each of `output_size` parts of signals, and which cell it is: (N, C, L) → (N, C, L')."""
    check_tensor("adaptive_max_pool1d", input)
    if len(input._size) not in (2, 3):
        raise pooling.no_signals("adaptive_max_pool1d", input)
    count = pooling.one_int("adaptive_max_pool1d", output_size)
    largest, indices = adaptive_max_pool2d(input.unsqueeze(-2), (1, count))
    return largest.squeeze(-2), indices.squeeze(-2)


@parsed("adaptive_max_pool2d")
def adaptive_max_pool2d(input: Tensor, output_size: Ints) -> tuple[Tensor, Tensor]:
    """The same of images: (N, C, H, W) → (N, C, H', W')."""
    return _adaptive_max(2, input, output_size)


@parsed("adaptive_max_pool3d")
def adaptive_max_pool3d(input: Tensor, output_size: Ints) -> tuple[Tensor, Tensor]:
    """The same of volumes: (N, C, D, H, W) → (N, C, D', H', W')."""
    return _adaptive_max(3, input, output_size)


# --- windows at random places ----------------------------------------------------------------------------------------


class _Fraction(NamedTuple):
    size: Lengths
    counts: Lengths


def _fractional_gradient(grad: Tensor, input_size: Lengths, result1: Tensor, fraction: _Fraction) -> Tensor:
    rank = len(fraction.counts)
    gradient: Tensor = put_back(grad, result1, _Of(f"FractionalMaxPool{rank}D", tuple(input_size[-rank:])))
    return gradient


@derivative(
    node=lambda fraction: f"FractionalMaxPool{len(fraction.counts)}DBackward0",
    outputs=1,
    input=_fractional_gradient,
)
def _fractional(input: Tensor, samples: Tensor, fraction: _Fraction) -> tuple[Tensor, Tensor]:
    single = len(input._size) == len(fraction.size) + 1
    batch = input.unsqueeze(0) if single else input
    result = _launch(kernels.fractional_max, batch.contiguous(), array_of(samples), *fraction)
    return (result[0].squeeze(0), result[1].squeeze(0)) if single else result


_recorded_fractional: Any = recorded(_fractional)


def _fractional_max(
    rank: int, input: Tensor, kernel_size: Ints, output_size: Ints, random_samples: Tensor
) -> tuple[Tensor, Tensor]:
    name = f"fractional_max_pool{rank}d"
    check_tensor(name, input)
    if len(input._size) not in (rank + 1, rank + 2):
        raise RuntimeError(f"{name}(): Expected {rank + 1}D or {rank + 2}D tensor, but got: {list(input._size)}")
    size, counts = for_each(kernel_size, rank), for_each(output_size, rank)
    for option, value in (("kernel_size", size), ("output_size", counts)):
        if len(value) != rank:
            several = "Ints" if rank == 2 else "three Ints"
            raise RuntimeError(f"{name}: {option} must either be a single Int or tuple of {several}")
    for dim, length in enumerate(input._size):
        if rank == 2 and dim and not length:
            raise RuntimeError(
                f"{name}(): Expected input to have non-zero size for non-batch dimensions, but got"
                f"{list(input._size)} with dimension {dim} being empty."
            )
    for axis, length, window, count in zip(("T", "H", "W")[-rank:], input._size[-rank:], size, counts, strict=True):
        if count + window - 1 > length:
            word = {"T": "time", "H": "height", "W": "width"}[axis]
            raise RuntimeError(f"{name}(): pool {word} {window} too large relative to input {word} {length}")
    if random_samples._dtype is not input._dtype:
        raise RuntimeError("Expect _random_samples to have the same dtype as input")
    if len(random_samples._size) != 3:
        raise RuntimeError(f"Expect _random_samples to have 3 dimensions, got {len(random_samples._size)}")
    if random_samples._size[1] != input._size[-rank - 1]:
        raise RuntimeError("Expect _random_samples.size(1) equals to input channel size.")
    for count in counts:
        if count < 0:
            whole = [*input._size[:-rank], *counts]
            raise RuntimeError(f"Trying to create tensor with negative dimension {count}: {whole}")
    if rank == 2:  # PyTorch's order: the width's sample comes first
        random_samples = random_samples.flip(-1)
    result: tuple[Tensor, Tensor] = _recorded_fractional(input, random_samples.contiguous(), _Fraction(size, counts))
    return result


@parsed("fractional_max_pool2d")
def fractional_max_pool2d(
    input: Tensor, kernel_size: Ints, output_size: Ints, random_samples: Tensor
) -> tuple[Tensor, Tensor]:
    """The largest element of windows at random places: (N, C, H, W) → (N, C, H', W'), and which cells they are.

    `random_samples`, (N, C, 2), say where windows begin.
    """
    return _fractional_max(2, input, kernel_size, output_size, random_samples)


@parsed("fractional_max_pool3d")
def fractional_max_pool3d(
    input: Tensor, kernel_size: Ints, output_size: Ints, random_samples: Tensor
) -> tuple[Tensor, Tensor]:
    """The same of volumes; `random_samples` are (N, C, 3)."""
    return _fractional_max(3, input, kernel_size, output_size, random_samples)


# --- unpooling -------------------------------------------------------------------------------------------------------


@derivative(
    node=lambda output_size: f"MaxUnpool{len(output_size)}DBackward0",
    input=lambda grad, indices, output_size: gathered(grad, indices, _Of(f"MaxUnpool{len(output_size)}D", output_size)),
)
def _unpooled(input: Tensor, indices: Tensor, output_size: Lengths) -> Tensor:
    outer = input._size[: len(input._size) - len(output_size)]
    result, row = input.new_zeros((*outer, math.prod(output_size))), (*outer, math.prod(input._size[len(outer) :]))
    result.scatter_(-1, indices.reshape(row), input.reshape(row))
    return like_channels_last(result.reshape((*outer, *output_size)), input)


_recorded_unpool: Any = recorded(_unpooled)


def _unpool(rank: int, input: Tensor, indices: Tensor, output_size: Sequence[int]) -> Tensor:
    name = f"max_unpool{rank}d"
    check_tensor(name, input)
    if indices._dtype is not dtypes.int64:
        got = f" but got: {indices._dtype.scalar_type}" if rank == 2 else ""
        raise RuntimeError(f"elements in indices should be type int64{got}")
    size = tuple(output_size)
    words = {2: "two elements (height, width)", 3: "three elements (depth, height, width)"}[rank]
    if len(size) != rank:
        raise RuntimeError(f"There should be exactly {words} in output_size, but got {len(size)} elements.")
    if len(input._size) not in (rank + 1, rank + 2):
        raise RuntimeError(
            f"Input to max_unpooling{rank}d should be a {rank + 1}d or {rank + 2}d Tensor, but got a tensor with "
            f"{len(input._size)} dimensions."
        )
    if input._size != indices._size:
        raise RuntimeError(
            f"Expected shape of indices to be same as that of the input tensor ({list(input._size)}) but got indices "
            f"tensor with shape: {list(indices._size)}"
        )
    if indices.numel():
        cells = math.prod(size)
        low, high = indices.min().item(), indices.max().item()
        if low < 0 or high >= cells:
            wrong = low if low < 0 else high
            shown = "x".join(map(str, size))
            raise RuntimeError(f"Found an invalid max index: {wrong} (output volumes are of size {shown})")
    result: Tensor = _recorded_unpool(input, indices, size)
    return result


@parsed("max_unpool2d")
def max_unpool2d(input: Tensor, indices: Tensor, output_size: Sequence[int]) -> Tensor:
    """Zeros, except for the elements of `input` in the cells given by `indices`; what `max_pool2d` left out is lost."""
    return _unpool(2, input, indices, output_size)


@parsed("max_unpool3d")
def max_unpool3d(
    input: Tensor, indices: Tensor, output_size: Sequence[int], stride: Sequence[int], padding: Sequence[int]
) -> Tensor:
    """The same of volumes."""
    return _unpool(3, input, indices, output_size)
