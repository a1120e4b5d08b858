"""The weights of convolutions in another order of memory, throughout a network."""

from __future__ import annotations

from typing import Any, TypeVar

import tensorglass as torch
from tensorglass.nn.modules.module import Module

__all__ = ["convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"]

Network = TypeVar("Network", bound=Module)


def convert_conv2d_weight_memory_format(module: Network, memory_format: Any) -> Network:
    """Lay out the weights of all convolutions of images, in place."""
    return _converted(module, (torch.nn.Conv2d, torch.nn.ConvTranspose2d), memory_format)


def convert_conv3d_weight_memory_format(module: Network, memory_format: Any) -> Network:
    """Lay out the weights of all convolutions of volumes, in place."""
    return _converted(module, (torch.nn.Conv3d, torch.nn.ConvTranspose3d), memory_format)


def _converted(module: Network, kinds: Any, memory_format: Any) -> Network:
    for layer in module.modules():
        if isinstance(layer, kinds):
            layer.weight.data = layer.weight.detach().clone(memory_format=memory_format)
    return module
