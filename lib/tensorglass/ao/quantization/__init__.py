"""`torch.ao.quantization`: the names that libraries import, to ask of layers what they are and to keep settings.

`QuantStub` and `DeQuantStub` return what they are given, as PyTorch's do in a network that is not converted. Nothing
is quantized here: observers cannot be made, and what prepares and converts networks refuses.
"""

# ruff: noqa: F403  # each file says by `__all__` what it offers

from __future__ import annotations

from tensorglass.ao.quantization import quantize_fx
from tensorglass.ao.quantization.fake_quantize import *
from tensorglass.ao.quantization.fuse_modules import *
from tensorglass.ao.quantization.observer import *
from tensorglass.ao.quantization.qconfig import *
from tensorglass.ao.quantization.qconfig_mapping import *
from tensorglass.ao.quantization.quantize import *
from tensorglass.ao.quantization.stubs import *
