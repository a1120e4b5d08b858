"""Pooling layers: one number for each window. The functions of the same names describe the shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tensorglass.nn import functional as F
from tensorglass.nn.modules.lengths import Ints, for_each
from tensorglass.nn.modules.module import Module
from tensorglass.nn.modules.module.inherited import named_after_subclass
from tensorglass.tensor.tensor import Tensor

__all__ = [
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d", "AvgPool1d", "AvgPool2d", "AvgPool3d", "FractionalMaxPool2d", "FractionalMaxPool3d",
    "LPPool1d", "LPPool2d", "LPPool3d", "MaxPool1d", "MaxPool2d", "MaxPool3d", "MaxUnpool1d", "MaxUnpool2d",
    "MaxUnpool3d",
]  # fmt: skip

if TYPE_CHECKING:
    __class__: Any  # the class of the layer in its `forward` (`named_after_subclass`): no name that mypy knows


# --- the largest -----------------------------------------------------------------------------------------------------


@named_after_subclass("forward")
class _MaxPoolNd(Module):
    __constants__ = ("kernel_size", "stride", "padding", "dilation", "return_indices", "ceil_mode")
    _function: Any

    def __init__(
        self,
        kernel_size: Ints,
        stride: Ints | None = None,
        padding: Ints = 0,
        dilation: Ints = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding, self.dilation = padding, dilation
        self.return_indices, self.ceil_mode = return_indices, ceil_mode

    def forward(self, input: Tensor) -> Any:
        return __class__._function(
            input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode, self.return_indices
        )

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, dilation={self.dilation}, "
            f"ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPoolNd):
    """The largest element of each window of signals: (N, C, L) → (N, C, L').

    Without a `stride`, windows are adjacent.
    """

    _function = staticmethod(F.max_pool1d)


class MaxPool2d(_MaxPoolNd):
    """The largest element of each window of images: (N, C, H, W) → (N, C, H', W')."""

    _function = staticmethod(F.max_pool2d)


class MaxPool3d(_MaxPoolNd):
    """The largest element of each window of volumes: (N, C, D, H, W) → (N, C, D', H', W')."""

    _function = staticmethod(F.max_pool3d)


@named_after_subclass("__init__", "forward")
class _MaxUnpoolNd(Module):
    _rank: int
    _function: Any

    def __init__(self, kernel_size: Ints, stride: Ints | None = None, padding: Ints = 0) -> None:
        super().__init__()
        self.kernel_size = for_each(kernel_size, self._rank)
        self.stride = for_each(kernel_size if stride is None else stride, self._rank)
        self.padding = for_each(padding, self._rank)

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        result: Tensor = __class__._function(input, indices, self.kernel_size, self.stride, self.padding, output_size)
        return result

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpoolNd):
    """Undoes a `MaxPool1d`: puts its results where its indices say that they were, and zeros elsewhere: (N, C, L') →
    (N, C, L).
    """

    _rank, _function = 1, staticmethod(F.max_unpool1d)


class MaxUnpool2d(_MaxUnpoolNd):
    """The same for `MaxPool2d`: (N, C, H', W') → (N, C, H, W)."""

    _rank, _function = 2, staticmethod(F.max_unpool2d)


class MaxUnpool3d(_MaxUnpoolNd):
    """The same for `MaxPool3d`: (N, C, D', H', W') → (N, C, D, H, W)."""

    _rank, _function = 3, staticmethod(F.max_unpool3d)


@named_after_subclass("__init__", "forward")
class _FractionalMaxPoolNd(Module):
    __constants__ = ("kernel_size", "return_indices", "output_size", "output_ratio")
    _rank: int
    _function: Any

    def __init__(
        self,
        kernel_size: Ints,
        output_size: Ints | None = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__()
        rank, name = self._rank, f"FractionalMaxPool{self._rank}d"
        self.kernel_size = for_each(kernel_size, rank)
        if rank == 3 and min(self.kernel_size) <= 0:
            raise ValueError(f"kernel_size must be greater than 0, but got {kernel_size}")
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else for_each(output_size, rank)
        self.output_ratio = None if output_ratio is None else for_each(output_ratio, rank)
        if output_size is None and output_ratio is None:
            raise ValueError(f"{name} requires specifying either an output size, or a pooling ratio")
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if self.output_ratio is not None and not all(0 < ratio < 1 for ratio in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def forward(self, input: Tensor) -> Any:
        return __class__._function(
            input, self.kernel_size, self.output_size, self.output_ratio, self.return_indices, self._random_samples
        )


class FractionalMaxPool2d(_FractionalMaxPoolNd):
    """The largest element of windows at random places (Graham 2014): (N, C, H, W) → (N, C, *output_size)."""

    _rank, _function = 2, staticmethod(F.fractional_max_pool2d)


class FractionalMaxPool3d(_FractionalMaxPoolNd):
    """The same of volumes: (N, C, D, H, W) → (N, C, *output_size)."""

    _rank, _function = 3, staticmethod(F.fractional_max_pool3d)


# --- the mean --------------------------------------------------------------------------------------------------------


class _AvgPoolNd(Module):
    __constants__: tuple[str, ...] = ("kernel_size", "stride", "padding", "ceil_mode", "count_include_pad")

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(_AvgPoolNd):
    """The mean of each window of signals: (N, C, L) → (N, C, L')."""

    def __init__(
        self,
        kernel_size: Ints,
        stride: Ints | None = None,
        padding: Ints = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = for_each(kernel_size, 1)
        self.stride = for_each(kernel_size if stride is None else stride, 1)
        self.padding = for_each(padding, 1)
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)


@named_after_subclass("__init__", "forward")
class _AvgPoolByDivisor(_AvgPoolNd):
    __constants__ = (*_AvgPoolNd.__constants__, "divisor_override")
    _function: Any

    def __init__(
        self,
        kernel_size: Ints,
        stride: Ints | None = None,
        padding: Ints = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        result: Tensor = __class__._function(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad,
            self.divisor_override,
        )  # fmt: skip
        return result


class AvgPool2d(_AvgPoolByDivisor):
    """The mean of each window of images: (N, C, H, W) → (N, C, H', W')."""

    _function = staticmethod(F.avg_pool2d)


class AvgPool3d(_AvgPoolByDivisor):
    """The mean of each window of volumes: (N, C, D, H, W) → (N, C, D', H', W')."""

    _function = staticmethod(F.avg_pool3d)


# --- the norm --------------------------------------------------------------------------------------------------------


@named_after_subclass("forward")
class _LPPoolNd(Module):
    __constants__ = ("norm_type", "kernel_size", "stride", "ceil_mode")
    _function: Any

    def __init__(
        self, norm_type: float, kernel_size: Ints, stride: Ints | None = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type, self.kernel_size, self.stride, self.ceil_mode = norm_type, kernel_size, stride, ceil_mode

    def forward(self, input: Tensor) -> Tensor:
        result: Tensor = __class__._function(
            input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode
        )
        return result

    def extra_repr(self) -> str:
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_LPPoolNd):
    """``(Σ xᵖ)^(1/p)`` over each window of signals, where p is `norm_type`: (N, C, L) → (N, C, L')."""

    _function = staticmethod(F.lp_pool1d)


class LPPool2d(_LPPoolNd):
    """The same of images: (N, C, H, W) → (N, C, H', W')."""

    _function = staticmethod(F.lp_pool2d)


class LPPool3d(_LPPoolNd):
    """The same of volumes: (N, C, D, H, W) → (N, C, D', H', W')."""

    _function = staticmethod(F.lp_pool3d)


# --- windows that divide the input -----------------------------------------------------------------------------------


@named_after_subclass("forward")
class _AdaptiveMaxPoolNd(Module):
    __constants__ = ("output_size", "return_indices")
    _function: Any

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size, self.return_indices = output_size, return_indices

    def forward(self, input: Tensor) -> Any:
        return __class__._function(input, self.output_size, self.return_indices)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """The largest element of each of `output_size` parts of signals: (N, C, L) → (N, C, output_size)."""

    _function = staticmethod(F.adaptive_max_pool1d)


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """The same of images: (N, C, H, W) → (N, C, *output_size). None keeps a length."""

    _function = staticmethod(F.adaptive_max_pool2d)


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """The same of volumes: (N, C, D, H, W) → (N, C, *output_size)."""

    _function = staticmethod(F.adaptive_max_pool3d)


@named_after_subclass("forward")
class _AdaptiveAvgPoolNd(Module):
    __constants__ = ("output_size",)
    _function: Any

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        result: Tensor = __class__._function(input, self.output_size)
        return result

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """The mean of each of `output_size` parts of signals: (N, C, L) → (N, C, output_size)."""

    _function = staticmethod(F.adaptive_avg_pool1d)


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """The same of images: (N, C, H, W) → (N, C, *output_size). None keeps a length."""

    _function = staticmethod(F.adaptive_avg_pool2d)


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """The same of volumes: (N, C, D, H, W) → (N, C, *output_size)."""

    _function = staticmethod(F.adaptive_avg_pool3d)
