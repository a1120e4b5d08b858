"""Contexts that always restore: what a ``with`` statement changed is put back even if an interrupt arrives midway.

KeyboardInterrupt may be raised at the beginning of any function, including `__exit__`, and then none of its lines run.
So the statement does not hold a method. It holds a callable that is made for this one entry, that nothing else refers
to and that is not written in Python. The statement calls it and then drops its reference, whether the call succeeded or
not. If the call did not succeed, the callable's finalizer restores the state.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any


class _Entry:
    """One entry into a block."""

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
    """Remove the last entry of a block and return it."""
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
    """What a ``with`` statement holds: `_leave` of one entry. Its finalizer calls `_leave` again if that is needed."""

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
        leave = _Leave(_leave, entry)  # made before the entry is recorded: if this is interrupted, it undoes the entry
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
        """Restore the state that `before` returned. An interrupted call is repeated, so this must be idempotent."""
        raise NotImplementedError

    def __enter__(self) -> Any:
        entry = _taken(_thread.beginning, self)
        is_by_hand = entry is None
        entry = entry or _Entry(self)
        entry.note = note = self.before()
        entry.is_open = True
        entered = self.begin(note)
        if is_by_hand:
            _thread.by_hand.append(entry)
        return entered

    __exit__ = _Exit()


class setting(Context):
    """A context in which attributes of an object temporarily have other values."""

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
