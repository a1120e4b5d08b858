"""Convolution, pooling, norms and interpolation: derivatives by finite differences, and the simulated device."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

import tensorglass as torch
from tensorglass.nn import functional as F


def _values(*size: int) -> torch.Tensor:
    """Numbers without ties, so that the largest of a window is clear."""
    count = torch.Size(size).numel()
    return ((torch.arange(count) * 7919 % 1009).double() / 1009 - 0.5).reshape(size)


CALLS: dict[str, tuple[Callable[..., Any], tuple[tuple[int, ...], ...]]] = {
    "conv1d": (lambda x, w, b: F.conv1d(x, w, b, 2, 1, 2, 2), ((2, 4, 7), (4, 2, 2), (4,))),
    "conv2d": (lambda x, w, b: F.conv2d(x, w, b, padding=1), ((1, 2, 3, 4), (2, 2, 3, 2), (2,))),
    "conv3d": (lambda x, w: F.conv3d(x, w, padding="same"), ((1, 1, 2, 3, 2), (2, 1, 2, 1, 2))),
    "conv_transpose2d": (
        lambda x, w, b: F.conv_transpose2d(x, w, b, 2, 1, 1, 2),
        ((1, 2, 2, 3), (2, 1, 3, 2), (2,)),
    ),
    "conv_transpose1d": (lambda x, w: F.conv_transpose1d(x, w, stride=2), ((1, 2, 3), (2, 1, 3))),
    "conv_transpose3d": (lambda x, w: F.conv_transpose3d(x, w, padding=1), ((1, 1, 2, 3, 2), (1, 2, 3, 2, 3))),
    "max_pool1d": (lambda x: F.max_pool1d(x, 3, 2), ((1, 2, 7),)),
    "max_pool3d": (lambda x: F.max_pool3d(x, 2, 1), ((1, 1, 3, 2, 3),)),
    "adaptive_max_pool1d": (lambda x: F.adaptive_max_pool1d(x, 3), ((1, 2, 7),)),
    "avg_pool1d": (lambda x: F.avg_pool1d(x, 3, 2, 1), ((1, 2, 7),)),
    "adaptive_avg_pool1d": (lambda x: F.adaptive_avg_pool1d(x, 3), ((1, 2, 7),)),
    "max_pool2d": (lambda x: F.max_pool2d(x, 2, 1), ((1, 2, 3, 4),)),
    "avg_pool2d": (lambda x: F.avg_pool2d(x, 2, 1, 1, True, False), ((1, 2, 3, 4),)),
    "adaptive_max_pool2d": (lambda x: F.adaptive_max_pool2d(x, (2, 3)), ((1, 2, 5, 4),)),
    "adaptive_avg_pool3d": (lambda x: F.adaptive_avg_pool3d(x, 2), ((1, 1, 3, 4, 3),)),
    "lp_pool2d": (lambda x: F.lp_pool2d(x * x + 1, 3, 2), ((1, 1, 4, 4),)),
    "batch_norm": (lambda x, w, b: F.batch_norm(x, None, None, w, b, True), ((3, 2, 2), (2,), (2,))),
    "instance_norm": (lambda x, w, b: F.instance_norm(x, weight=w, bias=b), ((2, 2, 4), (2,), (2,))),
    "layer_norm": (lambda x, w, b: F.layer_norm(x, (4,), w, b), ((3, 4), (4,), (4,))),
    "group_norm": (lambda x, w, b: F.group_norm(x, 2, w, b), ((2, 4, 2), (4,), (4,))),
    "rms_norm": (lambda x, w: F.rms_norm(x, (4,), w), ((3, 4), (4,))),
    "reflect": (lambda x: F.pad(x, (1, 2, 0, 1), "reflect"), ((1, 2, 3, 4),)),
    "replicate": (lambda x: F.pad(x, (1, 2, -1, 1), "replicate"), ((1, 2, 3, 4),)),
    "unfold": (lambda x: F.unfold(x, 2, 1, 1, 2), ((1, 2, 3, 4),)),
    "fold": (lambda x: F.fold(x, (3, 4), 2), ((1, 8, 6),)),
    "bilinear": (lambda x: F.interpolate(x, (5, 3), mode="bilinear"), ((1, 2, 3, 4),)),
    "bicubic": (lambda x: F.interpolate(x, (5, 3), mode="bicubic", align_corners=True), ((1, 1, 3, 4),)),
    "antialias": (lambda x: F.interpolate(x, (2, 3), mode="bilinear", antialias=True), ((1, 1, 5, 6),)),
    "nearest": (lambda x: F.interpolate(x, scale_factor=1.5), ((1, 2, 3),)),
    "pixel_shuffle": (lambda x: F.pixel_shuffle(x, 2), ((1, 4, 2, 2),)),
    "channel_shuffle": (lambda x: F.channel_shuffle(x, 2), ((1, 4, 2),)),
}


@pytest.mark.parametrize("name", CALLS)
def test_derivatives_and_their_derivatives_are_those_of_finite_differences(name: str) -> None:
    call, sizes = CALLS[name]
    inputs = [_values(*size).requires_grad_() for size in sizes]
    assert torch.autograd.gradcheck(call, inputs)
    assert torch.autograd.gradgradcheck(call, inputs)


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@pytest.mark.parametrize("padding_mode", ["zeros", "border", "reflection"])
def test_derivatives_of_grid_sample_are_those_of_finite_differences(mode: str, padding_mode: str) -> None:
    inputs = [_values(1, 2, 3, 4).requires_grad_(), (_values(1, 2, 3, 2) * 1.7).requires_grad_()]
    assert torch.autograd.gradcheck(lambda x, grid: F.grid_sample(x, grid, mode, padding_mode, False), inputs)


@pytest.mark.parametrize("name", CALLS)
def test_the_simulated_device_computes_what_the_cpu_computes(name: str) -> None:
    call, sizes = CALLS[name]
    runs = []
    for device in ("cpu", "sim"):
        inputs = [_values(*size).to(device).requires_grad_() for size in sizes]
        result = call(*inputs)
        assert result.device.type == device
        (result * result).sum().backward()
        runs.append([result.cpu(), *[tensor.grad.cpu() for tensor in inputs]])
    for one, other in zip(*runs, strict=True):
        torch.testing.assert_close(one, other)


def _normalized(x: torch.Tensor, dims: tuple[int, ...], *, keepdim: bool) -> tuple[torch.Tensor, ...]:
    """`x` normalized over `dims`, with the means and the inverses of the standard deviations."""
    mean, variance = x.mean(dims, keepdim=True), x.var(dims, correction=0, keepdim=True)
    inverse = (variance + 1e-5).rsqrt()
    used = [moment if keepdim else moment.squeeze(dims) for moment in (mean, inverse)]
    return ((x - mean) * inverse, *used)


@pytest.mark.parametrize(
    ("operator", "meaning"),
    [
        (
            lambda x: torch.max_pool1d_with_indices(x, 2),
            lambda x: (x.unflatten(2, (3, 2)).amax(3), x.unflatten(2, (3, 2)).argmax(3) + torch.tensor([0, 2, 4])),
        ),
        (
            lambda x: torch.grid_sampler(x.view(2, 2, 3, 4), x.view(2, 3, 4, 2), 0, 0, False),
            lambda x: F.grid_sample(x.view(2, 2, 3, 4), x.view(2, 3, 4, 2), align_corners=False),
        ),
        (
            lambda x: torch.grid_sampler_2d(x.view(2, 2, 3, 4), x.view(2, 3, 4, 2), 1, 1, True),
            lambda x: F.grid_sample(x.view(2, 2, 3, 4), x.view(2, 3, 4, 2), "nearest", "border", align_corners=True),
        ),
        (
            lambda x: torch.grid_sampler_3d(x.view(2, 2, 3, 2, 2), x.view(2, 2, 2, 2, 3), 0, 2, False),
            lambda x: F.grid_sample(
                x.view(2, 2, 3, 2, 2), x.view(2, 2, 2, 2, 3), padding_mode="reflection", align_corners=False
            ),
        ),
        (
            lambda x: torch.native_batch_norm(x, None, None, None, None, True, 0.1, 1e-5),
            lambda x: _normalized(x, (0, 2), keepdim=False),
        ),
        (
            lambda x: torch.native_layer_norm(x, (6,), None, None, 1e-5),
            lambda x: _normalized(x, (2,), keepdim=True),
        ),
        (
            lambda x: torch.native_group_norm(x, None, None, 2, 4, 6, 1, 1e-5),
            lambda x: tuple(
                array.reshape(size)
                for array, size in zip(_normalized(x, (1, 2), keepdim=False), ((2, 4, 6), (2, 1), (2, 1)), strict=True)
            ),
        ),
    ],
    ids=["max_pool1d", "grid", "grid_2d", "grid_3d", "batch_norm", "layer_norm", "group_norm"],
)
def test_the_operators_behind_functions(
    operator: Callable[[torch.Tensor], Any], meaning: Callable[[torch.Tensor], Any]
) -> None:
    x = _values(2, 4, 6)
    result, expected = operator(x), meaning(x)
    if isinstance(expected, torch.Tensor):
        result, expected = (result,), (expected,)
    for one, other in zip(result, expected, strict=True):
        torch.testing.assert_close(one, other)


def _reversed_in_memory(x: torch.Tensor) -> torch.Tensor:
    order = tuple(reversed(range(x.dim())))
    return x.permute(order).contiguous().permute(order)


@pytest.mark.parametrize("name", CALLS)
def test_the_layout_of_inputs_and_gradients_does_not_matter(name: str) -> None:
    call, sizes = CALLS[name]
    runs = []
    for laid_out in (torch.clone, _reversed_in_memory):
        inputs = [_values(*size).requires_grad_() for size in sizes]
        result = call(*[laid_out(tensor) for tensor in inputs])
        grad = laid_out(_values(*result.shape))
        runs.append([result.flatten(), *[tensor.flatten() for tensor in torch.autograd.grad(result, inputs, grad)]])
    for one, other in zip(*runs, strict=True):
        torch.testing.assert_close(one, other)


def test_a_convolution_keeps_no_windows_for_its_backward_pass() -> None:
    x, weight = torch.randn(8, 16, 32, 32, requires_grad=True), torch.randn(16, 16, 3, 3, requires_grad=True)
    result = F.conv2d(x, weight, padding=1)
    kept = [name for name in dir(result.grad_fn) if name.startswith("_saved")]
    tensors = [getattr(result.grad_fn, name) for name in kept]
    sizes = {tuple(tensor.shape) for tensor in tensors if isinstance(tensor, torch.Tensor)}
    assert sizes == {(8, 16, 32, 32), (16, 16, 3, 3)}


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("dilation", [1, 2, 3])
def test_a_window_that_lies_in_padding_alone_has_no_cell_to_give_a_gradient_to(rank: int, dilation: int) -> None:
    pool = getattr(F, f"max_pool{rank}d")
    for length, kernel, step in product((1, 2, 5), (2, 3), (1, 2, 3)):
        x = torch.arange(2.0 * length**rank).reshape(1, 2, *[length] * rank).requires_grad_()
        if length + 2 <= dilation * (kernel - 1):
            continue  # no window fits
        maxima, places = pool(x, kernel, step, 1, dilation, ceil_mode=True, return_indices=True)
        (gradient,) = torch.autograd.grad(maxima.sum(), x, torch.tensor(2.0), create_graph=True)
        is_seen = maxima.isinf().logical_not()
        expected = torch.zeros(2, length**rank)
        for channel in range(2):
            for place in places[0, channel][is_seen[0, channel]].tolist():
                expected[channel, place] += 2
        assert gradient.flatten().tolist() == expected.flatten().tolist()
