"""`torch.utils.dlpack`: the names under which PyTorch has what `tensorglass.dlpack` does."""

from __future__ import annotations

from tensorglass.backends.dlpack_capsule import DLDeviceType
from tensorglass.ops.creation.dlpack import from_dlpack, to_dlpack

__all__ = ["DLDeviceType", "from_dlpack", "to_dlpack"]
