"""What libraries of networks ask of PyTorch's C++ for layers."""

from __future__ import annotations

from typing import Any

from tensorglass.core.devices import device as Device
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.memory_format import memory_format
from tensorglass.ops.copies.to import read_to

__all__ = ["_parse_to"]


def _parse_to(*args: Any, **kwargs: Any) -> tuple[Device | None, DType | None, bool, memory_format | None]:
    """The device, dtype, `non_blocking` and memory format that the arguments of ``module.to()`` say."""
    return read_to(*args, **kwargs)
