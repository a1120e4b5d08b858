"""Which layers are to be quantized how. No such mapping can be made here."""

from __future__ import annotations

from tensorglass.core.left_out import LeftOut, left_out

__all__ = ["QConfigMapping", "get_default_qat_qconfig_mapping", "get_default_qconfig_mapping"]


class QConfigMapping(LeftOut):
    """Which layers are quantized how."""


get_default_qconfig_mapping = left_out("ao.quantization.get_default_qconfig_mapping")
get_default_qat_qconfig_mapping = left_out("ao.quantization.get_default_qat_qconfig_mapping")
