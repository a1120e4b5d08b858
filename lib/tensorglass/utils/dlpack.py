"""`torch.utils.dlpack`: the exchange of tensors with other libraries by DLPack."""

from __future__ import annotations

from tensorglass.backends.dlpack_capsule import DLDeviceType
from tensorglass.ops.creation.dlpack import from_dlpack, to_dlpack

__all__ = ["DLDeviceType", "from_dlpack", "to_dlpack"]
