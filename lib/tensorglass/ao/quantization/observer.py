"""What measures the numbers that a network computes, so that they can be quantized. No observer can be made here.

A class and its arguments can be kept for later, as settings of quantization do: ``MinMaxObserver.with_args(eps=1e-5)``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tensorglass.core.left_out import LeftOut
from tensorglass.nn import Module

__all__ = [
    "FixedQParamsObserver",
    "HistogramObserver",
    "MinMaxObserver",
    "MovingAverageMinMaxObserver",
    "MovingAveragePerChannelMinMaxObserver",
    "NoopObserver",
    "ObserverBase",
    "PerChannelMinMaxObserver",
    "PlaceholderObserver",
    "RecordingObserver",
    "ReuseInputObserver",
    "UniformQuantizationObserverBase",
    "default_debug_observer",
    "default_dynamic_quant_observer",
    "default_float_qparams_observer",
    "default_histogram_observer",
    "default_observer",
    "default_per_channel_weight_observer",
    "default_placeholder_observer",
    "default_weight_observer",
]


class Later:
    """A class and some of its arguments: called with the others, it makes an object."""

    def __init__(self, made: Callable[..., Any]) -> None:
        self.p = made

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return self.p(*args, **keywords)

    def __repr__(self) -> str:
        return repr(self.p)

    def with_args(self, **keywords: Any) -> Later:
        """The same with more arguments."""
        return Later(partial(self, **keywords))


class Adjustable:
    """A class whose arguments can be given before an object is made."""

    @classmethod
    def with_args(cls, **keywords: Any) -> Later:
        """The class with these arguments, for later."""
        return Later(partial(cls, **keywords))


class ObserverBase(LeftOut, Module, Adjustable):
    """What measures numbers. No module here is one."""


class UniformQuantizationObserverBase(ObserverBase, LeftOut):
    """What measures numbers for steps of one size."""


class MinMaxObserver(UniformQuantizationObserverBase, LeftOut):
    """What remembers the smallest number and the largest."""


class MovingAverageMinMaxObserver(MinMaxObserver, LeftOut):
    """What averages the smallest numbers and the largest."""


class PerChannelMinMaxObserver(UniformQuantizationObserverBase, LeftOut):
    """What remembers the smallest number and the largest of each channel."""


class MovingAveragePerChannelMinMaxObserver(PerChannelMinMaxObserver, LeftOut):
    """What averages the smallest numbers and the largest of each channel."""


class HistogramObserver(UniformQuantizationObserverBase, LeftOut):
    """What counts numbers in bins."""


class FixedQParamsObserver(ObserverBase, LeftOut):
    """What has a scale that is given."""


class PlaceholderObserver(ObserverBase, LeftOut):
    """What measures nothing, and stands for a dtype."""


class RecordingObserver(ObserverBase, LeftOut):
    """What keeps all numbers."""


class NoopObserver(ObserverBase, LeftOut):
    """What measures nothing."""


class ReuseInputObserver(ObserverBase, LeftOut):
    """What has the scale of the layer's input."""


default_observer = MinMaxObserver.with_args(quant_min=0, quant_max=127)
default_placeholder_observer = PlaceholderObserver
default_debug_observer = RecordingObserver
default_weight_observer = MinMaxObserver.with_args()
default_histogram_observer = HistogramObserver.with_args(quant_min=0, quant_max=127)
default_per_channel_weight_observer = PerChannelMinMaxObserver.with_args()
default_dynamic_quant_observer = PlaceholderObserver.with_args(quant_min=0, quant_max=255, is_dynamic=True)
default_float_qparams_observer = PerChannelMinMaxObserver.with_args(ch_axis=0)
