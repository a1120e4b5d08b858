"""The CPU's large arrays: when they are freed, their memory is kept for the next ones.

The system hands out memory page by page, when a page is first touched, and that takes longer than most kernels. No code
has to decide that a buffer is free: each array's chain of `base` ends at a `HostBlock`, however the array was made (a
view, `.numpy()`, DLPack, a memoryview, a graph). When the last reference is gone, Python finalizes the block, and its
bytes return to the pool.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy

from tensorglass.allocator import Allocation, CachingAllocator

MIB = 2**20
#: Smaller arrays are left to NumPy: the C allocator caches small blocks itself, at a tenth of our cost.
LEAST = MIB
#: The most unused memory that is kept: half a GiB, or a sixteenth of a small machine's memory.
MOST_UNUSED = 512 * MIB
_ALIGNMENT = 64  # bytes: a line of the cache, as in PyTorch


class HostBlock(Allocation):
    """A block of CPU memory that NumPy accepts as an array's memory."""

    __slots__ = ("__array_interface__",)

    __array_interface__: dict[str, Any]


class _System:
    """The source of segments: NumPy, which asks the system for them, with huge pages if available."""

    def reserve(self, nbytes: int) -> tuple[int, Any]:
        memory = numpy.empty(nbytes + _ALIGNMENT, numpy.uint8)
        return -(-memory.ctypes.data // _ALIGNMENT) * _ALIGNMENT, memory

    def release(self, nbytes: int) -> None:
        """NumPy gives the memory back once the segment is gone."""


POOL = CachingAllocator(sys.maxsize, _System(), most_unused=MOST_UNUSED)


def empty_bytes(nbytes: int) -> numpy.ndarray:
    """An uninitialized array of `nbytes` bytes from the pool; raises `NoRoom`."""
    held = POOL.allocate(nbytes, HostBlock)
    address = held.block.address
    held.__array_interface__ = {"data": (address, False), "shape": (nbytes,), "typestr": "|u1", "version": 3}
    return numpy.asarray(held)


# GNU's C allocator returns arrays above a threshold to the system at once, and raises the threshold, up to 32 MiB, to
# the size of the largest array freed so far. Freeing one now, without touching its pages, spares kernels page faults
# for their temporaries.
numpy.empty(32 * MIB - 2**16, numpy.uint8)


def _memory_of_the_machine() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not every system says
        return 16 * MOST_UNUSED


if _memory_of_the_machine() < 16 * MOST_UNUSED:
    POOL.limit(_memory_of_the_machine() // 16)
