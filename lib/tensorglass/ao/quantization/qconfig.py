"""How layers are to be quantized: a pair of what makes observers, of the layers' outputs and of their weights."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

from tensorglass.ao.quantization.fake_quantize import default_fake_quant, default_weight_fake_quant
from tensorglass.ao.quantization.observer import (
    default_debug_observer,
    default_dynamic_quant_observer,
    default_observer,
    default_per_channel_weight_observer,
    default_weight_observer,
)
from tensorglass.core.left_out import left_out
from tensorglass.nn import Identity, Module

__all__ = [
    "QConfig",
    "QConfigAny",
    "default_debug_qconfig",
    "default_dynamic_qconfig",
    "default_per_channel_qconfig",
    "default_qat_qconfig",
    "default_qconfig",
    "default_weight_only_qconfig",
    "get_default_qat_qconfig",
    "get_default_qconfig",
]


class _Pair(NamedTuple):
    activation: Any
    weight: Any


class QConfig(_Pair):
    """What makes observers: those of a layer's output, and those of its weight."""

    __slots__ = ()

    def __new__(cls, activation: Any, weight: Any) -> Self:
        if isinstance(activation, Module) or isinstance(weight, Module):
            raise ValueError(
                "QConfig received observer instance, please pass observer class instead. "
                "Use MyObserver.with_args(x=1) to override arguments to constructor if needed"
            )
        return super().__new__(cls, activation, weight)


QConfigAny = QConfig | None

default_qconfig = QConfig(activation=default_observer, weight=default_weight_observer)
default_debug_qconfig = QConfig(activation=default_debug_observer, weight=default_weight_observer)
default_per_channel_qconfig = QConfig(activation=default_observer, weight=default_per_channel_weight_observer)
default_dynamic_qconfig = QConfig(activation=default_dynamic_quant_observer, weight=default_weight_observer)
default_qat_qconfig = QConfig(activation=default_fake_quant, weight=default_weight_fake_quant)
default_weight_only_qconfig = QConfig(activation=Identity, weight=default_weight_fake_quant)
get_default_qconfig = left_out("ao.quantization.get_default_qconfig")
get_default_qat_qconfig = left_out("ao.quantization.get_default_qat_qconfig")
