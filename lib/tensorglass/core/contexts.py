"""Contexts whose end cannot be lost: what a ``with`` statement changes is put back, wherever an interrupt comes.

KeyboardInterrupt may be raised where any function begins, `__exit__` too, and then not a line of it runs. So what the
statement holds is no method, but a callable made for this one entry, which nothing else holds and which is not written
in Python. The statement calls it, and lets go of it whether the call came through or not; where it did not, the
callable's own end puts things back.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any


class _Entry:
    """One time that a block is entered."""

    __slots__ = ("block", "is_open", "is_over", "note")

    def __init__(self, block: Context) -> None:
        self.block = block
        self.is_open = self.is_over = False
        self.note: Any = None


class _Thread(threading.local):
    def __init__(self) -> None:
        self.beginning: list[_Entry] = []  #: begun by ``with`` statements that have not called `__enter__` yet
        self.by_hand: list[_Entry] = []  #: begun by calls of `__enter__` without such a statement


_thread = _Thread()


def _taken(entries: list[_Entry], block: Context) -> _Entry | None:
    """The last entry of a block, taken out."""
    if entries and entries[-1].block is block:
        return entries.pop()
    for place in range(len(entries) - 1, -1, -1):
        if entries[place].block is block:
            return entries.pop(place)
    return None


def _leave(entry: _Entry, *_: object) -> None:
    if entry.is_open:
        entry.block.end(entry.note)
        entry.is_open = False
    elif entry in _thread.beginning:  # interrupted before `__enter__`
        _thread.beginning.remove(entry)
    entry.is_over = True
    entry.note = None


class _Leave(partial[None]):
    """What a statement holds: `_leave` of one entry, which is called again when the statement lets go, if need be."""

    __slots__ = ()

    def __del__(self) -> None:
        if not self.args[0].is_over:
            self()


class _Exit:
    """`__exit__` of a block, looked up by a ``with`` statement just before it calls `__enter__`."""

    def __get__(self, block: Context | None, _: type | None = None) -> Callable[..., None]:
        if block is None:
            return self  # `contextlib.ExitStack` looks here, and calls what it finds
        by_hand = _thread.by_hand
        entry = _taken(by_hand, block) if by_hand else None
        is_beginning = entry is None
        entry = entry or _Entry(block)
        leave = _Leave(_leave, entry)  # before the entry is noted, which it takes back if this is interrupted
        if is_beginning:
            _thread.beginning.append(entry)
        return leave

    def __call__(self, block: Context, *error: object) -> None:
        self.__get__(block)(*error)


class Context:
    """A context. Subclasses say what is to be put back, how it begins and how it ends."""

    __slots__ = ()

    def before(self) -> Any:
        """What `end` needs to put things back. It changes nothing."""

    def begin(self, note: Any) -> Any:
        """Make the change. Returns what ``as`` names."""
        raise NotImplementedError

    def end(self, note: Any) -> None:
        """Put things back, by what `before` returned. An interrupted call is made again, so twice must be as once."""
        raise NotImplementedError

    def __enter__(self) -> Any:
        entry = _taken(_thread.beginning, self)
        is_by_hand = entry is None
        entry = entry or _Entry(self)
        entry.note = note = self.before()
        entry.is_open = True
        found = self.begin(note)
        if is_by_hand:
            _thread.by_hand.append(entry)
        return found

    __exit__ = _Exit()


class setting(Context):
    """A block in which attributes of an object have other values."""

    __slots__ = ("_owner", "_values")

    def __init__(self, owner: Any, **values: Any) -> None:
        self._owner = owner
        self._values = values

    def before(self) -> dict[str, Any]:
        return {name: getattr(self._owner, name) for name in self._values}

    def begin(self, _: dict[str, Any]) -> None:
        self._set(self._values)

    def end(self, note: dict[str, Any]) -> None:
        self._set(note)

    def _set(self, values: dict[str, Any]) -> None:
        for name, value in values.items():
            setattr(self._owner, name, value)
