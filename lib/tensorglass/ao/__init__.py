"""`torch.ao`: libraries ask whether a part of a network is one that quantizes. None here is: nothing is quantized."""

from __future__ import annotations

from tensorglass.ao import quantization

__all__ = ["quantization"]
