"""The arguments of storages' constructors, read and checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorglass.core.dtypes import dtype, int8, uint8
from tensorglass.core.errors import explained


def type_name(value: object) -> str:
    """The name of a value's type, NumPy's with its package: numpy.int64."""
    kind = type(value)
    return f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__


def is_index(value: object) -> bool:
    """Whether a value counts bytes: an int, Python's or NumPy's, but not a bool or a tensor."""
    return hasattr(value, "__index__") and not isinstance(value, bool) and not hasattr(value, "untyped_storage")


def read_bytes(data: Any) -> list[int]:
    """The bytes given as a sequence of ints, each reduced to its lowest eight bits."""
    if not isinstance(data, Sequence):
        raise RuntimeError(f"torch.UntypedStorage(): Expected a sequence type, but got {type_name(data)}")
    for value in data:
        if not isinstance(value, int):
            raise RuntimeError(
                f"torch.UntypedStorage(): tried to construct a storage from a sequence ({type_name(data)}), but one of "
                f"the items was of type {type_name(value)} instead of int"
            )
    return [value & 0xFF for value in data]


def check_byte_order(byte_order: object, dtype: dtype) -> None:
    """Raise PyTorch's error for an invalid byte order; elements of one byte need none."""
    if dtype in (uint8, int8):
        return
    if not isinstance(byte_order, str):
        raise TypeError(f"argument 2 must be str, not {'None' if byte_order is None else type_name(byte_order)}")
    if not byte_order:
        raise RuntimeError("function missing required argument 'byte_order' (pos 2)")
    if byte_order not in ("big", "little", "native"):
        raise ValueError(f"invalid byte_order '{byte_order}' (expected 'big', 'little', or 'native')")


def check_length(nbytes: int) -> None:
    """Raise PyTorch's error for a length below 0, or beyond 64 bits."""
    if nbytes >= 2**63:
        raise ValueError("Overflow when unpacking long long")
    if nbytes < 0:
        raise explained(
            RuntimeError(
                "[enforce fail at alloc_cpu.cpp:98] ((ptrdiff_t)nbytes) >= 0. alloc_cpu() seems to have been called "
                f"with negative number: {nbytes % 2**64}"
            ),
            f"A storage cannot be {nbytes} bytes long.",
        )
