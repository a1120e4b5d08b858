"""Layers on images and signals: parameters from a seed, printed form, state, results and gradients are PyTorch's."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import torch

import tensorglass

#: A layer, and the size of its input.
LAYERS = r"""
nn.Conv1d(4, 6, 3) ;; 2, 4, 7
nn.Conv1d(4, 6, 3, stride=2, padding=1, dilation=2, groups=2, bias=False) ;; 2, 4, 9
nn.Conv1d(4, 6, 4, padding='same', padding_mode='reflect') ;; 2, 4, 9
nn.Conv2d(3, 4, 3) ;; 2, 3, 6, 5
nn.Conv2d(3, 4, (3, 2), stride=(2, 1), padding=(1, 2), dilation=(1, 2)) ;; 3, 6, 5
nn.Conv2d(4, 4, 3, padding='same', groups=4) ;; 2, 4, 6, 5
nn.Conv2d(3, 4, 3, padding=1, padding_mode='circular') ;; 2, 3, 6, 5
nn.Conv2d(3, 4, 3, padding='valid', padding_mode='replicate') ;; 2, 3, 6, 5
nn.Conv3d(2, 4, (1, 2, 3), padding=1) ;; 1, 2, 3, 4, 5
nn.ConvTranspose1d(4, 6, 3, stride=2, padding=1, output_padding=1, groups=2) ;; 2, 4, 5
nn.ConvTranspose2d(3, 4, 3) ;; 2, 3, 4, 5
nn.ConvTranspose2d(3, 4, (3, 2), (2, 3), (1, 0), 1, 1, False, (1, 2)) ;; 3, 4, 5
nn.ConvTranspose3d(2, 3, 2, stride=2) ;; 1, 2, 2, 3, 2
nn.LazyConv1d(4, 3) ;; 2, 3, 6
nn.LazyConv2d(6, 3, padding=1, groups=3) ;; 2, 3, 6, 5
nn.LazyConv3d(4, 2, bias=False) ;; 3, 3, 2, 4
nn.LazyConvTranspose1d(4, 3, stride=2) ;; 2, 3, 4
nn.LazyConvTranspose2d(4, 3) ;; 2, 3, 4, 4
nn.LazyConvTranspose3d(4, 2, 2, 0, 0, 1, False) ;; 2, 3, 2, 3, 2
nn.MaxPool1d(3) ;; 2, 3, 8
nn.MaxPool2d((3, 2), stride=2, padding=1, ceil_mode=True) ;; 2, 3, 7, 6
nn.MaxPool2d(2, dilation=2, return_indices=True) ;; 3, 7, 6
nn.MaxPool3d(2) ;; 1, 2, 4, 5, 4
nn.AvgPool1d(3, 2, 1, count_include_pad=False) ;; 2, 3, 8
nn.AvgPool2d(3, 2, 1, ceil_mode=True) ;; 2, 3, 7, 6
nn.AvgPool2d((2, 3), divisor_override=5) ;; 2, 3, 7, 6
nn.AvgPool3d(2) ;; 1, 2, 4, 5, 4
nn.LPPool1d(2, 3) ;; 2, 3, 8
nn.LPPool2d(3, (2, 3), stride=2) ;; 2, 3, 7, 6
nn.LPPool3d(2, 2) ;; 1, 2, 4, 5, 4
nn.AdaptiveMaxPool1d(3) ;; 2, 3, 8
nn.AdaptiveMaxPool2d((3, None), return_indices=True) ;; 2, 3, 7, 6
nn.AdaptiveMaxPool3d(2) ;; 1, 2, 4, 5, 4
nn.AdaptiveAvgPool1d(3) ;; 2, 3, 8
nn.AdaptiveAvgPool2d((None, 4)) ;; 2, 3, 7, 6
nn.AdaptiveAvgPool2d(1) ;; 2, 3, 7, 6
nn.AdaptiveAvgPool3d((2, 3, 1)) ;; 1, 2, 4, 5, 4
nn.FractionalMaxPool2d(2, output_size=3) ;; 2, 3, 7, 6
nn.FractionalMaxPool2d(2, output_ratio=(0.5, 0.6)) ;; 2, 3, 8, 7
nn.FractionalMaxPool3d(2, output_size=(2, 3, 2)) ;; 1, 2, 4, 5, 4
nn.BatchNorm1d(3) ;; 4, 3
nn.BatchNorm1d(3, momentum=None, eps=0.1) ;; 4, 3, 5
nn.BatchNorm2d(3, affine=False) ;; 2, 3, 4, 5
nn.BatchNorm2d(3, track_running_stats=False) ;; 2, 3, 4, 5
nn.BatchNorm2d(3, bias=False) ;; 2, 3, 4, 5
nn.BatchNorm3d(2) ;; 2, 2, 3, 2, 3
nn.LazyBatchNorm1d() ;; 4, 3
nn.LazyBatchNorm2d(affine=False) ;; 2, 3, 4, 5
nn.LazyBatchNorm3d(0.1, 0.2) ;; 2, 2, 3, 2, 3
nn.InstanceNorm1d(3) ;; 2, 3, 5
nn.InstanceNorm2d(3, affine=True, track_running_stats=True) ;; 2, 3, 4, 5
nn.InstanceNorm2d(3, affine=True) ;; 3, 4, 5
nn.InstanceNorm3d(2) ;; 2, 2, 3, 2, 3
nn.LazyInstanceNorm1d(affine=True) ;; 2, 3, 5
nn.LazyInstanceNorm2d(affine=True, track_running_stats=True) ;; 2, 3, 4, 5
nn.LazyInstanceNorm3d() ;; 2, 2, 3, 2, 3
nn.LayerNorm(5) ;; 2, 3, 5
nn.LayerNorm((3, 5), eps=0.1, bias=False) ;; 2, 3, 5
nn.LayerNorm([5], elementwise_affine=False) ;; 2, 3, 5
nn.GroupNorm(2, 4) ;; 2, 4, 3, 2
nn.GroupNorm(4, 4, affine=False) ;; 2, 4, 3
nn.GroupNorm(2, 4, bias=False) ;; 2, 4, 3
nn.RMSNorm(5) ;; 2, 3, 5
nn.RMSNorm((3, 5), eps=0.1, elementwise_affine=False) ;; 2, 3, 5
nn.LocalResponseNorm(2) ;; 2, 4, 3, 3
nn.LocalResponseNorm(3, 0.1, 0.5, 2.0) ;; 2, 4, 5
nn.ReflectionPad1d(2) ;; 2, 3, 5
nn.ReflectionPad2d((1, 2, 0, 1)) ;; 2, 3, 4, 5
nn.ReflectionPad3d(1) ;; 1, 2, 3, 4, 3
nn.ReplicationPad1d((2, 0)) ;; 2, 3, 5
nn.ReplicationPad2d((-1, 2, 0, 1)) ;; 2, 3, 4, 5
nn.ReplicationPad3d(1) ;; 1, 2, 3, 4, 3
nn.CircularPad1d(2) ;; 2, 3, 5
nn.CircularPad2d((1, 2, 0, 1)) ;; 2, 3, 4, 5
nn.CircularPad3d(1) ;; 1, 2, 3, 4, 3
nn.ConstantPad1d(2, 1.5) ;; 3, 5
nn.ConstantPad2d((1, -1, 0, 1), 2) ;; 2, 3, 4, 5
nn.ConstantPad3d(1, -1.0) ;; 1, 2, 3, 4, 3
nn.ZeroPad1d(2) ;; 3, 5
nn.ZeroPad2d((1, 0, 2, 1)) ;; 2, 3, 4, 5
nn.ZeroPad3d(1) ;; 1, 2, 3, 4, 3
nn.Unfold((2, 3), padding=1, stride=2) ;; 2, 3, 6, 5
nn.Fold((4, 5), (2, 2), dilation=2) ;; 2, 12, 6
nn.Upsample(scale_factor=2) ;; 2, 3, 4
nn.Upsample(size=(5, 3), mode='bilinear') ;; 2, 3, 4, 4
nn.Upsample(scale_factor=(1.5, 2.0), mode='bicubic', align_corners=True) ;; 2, 3, 4, 4
nn.Upsample(scale_factor=0.7, mode='area') ;; 2, 3, 5, 4
nn.Upsample(scale_factor=1.5, mode='trilinear', recompute_scale_factor=True) ;; 1, 2, 3, 4, 3
nn.UpsamplingNearest2d(scale_factor=2) ;; 2, 3, 4, 4
nn.UpsamplingBilinear2d(size=(6, 7)) ;; 2, 3, 4, 4
nn.PixelShuffle(2) ;; 2, 8, 3, 2
nn.PixelUnshuffle(2) ;; 2, 2, 4, 6
nn.ChannelShuffle(2) ;; 2, 4, 3, 3
"""


def _input(library: Any, size: tuple[int, ...], dtype: str) -> Any:
    numbers = np.random.default_rng(0).standard_normal(size)
    return library.tensor(numbers.tolist(), dtype=getattr(library, dtype)).requires_grad_()


def _told(tensor: Any) -> tuple[Any, ...]:
    return np.asarray(tensor.detach().tolist()), tuple(tensor.shape), tensor.stride(), str(tensor.dtype)


def _story(library: Any, expression: str, size: tuple[int, ...], dtype: str) -> list[Any]:
    """What a layer is, and what it computes in training, backward and in evaluation."""
    library.manual_seed(0)
    layer = eval(expression, {"nn": library.nn})
    told: list[Any] = [repr(layer)]
    layer = layer.to(getattr(library, dtype))
    x = _input(library, size, dtype)
    results = layer(x)
    results = results if isinstance(results, tuple) else (results,)
    told += [repr(layer), [*layer.state_dict()], *[_told(result) for result in results]]
    told.append(type(results[0].grad_fn).__name__)
    (results[0] * results[0].detach().cos()).sum().backward()
    told.append(_told(x.grad))
    told += [_told(parameter.grad) for parameter in layer.parameters() if parameter.grad is not None]
    layer.eval()
    library.manual_seed(1)
    again = layer(x)
    told.append(_told(again[0] if isinstance(again, tuple) else again))
    return told + [_told(value) for value in layer.state_dict().values()]


def _assert_equal(ours: Any, theirs: Any, tolerance: float) -> None:
    if isinstance(ours, tuple) and isinstance(ours[0], np.ndarray):
        assert ours[1:] == theirs[1:]
        np.testing.assert_allclose(ours[0], theirs[0], rtol=tolerance, atol=tolerance)
    else:
        assert ours == theirs


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("line", [line for line in LAYERS.splitlines() if line])
def test_a_layer_is_pytorchs(line: str, dtype: str) -> None:
    expression, _, size = line.partition(" ;; ")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours, theirs = (_story(library, expression, eval(size), dtype) for library in (tensorglass, torch))
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        _assert_equal(one, other, 1e-9 if dtype == "float64" else 2e-5)


#: Layers that cannot be made, or that refuse their input.
REFUSED = r"""
nn.Conv2d(3, 4, 3, groups=2) ;; 1, 3, 4, 4
nn.Conv2d(4, 3, 3, groups=2) ;; 1, 3, 4, 4
nn.Conv2d(4, 4, 3, groups=0) ;; 1, 3, 4, 4
nn.Conv2d(4, 4, 3, padding='same', stride=2) ;; 1, 3, 4, 4
nn.ConvTranspose2d(4, 4, 3, padding_mode='reflect') ;; 1, 3, 4, 4
nn.Conv2d(3, 4, 3) ;; 1, 2, 4, 4
nn.Conv2d(3, 4, 3) ;; 4, 4
nn.Conv2d(3, 4, 5) ;; 1, 3, 4, 4
nn.LazyConv2d(3, 3) ;; 4, 4
nn.LazyConv2d(4, 3, groups=2) ;; 3, 4, 4
nn.MaxPool2d(5) ;; 1, 3, 4, 4
nn.MaxPool2d(2, padding=2) ;; 1, 3, 4, 4
nn.MaxPool2d(2, stride=0) ;; 1, 3, 4, 4
nn.MaxPool2d((2, 2, 2)) ;; 1, 3, 4, 4
nn.MaxPool1d(9) ;; 1, 3, 4
nn.AvgPool2d(2, padding=2) ;; 1, 3, 4, 4
nn.AvgPool2d(2, divisor_override=0) ;; 1, 3, 4, 4
nn.AdaptiveAvgPool2d(2) ;; 4, 4
nn.AdaptiveMaxPool2d(-1) ;; 1, 3, 4, 4
nn.FractionalMaxPool2d(2) ;; 1, 3, 4, 4
nn.FractionalMaxPool2d(2, 2, 0.5) ;; 1, 3, 4, 4
nn.FractionalMaxPool2d(2, output_ratio=1.5) ;; 1, 3, 4, 4
nn.FractionalMaxPool2d(4, output_size=3) ;; 1, 3, 4, 4
nn.BatchNorm1d(3) ;; 1, 3
nn.BatchNorm1d(3) ;; 2, 3, 4, 4
nn.BatchNorm2d(3) ;; 2, 3, 4
nn.BatchNorm2d(3) ;; 2, 4, 4, 4
nn.InstanceNorm1d(3) ;; 2, 3, 1
nn.InstanceNorm2d(3, affine=True) ;; 2, 4, 3, 3
nn.InstanceNorm2d(3) ;; 3, 3
nn.LayerNorm(4) ;; 2, 3
nn.LayerNorm(()) ;; 2, 3
nn.GroupNorm(3, 4) ;; 2, 4
nn.GroupNorm(2, 4) ;; 2, 3, 2
nn.GroupNorm(4, 4) ;; 4,
nn.RMSNorm(4) ;; 2, 3
nn.LocalResponseNorm(2) ;; 2, 3
nn.ReflectionPad2d(4) ;; 1, 3, 4, 4
nn.ReflectionPad1d(1) ;; 1, 3, 4, 4
nn.CircularPad2d(5) ;; 1, 3, 4, 4
nn.CircularPad2d(1) ;; 4, 4
nn.ConstantPad2d(-3, 0) ;; 1, 3, 4, 4
nn.Unfold(5) ;; 1, 3, 4, 4
nn.Unfold(2, stride=0) ;; 1, 3, 4, 4
nn.Fold((4, 4), 2) ;; 1, 12, 8
nn.Fold((4, 4), 3) ;; 1, 12, 9
nn.Upsample() ;; 1, 3, 4, 4
nn.Upsample(2, 2) ;; 1, 3, 4, 4
nn.Upsample((2, 2, 2)) ;; 1, 3, 4, 4
nn.Upsample(2, mode='linear') ;; 1, 3, 4, 4
nn.Upsample(2, align_corners=True) ;; 1, 3, 4, 4
nn.Upsample(2, mode='foo') ;; 1, 3, 4, 4
nn.PixelShuffle(2) ;; 1, 3, 4, 4
nn.PixelUnshuffle(3) ;; 1, 3, 4, 4
nn.ChannelShuffle(2) ;; 1, 3, 4, 4
"""


def _refusal(library: Any, expression: str, size: tuple[int, ...]) -> tuple[str, str]:
    with pytest.raises((RuntimeError, ValueError, TypeError, NotImplementedError, IndexError)) as caught:
        eval(expression, {"nn": library.nn})(_input(library, size, "float32"))
    return type(caught.value).__name__, str(caught.value).partition("\n")[0]


@pytest.mark.parametrize("line", [line for line in REFUSED.splitlines() if line])
def test_a_layer_refuses_in_pytorchs_words(line: str) -> None:
    expression, _, size = line.partition(" ;; ")
    ours, theirs = (_refusal(library, expression, eval(size)) for library in (tensorglass, torch))
    assert ours == theirs


def test_unpooling_puts_elements_back_where_they_were() -> None:
    for rank in (1, 2, 3):
        size = (2, 3, *(6, 8, 4)[:rank])
        results = []
        for library in (tensorglass, torch):
            pool = getattr(library.nn, f"MaxPool{rank}d")(2, return_indices=True)
            undo = getattr(library.nn, f"MaxUnpool{rank}d")(2)
            x = _input(library, size, "float64")
            back = undo(*pool(x))
            (back * back).sum().backward()
            results.append((repr(undo), _told(back), _told(x.grad), type(back.grad_fn).__name__))
        assert results[0][0] == results[1][0]
        assert results[0][3] == results[1][3]
        for one, other in zip(results[0][1:3], results[1][1:3], strict=True):
            _assert_equal(one, other, 1e-12)


def test_running_statistics_move_as_pytorchs() -> None:
    states = []
    for library in (tensorglass, torch):
        layer = library.nn.BatchNorm2d(3, momentum=0.3)
        for step in range(3):
            layer(_input(library, (2, 3, 4, 5), "float32") * (step + 1))
        states.append({name: _told(value) for name, value in layer.state_dict().items()})
    assert [*states[0]] == [*states[1]]
    for name in states[0]:
        _assert_equal(states[0][name], states[1][name], 1e-5)


def test_a_transposed_convolution_gives_the_size_that_is_asked_for() -> None:
    results = []
    for library in (tensorglass, torch):
        library.manual_seed(0)
        layer = library.nn.ConvTranspose2d(3, 2, 3, stride=2)
        x = _input(library, (1, 3, 4, 4), "float32")
        results.append([_told(layer(x, output_size=size)) for size in ((9, 10), (1, 2, 10, 9))])
        with pytest.raises(ValueError, match="valid sizes range") as caught:
            layer(x, output_size=(12, 12))
        results[-1].append(str(caught.value))
    for one, other in zip(*results, strict=True):
        _assert_equal(one, other, 1e-5)


def test_channels_last_images_stay_so() -> None:
    layers = (
        "nn.Conv2d(4, 6, 3)", "nn.MaxPool2d(2)", "nn.AvgPool2d(2)", "nn.BatchNorm2d(4)", "nn.AdaptiveAvgPool2d(2)",
        "nn.GroupNorm(2, 4)", "nn.Upsample(scale_factor=2)", "nn.PixelShuffle(2)", "nn.ReflectionPad2d(1)",
        "nn.ConvTranspose2d(4, 6, 3)",
    )  # fmt: skip
    for expression in layers:
        strides = []
        for library in (tensorglass, torch):
            layer = eval(expression, {"nn": library.nn})
            x = _input(library, (2, 4, 6, 6), "float32").to(memory_format=library.channels_last)
            x = x.detach().requires_grad_()
            result = layer(x)
            result.backward(library.ones_like(result))
            strides.append(
                (result.stride(), x.grad.stride(), [parameter.grad.stride() for parameter in layer.parameters()])
            )
        assert strides[0] == strides[1], expression
