"""What prepares networks for quantization, and quantizes them. All of these functions refuse."""

from __future__ import annotations

from tensorglass.core.left_out import left_out

__all__ = [
    "add_quant_dequant",
    "convert",
    "prepare",
    "prepare_qat",
    "propagate_qconfig_",
    "quantize",
    "quantize_dynamic",
    "quantize_qat",
    "swap_module",
]

add_quant_dequant = left_out("ao.quantization.add_quant_dequant")
convert = left_out("ao.quantization.convert")
prepare = left_out("ao.quantization.prepare")
prepare_qat = left_out("ao.quantization.prepare_qat")
propagate_qconfig_ = left_out("ao.quantization.propagate_qconfig_")
quantize = left_out("ao.quantization.quantize")
quantize_dynamic = left_out("ao.quantization.quantize_dynamic")
quantize_qat = left_out("ao.quantization.quantize_qat")
swap_module = left_out("ao.quantization.swap_module")
