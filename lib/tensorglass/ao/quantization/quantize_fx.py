"""What quantizes networks by recording them. All of these functions refuse."""

from __future__ import annotations

from tensorglass.core.left_out import left_out

__all__ = ["convert_fx", "fuse_fx", "prepare_fx", "prepare_qat_fx"]

convert_fx = left_out("ao.quantization.quantize_fx.convert_fx")
fuse_fx = left_out("ao.quantization.quantize_fx.fuse_fx")
prepare_fx = left_out("ao.quantization.quantize_fx.prepare_fx")
prepare_qat_fx = left_out("ao.quantization.quantize_fx.prepare_qat_fx")
