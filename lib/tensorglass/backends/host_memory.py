"""The CPU's large arrays: their memory is kept when they die, and given to the next ones.

The system hands memory out page by page, as it is first touched, and that takes longer than most kernels. Nobody
decides that a buffer is free. Each array's chain of `base` ends at a `HostBlock`, however the array was made (a view,
`.numpy()`, DLPack, a memoryview, a graph); when the last one goes, Python ends the block, and its bytes go back to the
pool.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy

from tensorglass.allocator import Allocation, CachingAllocator

MIB = 2**20
#: Arrays below this are NumPy's affair: the C allocator keeps what is small by itself, at a tenth of our cost.
LEAST = MIB
#: The most that is kept while nobody uses it: half a GiB, or a sixteenth of a small machine's memory.
MOST_UNUSED = 512 * MIB
_ALIGNMENT = 64  # bytes: a line of the cache, as in PyTorch


class HostBlock(Allocation):
    """A block of the CPU's memory, in a form in which NumPy takes it for an array's memory."""

    __slots__ = ("__array_interface__",)

    __array_interface__: dict[str, Any]


class _System:
    """Where segments come from: NumPy, which asks the system for them, and for huge pages where there are any."""

    def reserve(self, nbytes: int) -> tuple[int, Any]:
        memory = numpy.empty(nbytes + _ALIGNMENT, numpy.uint8)
        return -(-memory.ctypes.data // _ALIGNMENT) * _ALIGNMENT, memory

    def release(self, nbytes: int) -> None:
        """NumPy gives the memory back once the segment is gone."""


POOL = CachingAllocator(sys.maxsize, _System(), most_unused=MOST_UNUSED)


def empty_bytes(nbytes: int) -> numpy.ndarray:
    """An array of `nbytes` bytes out of the pool, with whatever was there before; raises `NoRoom`."""
    held = POOL.allocate(nbytes, HostBlock)
    address = held.block.address
    held.__array_interface__ = {"data": (address, False), "shape": (nbytes,), "typestr": "|u1", "version": 3}
    return numpy.asarray(held)


# GNU's C allocator gives arrays above a threshold straight back to the system, and raises it, up to 32 MiB, to the size
# of the largest that it has seen go. Seeing one go now, of which no page is touched, spares kernels the page faults of
# their temporaries.
numpy.empty(32 * MIB - 2**16, numpy.uint8)


def _memory_of_the_machine() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not every system says
        return 16 * MOST_UNUSED


if _memory_of_the_machine() < 16 * MOST_UNUSED:
    POOL.limit(_memory_of_the_machine() // 16)
