"""Python numbers on their way into a tensor: as an array element, wrapped around or checked for overflow."""

from __future__ import annotations

import math
from typing import Any

from tensorglass.backends import Array, Backend
from tensorglass.backends.numpy_backend import HOST
from tensorglass.core import dtypes
from tensorglass.core.dtype_info import finfo, iinfo
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import explained
from tensorglass.geometry import remembered

#: The types that operators accept as a number: Python's, and NumPy's scalars.
NUMBERS = (int, float, complex, HOST.xp.number, HOST.xp.bool_)

# The names of C++ types in PyTorch's overflow message.
_C_NAMES = {
    dtypes.uint8: "uint8_t", dtypes.int8: "int8_t", dtypes.int16: "int16_t", dtypes.int32: "int",
    dtypes.int64: "int64_t", dtypes.uint16: "uint16_t", dtypes.uint32: "uint32_t", dtypes.uint64: "uint64_t",
    dtypes.float16: "c10::Half", dtypes.bfloat16: "c10::BFloat16", dtypes.float32: "float",
    dtypes.float64: "double", dtypes.complex64: "c10::complex<float>", dtypes.complex128: "c10::complex<double>",
}  # fmt: skip


def number_array(backend: Backend, number: complex, dtype: DType) -> Array:
    """A 0-dim array that holds a Python number as an operand of an operator: integers wrap around silently.

    The next call may return the same array, so nobody may write to it.
    """
    # A program computes with the same few numbers over and over.
    is_plain = type(number) in _PLAIN and (number or _is_told_apart(number))
    return (_kept if is_plain else _made)(backend, number, dtype)


_PLAIN = frozenset((int, float))


def _is_told_apart(number: complex) -> bool:
    """Whether a zero is not -0.0, which equals 0.0 and would share its place in the cache."""
    return type(number) is int or math.copysign(1.0, number.real) > 0


def _made(backend: Backend, number: complex, dtype: DType) -> Array:
    check_width(number)
    array_dtype = backend.array_dtype(dtype)
    if dtype.category == dtypes.INTEGER:
        bits = 8 * dtype.itemsize
        wrapped = HOST.xp.asarray(int(_real(number)) & ((1 << bits) - 1), f"uint{bits}").view(array_dtype)
        return wrapped if backend is HOST else backend.number(wrapped, array_dtype)
    return backend.number(number, array_dtype)


_kept = remembered(_made, typed=True)  # equal numbers of two types are not refused for the same reasons


def fitting_array(backend: Backend, number: complex, dtype: DType) -> Array:
    """`number_array` of a number that must fit: PyTorch makes a tensor of one element of it first."""
    is_plain = type(number) in _PLAIN and (number or _is_told_apart(number))
    return (_kept_fitting if is_plain else _made_fitting)(backend, number, dtype)


def _made_fitting(backend: Backend, number: complex, dtype: DType) -> Array:
    return _made(backend, checked_alone(number, dtype), dtype)


_kept_fitting = remembered(_made_fitting, typed=True)


_LIMITS: dict[DType, Any] = {
    dtype: iinfo(dtype) if dtype.category == dtypes.INTEGER else finfo(dtype)
    for dtype in dtypes.ALL
    if dtype is not dtypes.bool
}


def checked(number: complex, dtype: DType) -> complex:
    """`number`, or PyTorch's RuntimeError if `dtype` cannot hold it: what `fill_` and `full` ask.

    A fraction is cut off; a small negative number wraps around in an unsigned type, as in PyTorch.
    """
    if type(number) is int and 0 <= number < 128:  # every dtype holds these
        return number
    check_width(number)
    if not _fits(number, dtype):
        raise RuntimeError(f"value cannot be converted to type {_C_NAMES[dtype]} without overflow")
    return number


def checked_alone(number: complex, dtype: DType) -> complex:
    """`checked` of a number that is to be a tensor's only element: what half types cannot hold becomes infinite."""
    if dtype.itemsize == 2 and dtype.is_floating_point:
        return checked(number, dtypes.float64) if isinstance(number, complex) else number
    return checked(number, dtype)


def check_width(number: complex) -> None:
    """Raise PyTorch's OverflowError for an int that 64 bits cannot hold."""
    if isinstance(number, int) and not -(2**63) <= number < 2**64:
        raise explained(
            OverflowError("int too big to convert" if number > 0 else "can't convert negative int to unsigned"),
            "A number beside tensors has 64 bits: from -2**63 to 2**64 - 1.",
        )


def _fits(number: Any, dtype: DType) -> bool:
    if dtype is dtypes.bool:
        return True
    if isinstance(number, complex):
        if dtype.is_complex:
            return _fits(number.real, dtype.to_real()) and _fits(number.imag, dtype.to_real())
        if number.imag != 0:
            return False
        number = number.real
    if dtype.category == dtypes.INTEGER:
        limits = _LIMITS[dtype]
        # Whole negative numbers wrap around in an unsigned type; fractions, infinities and nan do not.
        wraps = isinstance(number, int) and not dtype.is_signed
        return (-limits.max if wraps else limits.min) <= number <= limits.max
    return not math.isfinite(number) or abs(number) <= _LIMITS[dtype].max


def _real(number: complex) -> float | int:
    return number.real if isinstance(number, complex) else number
