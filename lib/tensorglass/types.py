"""``torch.types``: names for annotations."""

from __future__ import annotations

from os import PathLike
from typing import IO

from tensorglass.core.devices import device as _device
from tensorglass.core.size import Size
from tensorglass.storage.storage import UntypedStorage as Storage
from tensorglass.tensor.tensor import Tensor

__all__ = ["Device", "FileLike", "Number", "Storage"]

Number = int | float | bool
Device = _device | str | int | None
FileLike = str | PathLike[str] | IO[bytes]
IntLikeType, FloatLikeType, BoolLikeType = int, float, bool
_TensorOrTensors = Tensor | tuple[Tensor, ...]
_size = Size | list[int] | tuple[int, ...]
_int, _float, _bool, _complex, _bytes, _str = int, float, bool, complex, bytes, str
