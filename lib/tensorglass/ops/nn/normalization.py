"""Batch, layer, group, instance and RMS norm: they differ only in what they average over.

For an input (N, C, L), batch norm averages over the N·L numbers of each channel (Ioffe & Szegedy 2015), layer norm over
the last dimensions (Ba et al. 2016), instance norm over the L numbers of each channel of each sample (Ulyanov et al.
2016), group norm over groups of channels of each sample (Wu & He 2018). RMS norm does not subtract the mean (Zhang &
Sennrich 2019).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from operator import index
from typing import Any, NamedTuple

from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.dtype_info import finfo
from tensorglass.core.errors import explained
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.arg_parser.checks import check_tensor, not_implemented, refuse_gradients
from tensorglass.ops.copies.copy import suggested_format
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.kernels import half
from tensorglass.ops.kernels import normalization as kernels
from tensorglass.ops.kernels.normalization import Cut
from tensorglass.ops.nn.arguments import like_channels_last
from tensorglass.tensor.construct import from_array, reread
from tensorglass.tensor.grad_mode import state
from tensorglass.tensor.tensor import Tensor, array_of

# --- shared by all norms ---------------------------------------------------------------------------------------------


class _Norm(NamedTuple):
    """Which norm it is."""

    name: str  #: PyTorch's, of the node
    cut: Cut
    keeps_format: bool = True  #: whether a channels-last input gives a channels-last result


def _wide(xp: Any, *arrays: Array | None) -> list[Array | None]:
    """Half types as float32."""
    return [
        half.converted(array, xp.dtype("float32")) if array is not None and half.is_half(array) else array
        for array in arrays
    ]


def _normalize(
    xp: Any, input: Array, weight: Array | None, bias: Array | None, mean: Array | None, var: Array | None, cut: Cut
) -> tuple[Array, Array]:
    wide, weight, bias, mean, var = _wide(xp, input, weight, bias, mean, var)
    assert wide is not None
    fixed = None if mean is None or var is None else (mean, var)
    normal, *rest = kernels.normalize(xp, wide, weight, bias, fixed, cut)
    # as `stack` does, with less overhead
    return normal.astype(input.dtype, copy=False), xp.concatenate([statistic.reshape(1, -1) for statistic in rest])


def _arrays(*tensors: Tensor | None) -> list[Array | None]:
    return [None if tensor is None else array_of(tensor) for tensor in tensors]


def _input_gradient(
    grad: Tensor, input: Tensor, weight: Tensor | None, mean: Tensor | None, var: Tensor | None, result1: Tensor,
    norm: _Norm,
) -> Tensor:  # fmt: skip
    cut, is_fixed = norm.cut, mean is not None
    if state.grad:  # a second derivative may follow
        gradient = _by_tensors(grad, input, weight, var, is_fixed, cut)
        return like_channels_last(gradient, input) if norm.name == "NativeBatchNorm" else gradient
    backend = grad._storage.backend
    result = backend.launch(
        _input_kernel, *_arrays(grad.contiguous(), input.contiguous(), weight, result1), is_fixed=is_fixed, cut=cut
    )
    gradient = from_array(result, input._dtype, grad._storage)
    return like_channels_last(gradient, input) if norm.keeps_format else gradient


def _input_kernel(
    xp: Any, grad: Array, input: Array, weight: Array | None, statistics: Array, is_fixed: bool, cut: Cut
) -> Array:
    wide, other, weight = _wide(xp, grad, input, weight)
    mean, inverse = _kept(statistics, cut)
    return kernels.input_gradient(xp, wide, other, weight, mean, inverse, is_fixed, cut).astype(input.dtype, copy=False)


def _kept(statistics: Array, cut: Cut) -> tuple[Array, Array]:
    """The mean and the inverse of the standard deviation, in a size that broadcasts with the input."""
    size = tuple([1 if axis in cut.axes else length for axis, length in enumerate(cut.size)])
    return statistics[0].reshape(size), statistics[1].reshape(size)


def _by_tensors(
    grad: Tensor, input: Tensor, weight: Tensor | None, var: Tensor | None, is_fixed: bool, cut: Cut
) -> Tensor:
    """The same, as operators that have derivatives."""
    scaled = grad.reshape(cut.size)
    if weight is not None:
        scaled = scaled * weight.reshape(cut.scales)
    if is_fixed:
        assert var is not None
        return (scaled * (var + cut.eps).rsqrt().reshape(cut.scales)).reshape(grad._size)
    normal, inverse = _normal(input, cut)
    along_normal = normal * (scaled * normal).mean(cut.axes, True)
    return ((scaled - scaled.mean(cut.axes, True) - along_normal) * inverse).reshape(grad._size)


def _normal(input: Tensor, cut: Cut) -> tuple[Tensor, Tensor]:
    centred = input.reshape(cut.size)
    centred = centred - centred.mean(cut.axes, True)
    inverse = ((centred * centred).mean(cut.axes, True) + cut.eps).rsqrt()
    return centred * inverse, inverse


def _weight_gradient(
    grad: Tensor, input: Tensor, weight: Tensor, mean: Tensor | None, var: Tensor | None, result1: Tensor, norm: _Norm
) -> Tensor:
    cut = norm.cut
    if state.grad:
        if mean is not None and var is not None:
            normal = input.reshape(cut.size) - mean.reshape(cut.scales)
            normal = normal * (var + cut.eps).rsqrt().reshape(cut.scales)
        else:
            normal = _normal(input, cut)[0]
        return (grad.reshape(cut.size) * normal).sum(kernels.shared_axes(cut)).reshape(weight._size)
    arrays = _arrays(grad.contiguous(), input.contiguous(), result1)
    result = grad._storage.backend.launch(_weight_kernel, *arrays, is_fixed=mean is not None, cut=cut)
    return from_array(result, dtypes.float32 if grad._dtype.itemsize == 2 else grad._dtype, grad._storage).to(
        weight._dtype
    ).reshape(weight._size)  # fmt: skip


def _weight_kernel(xp: Any, grad: Array, input: Array, statistics: Array, is_fixed: bool, cut: Cut) -> Array:
    wide, other = _wide(xp, grad, input)
    return kernels.weight_gradient(xp, wide, other, *_kept(statistics, cut), is_fixed, cut)


def _bias_gradient(grad: Tensor, bias_size: tuple[int, ...], norm: _Norm) -> Tensor:
    wide = grad.float() if grad._dtype.itemsize == 2 else grad
    return wide.reshape(norm.cut.size).sum(kernels.shared_axes(norm.cut)).reshape(bias_size)


@derivative(
    node=lambda norm: f"{norm.name}Backward0",
    outputs=1,
    input=_input_gradient,
    weight=_weight_gradient,
    bias=_bias_gradient,
)
def _normalized(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, mean: Tensor | None, var: Tensor | None, norm: _Norm
) -> tuple[Tensor, Tensor]:
    """The result, and one tensor of the means, the inverses of the standard deviations, and the variances."""
    backend, storage = input._storage.backend, input._storage
    arrays = _arrays(input.contiguous(), weight, bias, mean, var)
    result, rest = backend.launch(_normalize, *arrays, cut=norm.cut)
    normalized = from_array(result, input._dtype, storage)
    wide = dtypes.float32 if input._dtype.itemsize == 2 else input._dtype
    if norm.keeps_format and not input.is_contiguous():
        normalized = like_channels_last(normalized, input)
    return normalized, from_array(rest, wide, storage)


normalized: Any = recorded(_normalized)


def _told(rest: Tensor, input: Tensor, weight: Tensor | None) -> tuple[Tensor, Tensor]:
    """The means and the inverses of the standard deviations, in the dtype that users get: a half type if all inputs
    have it."""
    dtype = rest._dtype if weight is not None and weight._dtype is not input._dtype else input._dtype
    return rest.select(0, 0).clone().to(dtype), rest.select(0, 1).clone().to(dtype)


def _check_floating(kernel: str, input: Tensor) -> None:
    if input._dtype.category != dtypes.FLOATING:
        raise not_implemented(kernel, input._dtype)


def _check_two_dtypes(input: Tensor, *parameters: Tensor | None) -> None:
    """Refuse parameters of another dtype than `input`; inputs of 16 bits may have parameters in float32."""
    given = [parameter._dtype for parameter in parameters if parameter is not None]
    own = input._dtype
    if all(dtype is own for dtype in given):
        return
    if given[0] is own:
        other = next(dtype for dtype in given if dtype is not own)
        raise RuntimeError(f"expected scalar type {own.scalar_type} but found {other.scalar_type}")
    if any(dtype is not dtypes.float32 for dtype in given):
        raise RuntimeError("mixed dtype (CPU): expect parameter to have scalar type of Float")
    if own.itemsize != 2:
        raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")


# --- batch norm ------------------------------------------------------------------------------------------------------


def _of_channels(input: Tensor, eps: float) -> Cut:
    batch, channels = input._size[:2]
    return Cut((batch, channels, prod(input._size[2:])), (0, 2), (1, channels, 1), eps)


def _check_channels(name: str, value: Tensor | None, channels: int) -> None:
    if value is not None and value.numel() != channels:
        raise RuntimeError(f"{name} should contain {channels} elements not {value.numel()}")


def _batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Tensor, Tensor]:
    if (running_mean is None) is not (running_var is None):
        raise ValueError("running_mean and running_var must either both be None or neither be None")
    _check_floating("batch_norm", input)
    _check_two_dtypes(input, weight, bias, running_mean, running_var)
    refuse_gradients("native_batch_norm", running_mean=running_mean, running_var=running_var)
    norm = _Norm("NativeBatchNorm", _of_channels(input, eps))
    if not training:
        result: tuple[Tensor, Tensor] = normalized(input, weight, bias, running_mean, running_var, norm)
        return result
    result = normalized(input, weight, bias, None, None, norm)
    count = input.numel() // input._size[1]
    mean, _, variance = result[1].detach().unbind(0)
    _move(running_mean, mean, momentum)
    _move(running_var, variance * (count / max(count - 1, 1)), momentum)
    return result


def _move(running: Tensor | None, statistic: Tensor, momentum: float) -> None:
    """Move a running average towards the current statistic."""
    if running is not None:
        kept = running.detach()
        kept.copy_((1 - momentum) * kept + momentum * statistic.to(kept._dtype))


@operator("networks", method=False)
def batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Tensor:
    """Each channel of (N, C, …) normalized: in training by its own mean and variance, else by the running ones.

    In training the running ones move towards those of this input, by `momentum`. Raises RuntimeError where
    weight, bias or running statistics do not have one number for each channel.
    """
    check_tensor("batch_norm", input)
    if len(input._size) < 2 and input.numel():
        raise IndexError("Dimension out of range (expected to be in range of [-1, 0], but got 1)")
    if not input.numel():
        out = input.clone()
        if weight is not None:
            out = out * weight.select(0, 0)
        return out if bias is None else out + bias.select(0, 0)
    channels = input._size[1]
    for name, value in (("running_mean", running_mean), ("running_var", running_var)):
        if value is None and not training:
            raise RuntimeError(f"{name} must be defined in evaluation mode")
    named = {"running_mean": running_mean, "running_var": running_var, "weight": weight, "bias": bias}
    for name, value in named.items():
        _check_channels(name, value, channels)
    return _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)[0]


@operator("networks", method=False)
def native_batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """`batch_norm`, with the means and the inverses of the standard deviations that were used, if in training."""
    check_tensor("native_batch_norm", input)
    named = {"running_mean": running_mean, "running_var": running_var, "weight": weight, "bias": bias}
    for name, value in named.items():
        _check_channels(name, value, input.size(1))
    result, rest = _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)
    if not training:
        rest = rest.new_empty((2, 0))
    return result, *_told(rest, input, weight)


@operator("networks", method=False)
def instance_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Tensor:
    """Each channel of each input of (N, C, …) normalized by itself: batch norm of N·C channels of one input."""
    check_tensor("instance_norm", input)
    if not use_input_stats and (running_mean is None or running_var is None):
        raise RuntimeError("Expected running_mean and running_var to be defined when use_input_stats is false")
    batch, channels = input._size[:2]
    scale, shift = [None if parameter is None else parameter.repeat(batch) for parameter in (weight, bias)]
    dtype = input._dtype if weight is None else weight._dtype
    mean, var = [None if kept is None else kept.to(dtype).repeat(batch) for kept in (running_mean, running_var)]
    rows = input.contiguous().view((1, batch * channels, *input._size[2:]))
    result: Tensor = batch_norm(rows, scale, shift, mean, var, use_input_stats, momentum, eps, cudnn_enabled)
    for running, moved in ((running_mean, mean), (running_var, var)):
        if running is not None and moved is not None and use_input_stats:
            running.detach().copy_(moved.view(batch, channels).mean(0))
    return result.view(input._size)


# --- layer and group norm --------------------------------------------------------------------------------------------


def _check_layer(name: str, input: Tensor, normalized_shape: Sequence[int], **named: Tensor | None) -> tuple[int, ...]:
    shape = tuple([index(length) if isinstance(length, Tensor) else length for length in normalized_shape])
    if not shape:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
            "normalized_shape = []"
        )
    for what, value in named.items():
        if value is not None and tuple(value._size) != shape:
            raise RuntimeError(
                f"Expected {what} to be of same shape as normalized_shape, but got {what} of shape "
                f"{list(value._size)} and normalized_shape = {list(shape)}"
            )
    if name == "rms_norm" and len(input._size) < len(shape):
        raise ValueError(f"Input tensor must have at least {len(shape)} dimensions, but got {len(input._size)}")
    if tuple(input._size[len(input._size) - len(shape) :]) != shape or len(input._size) < len(shape):
        wanted = ("*" if name == "rms_norm" else "*, ") + ", ".join(map(str, shape))  # sic
        raise explained(
            RuntimeError(
                f"Given normalized_shape={list(shape)}, expected input with shape [{wanted}], but got input of "
                f"size{list(input._size)}"
            ),
            "It is the last dimensions that are normalized.",
        )
    return shape


def _layer_norm(
    name: str, input: Tensor, shape: Sequence[int], weight: Tensor | None, bias: Tensor | None, eps: float
) -> tuple[Tensor, Tensor]:
    check_tensor(name, input)
    given = bias if weight is None else weight
    if given is not None and given._dtype is not input._dtype:
        _check_two_dtypes(input, weight, bias)
    shape = _check_layer(name, input, shape, weight=weight, bias=bias)
    _check_floating("LayerNormKernelImpl", input)
    _check_two_dtypes(input, weight, bias)
    count = prod(shape)
    rows = input.numel() // count if count else 0
    norm = _Norm("NativeLayerNorm", Cut((rows, count), (1,), (1, count), eps), False)
    result: tuple[Tensor, Tensor] = normalized(input, weight, bias, None, None, norm)
    return result


@operator("networks", method=False)
def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    cudnn_enable: bool = True,
) -> Tensor:
    """The last dimensions, which are of `normalized_shape`, normalized; `weight` and `bias` are of that size too."""
    return _layer_norm("layer_norm", input, normalized_shape, weight, bias, eps)[0]


@operator("networks", method=False)
def native_layer_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None, bias: Tensor | None, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """`layer_norm`, with the means and the inverses of the standard deviations."""
    result, rest = _layer_norm("native_layer_norm", input, normalized_shape, weight, bias, eps)
    outer = len(input._size) - len(normalized_shape)
    size = (*input._size[:outer], *[1] * len(normalized_shape))
    mean, inverse = _told(rest, input, weight)
    return result, reread(mean, size), reread(inverse, size)


def _check_groups(size: list[int], channels: int, groups: int, **named: Tensor | None) -> None:
    if groups <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {groups}")
    if channels % groups:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{size} and num_groups={groups}"
        )
    for what, value in named.items():
        if value is not None and list(value._size) != [channels]:
            weight = named["weight"]
            told = [0] if weight is None else list(weight._size)  # sic: the weight's, of the bias too
            raise RuntimeError(
                f"Expected {what} to be a vector of size equal to the number of channels in input, but got {what} of "
                f"shape {told} and input of shape {size}"
            )


@operator("networks", method=False)
def native_group_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, N: int, C: int, HxW: int, group: int, eps: float
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """`group_norm`, with the means and the inverses of the standard deviations."""
    check_tensor("native_group_norm", input)
    _check_groups(list(input._size), C, group, weight=weight, bias=bias)
    if input.numel() != N * C * HxW:
        raise RuntimeError(
            "Expected X.numel() == N * C * HxW to be true, but got false.  (Could this error message be "
            "improved?  If so, please report an enhancement request to PyTorch.)"
        )
    _check_floating("GroupNormKernelImpl", input)
    _check_two_dtypes(input, weight, bias)
    cut = Cut((N, group, C // group, HxW), (2, 3), (1, group, C // group, 1), eps)
    result, rest = normalized(input, weight, bias, None, None, _Norm("NativeGroupNorm", cut))
    return result, *[reread(statistic, (N, group)) for statistic in _told(rest, input, weight)]


@operator("networks", method=False)
def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    cudnn_enabled: bool = True,
) -> Tensor:
    """Each of `num_groups` groups of channels of each input of (N, C, …) normalized by itself."""
    check_tensor("group_norm", input)
    size = list(input._size)
    if len(size) < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {len(size)}")
    batch, channels = size[:2]
    result: Tensor = native_group_norm(input, weight, bias, batch, channels, prod(size[2:]), num_groups, eps)[0]
    return result


@operator("networks", method=False)
def rms_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """The last dimensions divided by the root of the mean of their squares, and scaled by `weight`.

    `eps` is added to that mean: the dtype's own if left out.
    """
    check_tensor("rms_norm", input)
    shape = _check_layer("rms_norm", input, normalized_shape, weight=weight)
    if input._dtype.category < dtypes.FLOATING:
        raise not_implemented("rms_norm", input._dtype)
    is_half = input._dtype.itemsize == 2
    wide = input.float() if is_half else input
    if eps is None:
        eps = finfo(wide._dtype.to_real()).eps
    dims = [dim - len(shape) for dim in range(len(shape))]
    result = wide * wide.pow(2).mean(dims, True).add_(eps).rsqrt()
    if weight is not None:
        result = result * weight
    return result.to(input._dtype).contiguous(memory_format=suggested_format(input))
