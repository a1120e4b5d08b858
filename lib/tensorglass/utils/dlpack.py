"""`torch.utils.dlpack`: the names under which PyTorch has what `tensorglass.dlpack` does."""

from __future__ import annotations

from tensorglass.dlpack import from_dlpack, to_dlpack
from tensorglass.dlpack_capsules import DLDeviceType

__all__ = ["DLDeviceType", "from_dlpack", "to_dlpack"]
