"""What makes one layer of several. These functions refuse."""

from __future__ import annotations

from tensorglass.core.left_out import left_out

__all__ = ["fuse_modules", "fuse_modules_qat"]

fuse_modules = left_out("ao.quantization.fuse_modules")
fuse_modules_qat = left_out("ao.quantization.fuse_modules_qat")
