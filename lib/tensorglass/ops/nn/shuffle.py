"""Channels rearranged: into finer images, and among groups. Elements move; nothing is computed."""

from __future__ import annotations

from tensorglass.core.errors import explained
from tensorglass.core.memory_format import contiguous_format
from tensorglass.graph.derivative import derivative
from tensorglass.ops.arg_parser.checks import check_tensor
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.derivatives.shared import no_derivative
from tensorglass.ops.nn.arguments import like_channels_last
from tensorglass.tensor.construct import reread
from tensorglass.tensor.tensor import Tensor


def _check_image(name: str, input: Tensor) -> None:
    check_tensor(name, input)
    if len(input._size) < 3:
        raise RuntimeError(
            f"{name} expects input to have at least 3 dimensions, but got input with {len(input._size)} dimension(s)"
        )


def _unshuffled(grad: Tensor, upscale_factor: int) -> Tensor:
    gradient: Tensor = pixel_unshuffle(grad, upscale_factor)
    return gradient


@operator("networks", method=False)
@derivative(input=_unshuffled)
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Channels that become pixels: (…, C·r², H, W) → (…, C, H·r, W·r), r being `upscale_factor` (Shi et al. 2016)."""
    _check_image("pixel_shuffle", input)
    r = upscale_factor
    if r <= 0:
        raise RuntimeError(f"pixel_shuffle expects a positive upscale_factor, but got {r}")
    *batch, channels, height, width = input._size
    if channels % (r * r):
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
            f"but input.size(-3)={channels} is not divisible by {r * r}"
        )
    apart = input.reshape((*batch, channels // (r * r), r, r, height, width)).movedim((-4, -3), (-3, -1))
    result = reread(apart.clone(memory_format=contiguous_format), (*batch, channels // (r * r), height * r, width * r))
    return like_channels_last(result, input)


@operator("networks", method=False)
@derivative(input=lambda grad, downscale_factor: pixel_shuffle(grad, downscale_factor))
def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """What undoes `pixel_shuffle`: (…, C, H·r, W·r) → (…, C·r², H, W), r being `downscale_factor`."""
    _check_image("pixel_unshuffle", input)
    r = downscale_factor
    if r <= 0:
        raise RuntimeError(f"pixel_unshuffle expects a positive downscale_factor, but got {r}")
    *batch, channels, height, width = input._size
    for name, dim, length in (("height", -2, height), ("width", -1, width)):
        if length % r:
            raise RuntimeError(
                f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but input.size({dim})={length} "
                f"is not divisible by {r}"
            )
    apart = input.reshape((*batch, channels, height // r, r, width // r, r)).movedim((-3, -1), (-4, -3))
    result = reread(apart.clone(memory_format=contiguous_format), (*batch, channels * r * r, height // r, width // r))
    return like_channels_last(result, input)


def _dealt_out(input: Tensor, groups: int) -> Tensor:
    check_tensor("channel_shuffle", input)
    if len(input._size) < 3:
        raise RuntimeError(f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(input._size)}")
    batch, channels, *rest = input._size
    if groups <= 0:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    if channels % groups:
        raise explained(
            RuntimeError(
                f"Number of channels must be divisible by groups. Got {channels} channels and {groups} groups."
            ),
            "The channels are dimension 1.",
        )
    result = input.reshape((batch, groups, channels // groups, *rest)).transpose(1, 2).clone().reshape(input._size)
    return like_channels_last(result.contiguous(), input)


def _dealt_back(grad: Tensor, input_size: tuple[int, ...], groups: int) -> Tensor:
    gradient: Tensor = channel_shuffle(grad, input_size[1] // groups)
    return gradient


@operator("networks", method=False)
@derivative(input=_dealt_back)
def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """The channels of (N, C, …), in `groups`, dealt out: the first of each, then the second of each, … (ShuffleNet)."""
    return _dealt_out(input, groups)


@operator("networks", method=False)
@derivative(node="NotImplemented", input=no_derivative("aten::native_channel_shuffle"))
def native_channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """`channel_shuffle` without a derivative."""
    return _dealt_out(input, groups)
