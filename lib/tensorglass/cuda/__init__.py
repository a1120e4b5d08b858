"""``torch.cuda``: CUDA devices, by CuPy. Memory figures are those of CuPy's pool.

Without CuPy or without a GPU, `is_available` is False, and the other functions raise errors.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tensorglass.backends.cupy_backend import FAMILY
from tensorglass.core.errors import OutOfMemoryError
from tensorglass.core.out_of_scope import refusing
from tensorglass.cuda.streams import Event, Stream, current_stream, default_stream, set_stream, stream
from tensorglass.tensor.accelerator_common import Accelerator, Where

_refuse = refusing("cuda")


def __getattr__(name: str) -> Any:
    if name == "amp":  # older names of `torch.amp`, which stands above
        return import_module("tensorglass.amp.cuda")
    if name in ("memory", "random"):  # PyTorch's modules, whose names are here
        return import_module("tensorglass.cuda")
    if name == "_initialized":  # asked before the states of random generators are saved
        return _cuda.is_initialized()
    if name.endswith("Tensor"):
        from tensorglass.interop.legacy_constructors import of_cuda

        globals().update(of_cuda())
        if name in globals():
            return globals()[name]
    return _refuse(name)


_cuda = Accelerator("cuda", FAMILY)
globals().update(_cuda.functions())


def get_device_capability(device: Where = None) -> tuple[int, int]:
    """The compute capability, (major, minor)."""
    properties = _cuda.get_device_properties(device)
    return properties.major, properties.minor


__all__ = [
    "Event", "OutOfMemoryError", "Stream", "current_stream", "default_stream", "get_device_capability", "set_stream",
    "stream", *_cuda.functions(),
]  # fmt: skip
