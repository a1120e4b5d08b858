"""Convolution layers, in one to three dimensions, transposed, and lazy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import tensorglass as torch
from tensorglass.nn import functional as F
from tensorglass.nn import init
from tensorglass.nn.modules.lazy import LazyModuleMixin
from tensorglass.nn.modules.lengths import Ints, for_each
from tensorglass.nn.modules.module import Module
from tensorglass.nn.modules.module.inherited import named_after_subclass
from tensorglass.nn.parameter import Parameter
from tensorglass.tensor.tensor import Tensor

__all__ = [
    "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", "LazyConv1d", "LazyConv2d",
    "LazyConv3d", "LazyConvTranspose1d", "LazyConvTranspose2d", "LazyConvTranspose3d",
]  # fmt: skip

_NAMED = ("same", "valid")
_MODES = ("zeros", "reflect", "replicate", "circular")


class _ConvNd(Module):
    """The base class of all convolutions: their parameters, and the checks of arguments.

    `weight` is (out_channels, in_channels / groups, *kernel_size), transposed (in_channels, out_channels / groups,
    *kernel_size); `bias` is (out_channels). Both are drawn uniformly from -√k … √k, where 1 / k is the number of
    weights that contribute to one output.
    """

    __constants__ = (
        "stride", "padding", "dilation", "groups", "padding_mode", "output_padding", "in_channels", "out_channels",
        "kernel_size",
    )  # fmt: skip
    weight: Parameter
    bias: Parameter | None
    padding: Any

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: tuple[int, ...],
        stride: tuple[int, ...],
        padding: str | tuple[int, ...],
        dilation: tuple[int, ...],
        transposed: bool,
        output_padding: tuple[int, ...],
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        for name, channels in (("in_channels", in_channels), ("out_channels", out_channels)):
            if channels % groups:
                raise ValueError(f"{name} must be divisible by groups")
        if isinstance(padding, str):
            if padding not in _NAMED:
                raise ValueError(f"Invalid padding string {padding!r}, should be one of {set(_NAMED)}")
            if padding == "same" and any(step != 1 for step in stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if padding_mode not in _MODES:
            raise ValueError(f"padding_mode must be one of {set(_MODES)}, but got padding_mode='{padding_mode}'")
        self.in_channels, self.out_channels = in_channels, out_channels
        self.kernel_size, self.stride, self.padding, self.dilation = kernel_size, stride, padding, dilation
        self.transposed, self.output_padding = transposed, output_padding
        self.groups, self.padding_mode = groups, padding_mode
        self._reversed_padding_repeated_twice = self._around()
        size = (in_channels, out_channels // groups) if transposed else (out_channels, in_channels // groups)
        self.weight = Parameter(torch.empty((*size, *kernel_size), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(torch.empty(out_channels, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def _around(self) -> list[int]:
        """The padding in the form that `nn.functional.pad` takes: before and after, from the last dimension on."""
        if not isinstance(self.padding, str):
            return [length for length in reversed(self.padding) for _ in range(2)]
        lengths: list[int] = []
        for length, apart in zip(reversed(self.kernel_size), reversed(self.dilation), strict=False):
            whole = apart * (length - 1) if self.padding == "same" else 0
            lengths += [whole // 2, whole - whole // 2]
        return lengths

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        # With a = √5, the bound of Kaiming's initialization is 1 / √fan_in.
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            if fan_in:
                bound = 1 / math.sqrt(fan_in)
                init.uniform_(self.bias, -bound, bound)
            else:
                init.uniform_(self.bias, 0, 0)

    def extra_repr(self) -> str:
        words = [f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"]
        rank = len(self.kernel_size)
        for name, usual in (("padding", 0), ("dilation", 1), ("output_padding", 0)):
            value = getattr(self, name)
            if value != (usual,) * rank:
                words.append(f"{name}={value}")
        if self.groups != 1:
            words.append(f"groups={self.groups}")
        if self.bias is None:
            words.append("bias=False")
        if self.padding_mode != "zeros":
            words.append(f"padding_mode={self.padding_mode}")
        return ", ".join(words)


def _read_lengths(rank: int, **named: Any) -> dict[str, Any]:
    """Each argument as a tuple of `rank` numbers; a padding by name stays as it is."""
    return {name: value if isinstance(value, str) else for_each(value, rank) for name, value in named.items()}


@named_after_subclass("__init__", "forward")
class _Forward(_ConvNd):
    """A convolution that is not transposed, of `_rank` dimensions."""

    _rank: int

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Ints,
        stride: Ints = 1,
        padding: str | Ints = 0,
        dilation: Ints = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        lengths = _read_lengths(self._rank, kernel_size=kernel_size, stride=stride, padding=padding, dilation=dilation)
        super().__init__(
            in_channels, out_channels, **lengths, transposed=False, output_padding=(0,) * self._rank, groups=groups,
            bias=bias, padding_mode=padding_mode, device=device, dtype=dtype,
        )  # fmt: skip

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        padding: Any = self.padding
        if self.padding_mode != "zeros":
            input, padding = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode), 0
        rank = getattr(self, "_rank", len(self.kernel_size))  # what borrows this method has no rank
        function = getattr(F, f"conv{rank}d")  # a program may have replaced it
        result: Tensor = function(input, weight, bias, self.stride, padding, self.dilation, self.groups)
        return result

    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, self.weight, self.bias)


class Conv1d(_Forward):
    """The convolution of signals: (N, `in_channels`, L) → (N, `out_channels`, L'), or the same without N.

    ``L' = (L + 2·padding - dilation·(kernel_size - 1) - 1) // stride + 1``. A `padding` of "valid" is none, one of
    "same" makes ``L' = L``; `padding_mode` says what the padding holds.
    """

    _rank = 1


class Conv2d(_Forward):
    """The convolution of images: (N, `in_channels`, H, W) → (N, `out_channels`, H', W'). See `Conv1d`."""

    _rank = 2


class Conv3d(_Forward):
    """The convolution of volumes: (N, `in_channels`, D, H, W) → (N, `out_channels`, D', H', W'). See `Conv1d`."""

    _rank = 3


class _ConvTransposeNd(_ConvNd):
    """The base class of transposed convolutions, from which libraries derive their own."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any,
        padding: Any,
        dilation: Any,
        transposed: bool,
        output_padding: Any,
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, transposed, output_padding, groups,
            bias, padding_mode, device=device, dtype=dtype,
        )  # fmt: skip

    def _output_padding(
        self,
        input: Tensor,
        output_size: Sequence[int] | None,
        stride: Sequence[int],
        padding: Sequence[int],
        kernel_size: Sequence[int],
        num_spatial_dims: int,
        dilation: Sequence[int] | None = None,
    ) -> list[int] | tuple[int, ...]:
        """How much to add at the end of each dimension, so that the result has size `output_size`."""
        if output_size is None:
            return self.output_padding
        rank = num_spatial_dims
        outer = 2 if input.dim() == rank + 2 else 1
        wanted = output_size[outer:] if len(output_size) == outer + rank else output_size
        if len(wanted) != rank:
            raise ValueError(
                f"ConvTranspose{rank}D: for {input.dim()}D input, output_size must have {rank} or {outer + rank} "
                f"elements (got {len(wanted)})"
            )
        least = [
            (length - 1) * step - 2 * around + apart * (size - 1) + 1
            for length, step, around, apart, size in zip(
                input.size()[outer:], stride, padding, dilation or (1,) * rank, kernel_size, strict=True
            )
        ]
        most = [length + step - 1 for length, step in zip(least, stride, strict=True)]
        if any(not low <= length <= high for low, length, high in zip(least, wanted, most, strict=True)):
            raise ValueError(
                f"requested an output size of {wanted}, but valid sizes range from {least} to {most} (for an input of "
                f"{input.size()[2:]})"
            )
        return [length - low for length, low in zip(wanted, least, strict=True)]


@named_after_subclass("__init__", "forward")
class _Transposed(_ConvTransposeNd):
    """A transposed convolution, of `_rank` dimensions."""

    _rank: int
    _function: Any

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Ints,
        stride: Ints = 1,
        padding: Ints = 0,
        output_padding: Ints = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Ints = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        lengths = _read_lengths(
            self._rank, kernel_size=kernel_size, stride=stride, padding=padding, dilation=dilation,
            output_padding=output_padding,
        )  # fmt: skip
        super().__init__(
            in_channels, out_channels, **lengths, transposed=True, groups=groups, bias=bias, padding_mode=padding_mode,
            device=device, dtype=dtype,
        )  # fmt: skip

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        more = self._output_padding(
            input, output_size, self.stride, self.padding, self.kernel_size, self._rank, self.dilation
        )
        result: Tensor = self._function(
            input, self.weight, self.bias, self.stride, self.padding, more, self.groups, self.dilation
        )
        return result


class ConvTranspose1d(_Transposed):
    """The gradient of a `Conv1d` with respect to its input, as a layer: (N, `in_channels`, L) → (N, `out_channels`,
    L').

    ``L' = (L - 1)·stride - 2·padding + dilation·(kernel_size - 1) + output_padding + 1``. A call may pass `output_size`
    instead, where the stride allows several.
    """

    _rank, _function = 1, staticmethod(F.conv_transpose1d)


class ConvTranspose2d(_Transposed):
    """The same of images: (N, `in_channels`, H, W) → (N, `out_channels`, H', W'). See `ConvTranspose1d`."""

    _rank, _function = 2, staticmethod(F.conv_transpose2d)


class ConvTranspose3d(_Transposed):
    """The same of volumes: (N, `in_channels`, D, H, W) → (N, `out_channels`, D', H', W'). See `ConvTranspose1d`."""

    _rank, _function = 3, staticmethod(F.conv_transpose3d)


# --- lazy ------------------------------------------------------------------------------------------------------------


class _LazyConv(LazyModuleMixin, _ConvNd):
    """A convolution that learns `in_channels` from its first input."""

    _rank: int
    weight: Any  #: uninitialized before the first call, as `bias` is
    bias: Any

    def _become_lazy(self, out_channels: int, bias: bool, device: Any, dtype: Any) -> None:
        from tensorglass.nn.uninitialized import UninitializedParameter  # which makes operators look for overrides

        self.out_channels = out_channels
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        if not self.has_uninitialized_params() and self.in_channels != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor, *args: Any, **kwargs: Any) -> None:
        if not self.has_uninitialized_params():
            return
        rank = self._rank
        if input.dim() not in (rank + 1, rank + 2):
            raise RuntimeError(
                f"Expected {rank + 1}D (unbatched) or {rank + 2}D (batched) input to {type(self).__name__}, but got "
                f"input of size: {input.shape}"
            )
        self.in_channels = input.shape[-rank - 1]
        if self.in_channels % self.groups:
            raise ValueError("in_channels must be divisible by groups")
        channels = (self.out_channels, self.in_channels // self.groups)
        if self.transposed:
            channels = (self.in_channels, self.out_channels // self.groups)
        self.weight.materialize((*channels, *self.kernel_size))
        if self.bias is not None:
            self.bias.materialize((self.out_channels,))
        self.reset_parameters()


@named_after_subclass("__init__")
class _LazyForward(_LazyConv):
    def __init__(
        self,
        out_channels: int,
        kernel_size: Ints,
        stride: Ints = 1,
        padding: str | Ints = 0,
        dilation: Ints = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode, device, dtype)
        self._become_lazy(out_channels, bias, device, dtype)


@named_after_subclass("__init__")
class _LazyTransposed(_LazyConv):
    def __init__(
        self,
        out_channels: int,
        kernel_size: Ints,
        stride: Ints = 1,
        padding: Ints = 0,
        output_padding: Ints = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Ints = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation, padding_mode, device, dtype
        )
        self._become_lazy(out_channels, bias, device, dtype)


class LazyConv1d(_LazyForward, Conv1d):
    """A `Conv1d` that learns `in_channels` from its first input."""

    cls_to_become = Conv1d


class LazyConv2d(_LazyForward, Conv2d):
    """A `Conv2d` that learns `in_channels` from its first input."""

    cls_to_become = Conv2d


class LazyConv3d(_LazyForward, Conv3d):
    """A `Conv3d` that learns `in_channels` from its first input."""

    cls_to_become = Conv3d


class LazyConvTranspose1d(_LazyTransposed, ConvTranspose1d):
    """A `ConvTranspose1d` that learns `in_channels` from its first input."""

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyTransposed, ConvTranspose2d):
    """A `ConvTranspose2d` that learns `in_channels` from its first input."""

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyTransposed, ConvTranspose3d):
    """A `ConvTranspose3d` that learns `in_channels` from its first input."""

    cls_to_become = ConvTranspose3d
