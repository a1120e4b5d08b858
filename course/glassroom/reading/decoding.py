"""Bytes to Python numbers, for every dtype that a header may name.

Values are decoded from the storage's bytes, without the library's help: so two libraries, and two views of one storage
with different dtypes, are read by the same rule.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import cache, partial
from math import inf, ldexp, nan

import numpy as np

from glassroom.records.cells import Number

Decoder = Callable[[bytes], list[Number]]

# The dtypes that Python itself can unpack: faster than an array of one element.
_FORMATS = {
    "float16": "e", "float32": "f", "float64": "d", "int8": "b", "int16": "h", "int32": "i", "int64": "q",
    "qint8": "b", "quint8": "B", "qint32": "i", "uint8": "B", "uint16": "H", "uint32": "I", "uint64": "Q",
}  # fmt: skip

# Of eight-bit floats: bits of the exponent, bits of the fraction, bias, and which patterns are not numbers.
# Source: OCP 8-bit Floating Point Specification, and for "fnuz" arXiv:2206.02915, where only 0x80 is NaN.
_EIGHT_BITS = {
    "float8_e4m3fn": (4, 3, 7, {0x7F, 0xFF}), "float8_e4m3fnuz": (4, 3, 8, {0x80}),
    "float8_e5m2": (5, 2, 15, {*range(0x7D, 0x80), *range(0xFD, 0x100)}), "float8_e5m2fnuz": (5, 2, 16, {0x80}),
    "float8_e8m0fnu": (8, 0, 127, {0xFF}),
}  # fmt: skip


def decode(data: bytes, dtype: str, byte_order: str = "=") -> Number:
    """One element of `dtype` from its bytes; hexadecimal digits if Python has no such number."""
    if dtype == "bool":
        return data != b"\0"
    code = _FORMATS.get(dtype)
    if code is not None:
        return struct.unpack(f"{byte_order if byte_order in '<>' else '='}{code}", data)[0]
    if dtype == "bfloat16":  # the upper half of a float32
        return float(np.frombuffer(b"\0\0" + data, "<f4")[0])
    if dtype in _EIGHT_BITS:
        return _of_eight_bits(data[0], dtype)
    if dtype == "complex32":
        real, imaginary = np.frombuffer(data, "<f2")
        return complex(real, imaginary)
    try:
        element = np.frombuffer(data, byte_order + np.dtype(dtype).str[1:])[0]
    except TypeError:
        return data[::-1].hex()
    if element.dtype.kind == "c":
        return complex(element)
    return float(element) if element.dtype.kind == "f" else int(element)


@cache  # there are few, and cells that have the same one are compared by their bytes
def decoder(
    dtype: str | None, itemsize: int, byte_order: str, is_conjugated: bool = False, is_negated: bool = False
) -> Decoder:
    """A function that makes a list of values of the bytes of several elements; hexadecimal digits without a dtype."""
    return partial(_values, dtype, itemsize, byte_order, is_conjugated, is_negated)


def _values(
    dtype: str | None, itemsize: int, byte_order: str, is_conjugated: bool, is_negated: bool, data: bytes
) -> list[Number]:
    code = _FORMATS.get(dtype or "")
    if code is not None:
        order = byte_order if byte_order in "<>" else "="
        values: list[Number] = list(struct.unpack(f"{order}{len(data) // itemsize}{code}", data))
    else:
        elements = [data[at : at + itemsize] for at in range(0, len(data), itemsize)]
        values = [element.hex() if dtype is None else decode(element, dtype, byte_order) for element in elements]
    if is_conjugated:
        values = [value.conjugate() if isinstance(value, complex) else value for value in values]
    return [value if isinstance(value, str) else -value for value in values] if is_negated else values


def _of_eight_bits(byte: int, dtype: str) -> float:
    exponent_bits, fraction_bits, bias, nans = _EIGHT_BITS[dtype]
    if byte in nans:
        return nan
    sign = -1.0 if byte >> (exponent_bits + fraction_bits) else 1.0
    exponent = byte >> fraction_bits & ((1 << exponent_bits) - 1)
    fraction = byte & ((1 << fraction_bits) - 1)
    if dtype == "float8_e5m2" and exponent == 31:
        return sign * inf
    if exponent == 0 and fraction_bits:  # subnormal
        return sign * ldexp(fraction, 1 - bias - fraction_bits)
    return sign * ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits)
