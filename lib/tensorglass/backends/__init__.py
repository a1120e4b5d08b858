"""Backends: where bytes live and kernels run, one small class for each type of device.

`base` says what a backend must offer, and finds the backend of a device. `numpy_backend` is the CPU's.
"""

from tensorglass.backends.base import Array, Backend, RandomBits, get, register

__all__ = ["Array", "Backend", "RandomBits", "get", "register"]
