"""Short names for storages: S0, S1, … in the order in which they are first seen.

The one idea: two memories that are alive at the same moment and overlap are the same memory, whoever allocated it. So a
storage is known by the bytes it holds for as long as it lives, and when it dies its name dies with it, even if the
allocator hands out the same address again. One sequence serves every library, hence a notebook prints the same names on
tensorglass and on PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass


@dataclass(frozen=True)
class Memory:
    """One run of bytes as a library describes it: where it lies, who it is, and how to tell that it died.

    `name` and `next_name` ask tensorglass for its own name of the storage, so that pictures and memory reports agree;
    other libraries' storages draw the next name of the same sequence.
    """

    device: str
    start: int
    nbytes: int
    identity: Hashable
    alive: Callable[[], bool]
    read: Callable[[int, int], bytes]
    new_name: Callable[[], str]
    version: int | None = None


@dataclass
class _Named:
    name: str
    device: str
    start: int
    end: int
    identity: Hashable
    alive: Callable[[], bool]


_named: list[_Named] = []


def name_of(memory: Memory) -> str:
    """The name of this memory; a new one is given when nothing alive holds these bytes."""
    _named[:] = [entry for entry in _named if entry.alive()]
    start, end = memory.start, memory.start + memory.nbytes
    found = next((entry for entry in _named if entry.identity == memory.identity), None)
    if found is not None:  # resize_ moves a storage: it stays the same storage
        found.start, found.end = start, end
        return found.name
    on_device = (entry for entry in _named if entry.device == memory.device)
    found = next((entry for entry in on_device if entry.start < end and start < entry.end), None)
    name = memory.new_name() if found is None else found.name
    _named.append(_Named(name, memory.device, start, end, memory.identity, memory.alive))
    return name
