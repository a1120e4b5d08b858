"""Critical sections: one thread at a time, whatever is raised, and in a forked child too.

KeyboardInterrupt is an exception that may be raised almost anywhere: Python looks for signals when a function begins,
when a call has returned, and before a loop goes round again. A lock that is acquired and released by methods of one's
own (``__enter__``, ``__exit__``) may therefore stay locked. `CriticalSection.run` is written so that none of those
moments lies between the lock's own `acquire` and the `try` that releases it, nor between the end of the work and
`release`. Undoing work that was interrupted half done is up to its caller.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable
from threading import RLock, get_ident
from typing import TypeVar, TypeVarTuple, Unpack

Given = TypeVarTuple("Given")
R = TypeVar("R")

_all: weakref.WeakSet[CriticalSection] = weakref.WeakSet()


class CriticalSection:
    """What only one thread does at a time."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._thread = 0  #: the thread that is inside now
        _all.add(self)

    @property
    def is_entered(self) -> bool:
        """Whether this thread is inside: finalizers and signal handlers ask, since they may run in the middle of the
        work.
        """
        return self._thread == get_ident()

    def run(self, work: Callable[[Unpack[Given]], R], *arguments: *Given) -> R:
        """Run ``work(*arguments)`` once no other thread is inside."""
        me = get_ident()
        if self._thread == me:
            return work(*arguments)
        lock = self._lock
        try:
            lock.acquire()
            try:
                self._thread = me
                return work(*arguments)
            finally:
                self._thread = 0
        finally:
            try:  # noqa: SIM105  # `suppress` is a call: an interrupt could come before the lock is released
                lock.release()
            except RuntimeError:  # interrupted while it waited for the lock
                pass

    def run_if_free(self, work: Callable[[], None]) -> bool:
        """Run ``work()`` if no thread is inside, and return whether it ran. For finalizers, which must not wait."""
        me = get_ident()
        if self._thread == me:
            return False
        lock = self._lock
        try:
            if lock.acquire(blocking=False):
                try:
                    self._thread = me
                    work()
                    return True
                finally:
                    self._thread = 0
        finally:
            try:  # noqa: SIM105  # as above
                lock.release()
            except RuntimeError:  # it was not free
                pass
        return False

    def reset(self) -> None:
        """Forget the thread that was inside. A forked child calls this: it has one thread only, and not that one."""
        if not self.is_entered:
            self._lock, self._thread = RLock(), 0


def _reset() -> None:
    for section in list(_all):
        section.reset()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset)
