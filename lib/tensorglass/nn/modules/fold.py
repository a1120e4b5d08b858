"""Windows as columns, and columns added up: `Unfold`, `Fold`."""

from __future__ import annotations

from tensorglass.nn import functional as F
from tensorglass.nn.modules.lengths import Ints
from tensorglass.nn.modules.module import Module
from tensorglass.tensor.tensor import Tensor

__all__ = ["Fold", "Unfold"]


class Unfold(Module):
    """The windows of images as columns: (N, C, H, W) → (N, C · cells of a window, windows)."""

    __constants__ = ("kernel_size", "dilation", "padding", "stride")

    def __init__(self, kernel_size: Ints, dilation: Ints = 1, padding: Ints = 0, stride: Ints = 1) -> None:
        super().__init__()
        self.kernel_size, self.dilation, self.padding, self.stride = kernel_size, dilation, padding, stride

    def forward(self, input: Tensor) -> Tensor:
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, stride={self.stride}"


class Fold(Module):
    """Columns added up to images: (N, C · cells of a window, windows) → (N, C, *output_size)."""

    __constants__ = ("output_size", "kernel_size", "dilation", "padding", "stride")

    def __init__(
        self, output_size: Ints, kernel_size: Ints, dilation: Ints = 1, padding: Ints = 0, stride: Ints = 1
    ) -> None:
        super().__init__()
        self.output_size = output_size
        self.kernel_size, self.dilation, self.padding, self.stride = kernel_size, dilation, padding, stride

    def forward(self, input: Tensor) -> Tensor:
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return (
            f"output_size={self.output_size}, kernel_size={self.kernel_size}, dilation={self.dilation}, "
            f"padding={self.padding}, stride={self.stride}"
        )
