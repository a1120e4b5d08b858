"""The simulated device's memory: allocations that a caching allocator accounts for, each backed by host memory.

The addresses, the capacity and the fragmentation are those of the allocator; the bytes themselves lie wherever NumPy
put them.
"""

from __future__ import annotations

import numpy

from tensorglass.allocator import Allocation


class BackedAllocation(Allocation):
    """A block of the device's memory with the NumPy array that keeps its bytes; freed when nobody holds it."""

    __slots__ = ("root",)

    root: numpy.ndarray

    def address_of(self, cells: numpy.ndarray) -> int:
        """The simulated address of the first element of a window on this allocation."""
        return self.block.address + cells.ctypes.data - self.root.ctypes.data


def root_of(cells: numpy.ndarray) -> numpy.ndarray:
    """The array that owns the memory under `cells`."""
    while isinstance(cells.base, numpy.ndarray):
        cells = cells.base
    return cells
