"""Backends: where bytes live and kernels run, one small class for each type of device.

`base` says what a backend must offer, and finds the backend of a device. `numpy_backend` is the CPU's, `simulated` the
simulated accelerator's.
"""

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

__all__ = [
    "Array", "Backend", "Family", "HasSciPy", "RandomBits", "SpeaksDLPack", "accelerator", "family", "forget", "get",
    "has_linalg", "linalg", "of_type", "register", "register_family", "special",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    raise explained(
        AttributeError(f"module 'tensorglass.backends' has no attribute '{name}'"),
        "PyTorch's backends are switches of libraries that it calls, such as cudnn, mkl and mps; none of them is here.",
        "torch.accelerator.is_available() says whether there is a device beside the CPU, of whatever kind.",
    )
