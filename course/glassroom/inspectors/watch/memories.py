"""What a watch asks of every tensor after each step: which memory it has, of how many bytes, and its version. The one
idea: a tensor that was met before, on the storage that it had then, need not be described again. No tensor is kept
alive.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Hashable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from glassroom.reading.adapters import Description, described, is_plain, without_modes, without_overrides


@dataclass(frozen=True, slots=True)
class Held:
    """The memory of a tensor at one look."""

    library: str
    identity: Hashable
    nbytes: int
    version: int | None


@dataclass(slots=True)
class _Met:
    """A tensor that was met: its storage's address, which nothing else of PyTorch's gets as long as `extent` refers to
    it, and what was `held` at the last look.
    """

    reference: weakref.ref[Any]
    address: int
    extent: object
    held: Held

    def is_of(self, tensor: object) -> bool:
        return self.reference() is tensor


class Memories:
    """The memories of the tensors of one program."""

    def __init__(self) -> None:
        self._met: dict[int, _Met] = {}  # by the ids of tensors
        self._ended: list[_Met] = []  # since the last look, whose memories may still be in its record

    def begin_look(self) -> None:
        """Forget the tensors that had ended by the look before."""
        ended = [number for number, met in self._met.items() if met.reference() is None]
        self._ended = [self._met.pop(number) for number in ended]

    def of(
        self, tensors: Iterable[object], descriptions: dict[int, Description | None] | None = None
    ) -> dict[int, Held | None]:
        """The memory of each tensor, by its id; None for those without readable memory. Descriptions that had to be
        made are put into `descriptions`.
        """
        found: dict[int, Held | None] = {}
        made: dict[int, Description | None] = {} if descriptions is None else descriptions
        with _if_there(without_overrides), _if_there(without_modes):
            for tensor in tensors:
                number = id(tensor)
                if number not in found:
                    found[number] = self._again(tensor) or self._anew(tensor, made)
        return found

    def _again(self, tensor: Any) -> Held | None:
        """The memory of a plain tensor that was met on the same storage; None if there is none such."""
        met = self._met.get(id(tensor))
        if met is None or not met.is_of(tensor):
            return None
        held = met.held
        try:
            storage = tensor.untyped_storage()
            if met.address == (storage._cdata if held.library == "torch" else id(storage)):
                nbytes, version = storage.nbytes(), tensor._version
                if (held.nbytes, held.version) != (nbytes, version):
                    met.held = held = Held(held.library, (held.library, met.address), nbytes, version)
                return held
        except (RuntimeError, AttributeError):
            pass
        return None

    def _anew(self, tensor: object, made: dict[int, Description | None]) -> Held | None:
        description = made[id(tensor)] = description_of(tensor)
        if description is None:
            return None
        memory = description.memory
        held = Held(description.library, memory.identity, memory.nbytes, description.version)
        if description.version is not None and is_plain(tensor):
            address = memory.identity[1]  # type: ignore[index]  # a pair, of the library and the storage's address
            self._met[id(tensor)] = _Met(weakref.ref(tensor), address, memory.extent, held)
        return held


def description_of(tensor: object) -> Description | None:
    """The description of a tensor; None if it has no readable memory."""
    try:
        return described(tensor)
    except TypeError:
        return None


def _if_there(block: Callable[[str], AbstractContextManager[object]]) -> AbstractContextManager[object]:
    return block("torch") if "torch" in sys.modules else nullcontext()
