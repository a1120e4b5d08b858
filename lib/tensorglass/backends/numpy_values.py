"""NumPy's own values, which programs pass to functions: its arrays, its numbers, and bytes at an address."""

from __future__ import annotations

from typing import Any

import numpy

#: The types, for `isinstance`.
ndarray: Any = numpy.ndarray
generic: Any = numpy.generic
number: Any = numpy.number
bool_: Any = numpy.bool_
integer: Any = numpy.integer
complexfloating: Any = numpy.complexfloating


class _Run:
    """Memory that another object owns, as an `__array_interface__` for NumPy."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, address: int, nbytes: int, owner: Any, is_read_only: bool) -> None:
        self.owner = owner
        self.__array_interface__ = {
            "version": 3, "typestr": "|u1", "shape": (nbytes,), "data": (address, is_read_only),
        }  # fmt: skip


def bytes_at(address: int, nbytes: int, owner: Any, *, is_read_only: bool) -> numpy.ndarray:
    """The bytes at `address`, as an array that keeps their owner alive."""
    return numpy.asarray(_Run(address, nbytes, owner, is_read_only))
