"""Windows as columns, and columns added up to images again: `unfold` (im2col) and `fold` (col2im).

(N, C, H, W) ↔ (N, C · cells of a window, number of windows). Each is the other's gradient.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.arg_parser.checks import check_tensor, not_implemented
from tensorglass.ops.arg_parser.parsed import parsed
from tensorglass.ops.kernels.windows import Lengths, Windows, add_windows, padded, windows_of
from tensorglass.ops.nn.arguments import Ints, for_each, run_wide
from tensorglass.tensor.tensor import Tensor


def _columns(xp: Any, array: Array, windows: Windows, lengths: Lengths) -> Array:
    seen = windows_of(xp, padded(xp, array, windows.padding), windows, windows.counts(lengths))
    batch, channels = array.shape[:2]
    size = (batch, channels * prod(windows.size), prod(windows.counts(lengths)))
    return xp.ascontiguousarray(seen.reshape(size))


def _image(xp: Any, array: Array, windows: Windows, lengths: Lengths) -> Array:
    batch, height = array.shape[:2]
    cells = array.reshape((batch, height // prod(windows.size), *windows.size, *windows.counts(lengths)))
    return add_windows(xp, cells, windows, lengths)


@derivative(node="Im2ColBackward0", input=lambda grad, windows, lengths: folded(grad, windows, lengths))
def _unfolded(input: Tensor, windows: Windows, lengths: Lengths) -> Tensor:
    return run_wide(_columns, input.contiguous(), windows=windows, lengths=lengths)


@derivative(node="Col2ImBackward0", input=lambda grad, windows, lengths: unfolded(grad, windows, lengths))
def _folded(input: Tensor, windows: Windows, lengths: Lengths) -> Tensor:
    return run_wide(_image, input.contiguous(), windows=windows, lengths=lengths)


unfolded: Any = recorded(_unfolded)
folded: Any = recorded(_folded)


def _read(**named: Ints) -> tuple[Lengths, ...]:
    counts = []
    for name, value in named.items():
        lengths = for_each(value, 2) if isinstance(value, int) else tuple(value)
        if len(lengths) != 2:
            raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(lengths)}")
        counts.append(lengths)
    return tuple(counts)


def _check_windows(windows: Windows) -> None:
    for what, short, lengths, least, wanted in (
        ("kernel size", "kernel", windows.size, 1, "greater than zero"),
        ("dilation", "dilation", windows.dilation, 1, "greater than zero"),
        ("padding", "pad", windows.padding, 0, "non-negative"),
        ("stride", "stride", windows.stride, 1, "greater than zero"),
    ):
        if min(lengths) < least:
            raise RuntimeError(
                f"{what} should be {wanted}, but got {short}_height: {lengths[0]} {short}_width: {lengths[1]}"
            )


def _refuse_integers(kernel: str, input: Tensor) -> None:
    if input._dtype.category < dtypes.FLOATING and input._dtype is not dtypes.bool:
        raise not_implemented(kernel, input._dtype)


@parsed("im2col")
def im2col(input: Tensor, kernel_size: Ints, dilation: Ints, padding: Ints, stride: Ints) -> Tensor:
    """Windows as columns: (N, C, H, W) → (N, C · cells of a window, windows), or the same without N."""
    check_tensor("im2col", input)
    size, apart, around, step = _read(kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride)
    windows = Windows(size, step, around, apart)
    _check_windows(windows)
    ndim, shape = len(input._size), list(input._size)
    if ndim not in (3, 4) or 0 in shape[ndim - 3 :]:
        if not ndim:
            raise IndexError("Dimension specified as 1 but tensor has no dimensions")
        if ndim < 3:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], but got {ndim})"
            )
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for "
            f"input, but got: {shape}"
        )
    lengths = (shape[-2], shape[-1])
    counts = windows.counts(lengths)
    if min(counts) < 1:
        raise RuntimeError(
            f"Given input with spatial size {lengths}, kernel_size={size}, dilation={apart}, padding={around}, "
            f"calculated shape of the array of sliding blocks as {counts}, but its components must be at least one."
        )
    _refuse_integers("im2col_out_cpu", input)
    result: Tensor = unfolded(input if ndim == 4 else input.unsqueeze(0), windows, lengths)
    return result if ndim == 4 else result.squeeze(0)


@parsed("col2im")
def col2im(
    input: Tensor, output_size: Sequence[int], kernel_size: Ints, dilation: Ints, padding: Ints, stride: Ints
) -> Tensor:
    """Columns added up: (N, C · cells of a window, windows) → (N, C, *output_size), or the same without N."""
    check_tensor("col2im", input)
    lengths, size, apart, around, step = _read(
        output_size=output_size, kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride
    )
    windows = Windows(size, step, around, apart)
    _check_windows(windows)
    ndim, shape = len(input._size), list(input._size)
    if ndim not in (2, 3) or 0 in shape[ndim - 2 :]:
        raise RuntimeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for "
            f"input, but got: {shape}"
        )
    height, width = shape[-2:]
    if height % prod(size):
        raise RuntimeError(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
            f"input.size(1)={height} and kernel_size={size}."
        )
    counts = windows.counts(lengths)
    if width != prod(counts):
        raise RuntimeError(
            f"Given output_size={lengths}, kernel_size={size}, dilation={apart}, padding={around}, stride={step}, "
            "expected size of input's dimension 2 to match the calculated number of sliding blocks "
            f"{counts[0]} * {counts[1]} = {prod(counts)}, but got input.size(2)={width}."
        )
    if min(counts) < 1:
        raise RuntimeError(
            f"Given output_size={lengths}, kernel_size={size}, dilation={apart}, padding={around}, stride={step}, "
            f"calculated shape of the array of sliding blocks as {counts}, which is too small (non-positive)"
        )
    _refuse_integers("col2im_out_cpu", input)
    result: Tensor = folded(input if ndim == 3 else input.unsqueeze(0), windows, lengths)
    return result if ndim == 3 else result.squeeze(0)
