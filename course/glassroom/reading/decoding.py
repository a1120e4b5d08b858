"""Bytes to Python numbers, for every dtype that a header may name.

Values are read from the storage's bytes, not asked of the library: so two libraries, and two views of one
storage with different dtypes, are read by one rule.
"""

from __future__ import annotations

import struct

import numpy as np

from glassroom.records.snapshot import Number

# The dtypes that Python itself can unpack: ten times as fast as an array of one element.
_FORMATS = {
    "float16": "e", "float32": "f", "float64": "d", "int8": "b", "int16": "h", "int32": "i", "int64": "q",
    "uint8": "B", "uint16": "H", "uint32": "I", "uint64": "Q",
}  # fmt: skip


def decode(data: bytes, dtype: str, byte_order: str = "=") -> Number:
    """One element of `dtype` from its bytes; what Python has no number for is given as hexadecimal digits."""
    if dtype == "bool":
        return data != b"\0"
    code = _FORMATS.get(dtype)
    if code is not None:
        return struct.unpack(f"{byte_order if byte_order in '<>' else '='}{code}", data)[0]
    if dtype == "bfloat16":  # the upper half of a float32
        return float(np.frombuffer(b"\0\0" + data, "<f4")[0])
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
