"""Backends: where bytes live and kernels run, one small class for each type of device.

`base` says what a backend must offer, and finds the backend of a device. `numpy_backend` is the CPU's, `simulated` the
simulated accelerator's.
"""

from tensorglass.backends.base import (
    Array,
    Backend,
    Family,
    RandomBits,
    SpeaksDLPack,
    accelerator,
    family,
    forget,
    get,
    of_type,
    register,
    register_family,
)

__all__ = [
    "Array", "Backend", "Family", "RandomBits", "SpeaksDLPack", "accelerator", "family", "forget", "get", "of_type",
    "register", "register_family",
]  # fmt: skip
