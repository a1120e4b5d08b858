"""Short names for storages: S0, S1, … in the order in which they are first seen.

The one idea: two memories that are alive at the same moment and overlap are the same memory, whoever
allocated it. So a storage is known by the bytes it holds for as long as it lives, and when it dies its name
dies with it, even if the allocator hands out the same address again. One sequence serves every library, hence
a notebook prints the same names on tensorglass and on PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass


@dataclass(frozen=True)
class Memory:
    """One run of bytes as a library describes it.

    `extent` says where the bytes lie now (resizing moves them), or None once they are gone, and holds the
    storage weakly. `read` takes a range of bytes. `new_name` asks tensorglass for its own name of the
    storage, so that pictures and memory reports agree; other libraries' storages draw the next name of the
    same sequence.
    """

    device: str
    start: int
    nbytes: int
    identity: Hashable
    extent: Callable[[], tuple[int, int] | None]
    read: Callable[[int, int], bytes]
    new_name: Callable[[], str]
    version: int | None = None


@dataclass(frozen=True)
class _Named:
    name: str
    device: str
    identity: Hashable
    extent: Callable[[], tuple[int, int] | None]

    def holds_some_of(self, memory: Memory) -> bool:
        start, end = self.extent() or (0, 0)
        return self.device == memory.device and start < memory.start + memory.nbytes and memory.start < end


_named: list[_Named] = []


def name_of(memory: Memory) -> str:
    """The name of this memory; a new one is given when nothing alive holds these bytes."""
    _named[:] = [entry for entry in _named if entry.extent() is not None]
    for entry in _named:
        if entry.identity == memory.identity:
            return entry.name
    sharer = next((entry for entry in _named if entry.holds_some_of(memory)), None)
    name = memory.new_name() if sharer is None else sharer.name
    _named.append(_Named(name, memory.device, memory.identity, memory.extent))
    return name


def is_alive(name: str) -> bool:
    """Whether the storage of this name still holds its bytes."""
    return any(entry.name == name and entry.extent() is not None for entry in _named)
