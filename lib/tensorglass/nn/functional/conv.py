"""Convolutions, which are operators, and `unfold` and `fold`, which turn windows into columns and back."""

from __future__ import annotations

from collections.abc import Sequence

from tensorglass import conv1d, conv2d, conv3d, conv_transpose1d, conv_transpose2d, conv_transpose3d
from tensorglass.ops.nn import unfold_fold
from tensorglass.ops.nn.arguments import each_of
from tensorglass.tensor.tensor import Tensor

__all__ = [
    "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "fold", "unfold",
]  # fmt: skip

Ints = int | Sequence[int]


def unfold(input: Tensor, kernel_size: Ints, dilation: Ints = 1, padding: Ints = 0, stride: Ints = 1) -> Tensor:
    """The windows of images as columns: (N, C, H, W) → (N, C · cells of a window, windows)."""
    return unfold_fold.im2col(input, *[each_of(option, 2) for option in (kernel_size, dilation, padding, stride)])


def fold(
    input: Tensor, output_size: Ints, kernel_size: Ints, dilation: Ints = 1, padding: Ints = 0, stride: Ints = 1
) -> Tensor:
    """Add columns up to images, undoing `unfold`: (N, C · cells of a window, windows) → (N, C, *output_size)."""
    return unfold_fold.col2im(
        input, *[each_of(option, 2) for option in (output_size, kernel_size, dilation, padding, stride)]
    )
