"""Who looks at a storage: the tensors that are headers on it, by weak references.

Most storages only ever have the header that they were made with. It is noted when a second one comes or when somebody
looks, and until then it costs nothing: 0.15 µs less for each result.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

from tensorglass.memory import Counted

_reference = weakref.ref


class Header:
    """What looks at a storage: tensors derive from it."""

    __slots__ = ()


class LookedAt(Counted):
    """What tensors are headers on: a storage."""

    __slots__ = ("_headers", "_prune_at")

    #: The oldest first. None as long as there is only the tensor that the storage was made with.
    _headers: list[Callable[[], Any]] | None
    _prune_at: int  #: how many headers are noted when those that are gone are forgotten

    def headers(self) -> list[Any]:
        """The tensors that are alive on this storage, the oldest first."""
        if self._headers is None or _somebody in self._headers[:1]:
            self._find_the_first()
        return self.noted_headers()

    def _find_the_first(self) -> None:
        """Note the tensor that this was made with, whom Python's garbage collector knows."""
        noted = self.noted_headers()
        for each in gc.get_referrers(self):
            if issubclass(type(each), Header) and each._storage is self and not any(each is other for other in noted):
                self._headers = [_reference(each), *(self._headers or ())[1:]]

    def noted_headers(self) -> list[Any]:
        """The tensors alive on this storage, but for the one that it was made with if nobody has asked for that."""
        noted = [reference() for reference in self._headers or () if reference is not _somebody]
        return [header for header in noted if header is not None]

    def note(self, header: Header) -> None:
        """Say which tensor this storage was made with, unless others have come to it since."""
        if self._headers is None:
            self._headers = [_reference(header)]

    def add_header(self, header: Header) -> None:
        """One more tensor looks at this storage."""
        if self._headers is None:
            self._headers = [_somebody]
        self._headers.append(_reference(header))
        if len(self._headers) > self._prune_at:
            self.forget_the_dead()

    def forget_the_dead(self) -> None:
        """Keep the references to tensors that are alive."""
        # Once they may be the majority: amortised, each header is looked at a few times.
        self._headers = [reference for reference in self._headers or () if reference() is not None]
        self._prune_at = max(64, 2 * len(self._headers))


def _somebody() -> Any:
    """In place of the reference to a tensor that was never noted: who looks is to find out, and not to forget it."""
    return _somebody
