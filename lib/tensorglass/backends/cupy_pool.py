"""CuPy's pool of device memory, observed.

CuPy has one settable function through which all its arrays get memory. Ours calls the previous one (CuPy's pool, unless
the user has set another) and reports to each device's `ObservedPool` what it got. CuPy keeps managing the pool; a block
is held by a `Lease`, and is freed with it.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from tensorglass.allocator.observed import ObservedPool

_POOLS: dict[int, ObservedPool] = defaultdict(ObservedPool)
_is_observed = False


class Lease:
    """The holder of a block: CuPy's memory object, which returns to the pool together with this."""

    __slots__ = ("_memory", "_pool")

    def __init__(self, memory: Any, pool: ObservedPool) -> None:
        self._memory, self._pool = memory, pool

    def __del__(self) -> None:
        self._pool.taken_back(self._memory.ptr)


def observed(cupy: Any, index: int) -> ObservedPool:
    """The record of CuPy's memory on one device; complete from the first call on."""
    global _is_observed
    if not _is_observed:
        _is_observed = True
        _observe(cupy)
    return _POOLS[index]


def _observe(cupy: Any) -> None:
    ask = cupy.cuda.get_allocator()

    class Segments(cupy.cuda.MemoryHook):
        name = "tensorglass"

        def __init__(self) -> None:
            self.rounded = 0

        def alloc_postprocess(self, **call: Any) -> None:
            if call["mem_ptr"]:
                _POOLS[call["device_id"]].reserved(call["mem_ptr"], call["mem_size"])

        def malloc_postprocess(self, **call: Any) -> None:
            self.rounded = call["mem_size"]

    def allocate(nbytes: int) -> Any:
        with Segments() as seen:  # CuPy keeps hooks for each thread
            pointer = ask(nbytes)
        memory = pointer.mem
        if not nbytes or memory.ptr == 0:
            return pointer
        pool = _POOLS[memory.device_id]
        pool.handed_out(memory.ptr, seen.rounded or memory.size, nbytes)
        held = cupy.cuda.UnownedMemory(memory.ptr, memory.size, Lease(memory, pool), memory.device_id)
        return cupy.cuda.MemoryPointer(held, 0)

    cupy.cuda.set_allocator(allocate)
