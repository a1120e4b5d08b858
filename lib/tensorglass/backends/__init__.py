"""Backends: where bytes live and kernels run, one small class for each type of device.

`base` says what a backend must offer, and finds the backend of a device. `numpy_backend` is the CPU's, `simulated` the
simulated accelerator's. The modules listed in `_SWITCHES` are not backends; they are PyTorch's modules of switches.
"""

from importlib import import_module
from typing import Any

from tensorglass.backends.base import (
    Array,
    Backend,
    Family,
    HasSciPy,
    RandomBits,
    SpeaksDLPack,
    accelerator,
    family,
    forget,
    get,
    has_linalg,
    linalg,
    of_type,
    register,
    register_family,
    special,
)
from tensorglass.core.errors import explained
from tensorglass.core.names_alone import name_alone

__all__ = [
    "Array", "Backend", "Family", "HasSciPy", "RandomBits", "SpeaksDLPack", "accelerator", "family", "flags_frozen",
    "forget", "get", "has_linalg", "linalg", "of_type", "register", "register_family", "special",
]  # fmt: skip


#: Modules with switches of libraries that PyTorch calls, imported on first use.
_SWITCHES = ("cuda", "cudnn", "mkl", "mkldnn", "mps", "openmp")


def flags_frozen() -> bool:
    """False: the switches of these modules may be set anywhere."""
    return False


def __getattr__(name: str) -> Any:
    if name in _SWITCHES:
        return import_module(f"{__name__}.{name}")
    value = name_alone("backends", name, __getattr__)
    if value is not __getattr__:
        return value
    raise explained(
        AttributeError(f"module 'tensorglass.backends' has no attribute '{name}'"),
        f"Of the libraries that PyTorch calls, {', '.join(_SWITCHES)} have switches here; none of them is called.",
        "Instead, torch.accelerator.is_available() says whether there is a device beside the CPU, of whatever kind.",
    )
