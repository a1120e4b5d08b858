"""The tensors (headers) on a storage, kept as weak references.

Most storages only ever have the tensor that they were made with. It is recorded as soon as anything else may reach the
storage: before a second header is made on it, a graph keeps it, or a user gets it. Until then only that tensor knows
the storage, so that nobody can ask. A weak reference to every result would make a small addition 5 % slower.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from tensorglass.memory import Counted

_reference = weakref.ref


class LookedAt(Counted):
    """The base class of storages: keeps track of the tensors that look at it."""

    __slots__ = ("__dict__", "_headers")

    #: The oldest first. None as long as there is only the tensor that the storage was made with.
    _headers: list[Callable[[], Any]] | None
    _prune_at: int = 64  #: the number of recorded headers at which dead references are dropped

    def headers(self) -> list[Any]:
        """The tensors that are alive on this storage, the oldest first."""
        alive = [reference() for reference in self._headers or ()]
        return [header for header in alive if header is not None]

    def note(self, header: Any) -> None:
        """Record the tensor that this storage was made with: whoever gives the storage of a tensor away calls this."""
        if self._headers is None:
            self._headers = [_reference(header)]

    def add_header(self, header: Any) -> None:
        """Record one more tensor on this storage."""
        if self._headers is None:
            self._headers = []
        self._headers.append(_reference(header))
        if len(self._headers) > self._prune_at:
            self.forget_the_dead()

    def forget_the_dead(self) -> None:
        """Drop the references to tensors that are gone."""
        # The limit is set to twice what is left, so the amortized cost per header is constant.
        self._headers = [reference for reference in self._headers or () if reference() is not None]
        self._prune_at = max(64, 2 * len(self._headers))
