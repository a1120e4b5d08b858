"""Layers that round numbers as if they were quantized. None can be made here."""

from __future__ import annotations

from tensorglass.ao.quantization.observer import Adjustable
from tensorglass.core.left_out import LeftOut
from tensorglass.nn import Module

__all__ = [
    "FakeQuantize",
    "FakeQuantizeBase",
    "FixedQParamsFakeQuantize",
    "FusedMovingAvgObsFakeQuantize",
    "default_fake_quant",
    "default_per_channel_weight_fake_quant",
    "default_weight_fake_quant",
    "disable_fake_quant",
    "disable_observer",
    "enable_fake_quant",
    "enable_observer",
]


class FakeQuantizeBase(LeftOut, Module, Adjustable):
    """A layer that rounds as if numbers were quantized. No module here is one."""


class FakeQuantize(FakeQuantizeBase, LeftOut):
    """A layer that rounds by a scale that it measures."""


class FixedQParamsFakeQuantize(FakeQuantize, LeftOut):
    """A layer that rounds by a scale that is given."""


class FusedMovingAvgObsFakeQuantize(FakeQuantize, LeftOut):
    """A layer that rounds by a scale that is an average."""


default_fake_quant = FakeQuantize.with_args(quant_min=0, quant_max=255)
default_weight_fake_quant = FakeQuantize.with_args(quant_min=-128, quant_max=127)
default_per_channel_weight_fake_quant = FakeQuantize.with_args(quant_min=-128, quant_max=127, ch_axis=0)


def enable_fake_quant(mod: Module) -> None:
    """Let the layer round, if it is a FakeQuantizeBase, for ``network.apply``. None is, so this does nothing."""


def disable_fake_quant(mod: Module) -> None:
    """Let the layer not round, if it is a FakeQuantizeBase. None is, so this does nothing."""


def enable_observer(mod: Module) -> None:
    """Let the layer measure, if it is a FakeQuantizeBase. None is, so this does nothing."""


def disable_observer(mod: Module) -> None:
    """Let the layer not measure, if it is a FakeQuantizeBase. None is, so this does nothing."""
