"""The tensors (headers) on a storage, kept as weak references.

Most storages only ever have the header that they were made with. To save time, it is recorded only when a second header
is added or when `headers` is called: a weak reference to every result would make a small addition 5 % slower.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorglass.memory import Counted

_reference = weakref.ref


class Header:
    """A view of a storage: the base class of tensors."""

    __slots__ = ()

    if TYPE_CHECKING:  # attached to Tensor by `graph` and `ops`
        backward: Any
        data: Any
        grad: Any

        def __getitem__(self, index: Any) -> Any: ...
        def __setitem__(self, index: Any, value: Any) -> None: ...


class LookedAt(Counted):
    """The base class of storages: keeps track of the tensors that look at it."""

    __slots__ = ("__dict__", "_headers")

    #: The oldest first. None as long as there is only the tensor that the storage was made with.
    _headers: list[Callable[[], Any]] | None
    _prune_at: int = 64  #: the number of recorded headers at which dead references are dropped

    def headers(self) -> list[Any]:
        """The tensors that are alive on this storage, the oldest first.

        If the tensor that the storage was made with is not recorded, it is looked for among the objects that Python's
        garbage collector knows. `gc.freeze` hides objects there: such a tensor is missing until it is recorded.
        """
        if self._headers is None or _not_noted in self._headers[:1]:
            self._find_the_first()
        return self.noted_headers()

    def _find_the_first(self) -> None:
        """Record the tensor that this storage was made with, or that it is gone, if the garbage collector can tell."""
        first = self._unnoted()
        if first is not None:
            self.note(first)
        elif not gc.get_freeze_count():
            self._headers = (self._headers or [])[1:]

    def _unnoted(self) -> Header | None:
        """A live tensor on this storage that is not recorded yet."""
        noted = {id(header) for header in self.noted_headers()}
        for referrer in gc.get_referrers(self):
            if issubclass(type(referrer), Header) and referrer._storage is self and id(referrer) not in noted:
                return referrer
        return None

    def noted_headers(self) -> list[Any]:
        """The recorded live tensors: all of them, except perhaps the one that the storage was made with."""
        noted = [reference() for reference in self._headers or () if reference is not _not_noted]
        return [header for header in noted if header is not None]

    def note(self, header: Header) -> None:
        """Record a tensor on this storage if it is the one that the storage was made with."""
        headers = self._headers
        if headers is None:
            self._headers = [_reference(header)]
        elif headers and headers[0] is _not_noted and not any(noted() is header for noted in headers):
            headers[0] = _reference(header)

    def add_header(self, header: Header) -> None:
        """Record one more tensor on this storage."""
        if self._headers is None:
            self._headers = [_not_noted]
        self._headers.append(_reference(header))
        if len(self._headers) > self._prune_at:
            self.forget_the_dead()

    def forget_the_dead(self) -> None:
        """Drop the references to tensors that are gone."""
        # The limit is set to twice what is left, so the amortized cost per header is constant.
        self._headers = [reference for reference in self._headers or () if reference() is not None]
        self._prune_at = max(64, 2 * len(self._headers))


def _not_noted() -> Any:
    """Stands for the reference to the first tensor, which `_find_the_first` looks for; it never counts as dead."""
    return _not_noted
