"""The tensors that are headers on a storage, by weak references.

Most storages only ever have the header that they were made with. To save time, it is noted only when a second header
comes or when `headers` is called.
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
    """What tensors are headers on: the base class of storages."""

    __slots__ = ("__dict__", "_headers")

    #: The oldest first. None as long as there is only the tensor that the storage was made with.
    _headers: list[Callable[[], Any]] | None
    _prune_at: int = 64  #: how many headers are noted when those that are gone are forgotten

    def headers(self) -> list[Any]:
        """The tensors that are alive on this storage, the oldest first."""
        if self._headers is None or _not_noted in self._headers[:1]:
            self._find_the_first()
        return self.noted_headers()

    def _find_the_first(self) -> None:
        """Note the tensor that this was made with, found by Python's garbage collector."""
        noted = self.noted_headers()
        for each in gc.get_referrers(self):
            if issubclass(type(each), Header) and each._storage is self and not any(each is other for other in noted):
                self._headers = [_reference(each), *(self._headers or ())[1:]]

    def noted_headers(self) -> list[Any]:
        """The live tensors that are noted: all but, perhaps, the one that the storage was made with."""
        noted = [reference() for reference in self._headers or () if reference is not _not_noted]
        return [header for header in noted if header is not None]

    def note(self, header: Header) -> None:
        """Note the tensor that this storage was made with, unless headers are noted already."""
        if self._headers is None:
            self._headers = [_reference(header)]

    def add_header(self, header: Header) -> None:
        """Note one more tensor on this storage."""
        if self._headers is None:
            self._headers = [_not_noted]
        self._headers.append(_reference(header))
        if len(self._headers) > self._prune_at:
            self.forget_the_dead()

    def forget_the_dead(self) -> None:
        """Keep the references to tensors that are alive."""
        # The limit doubles with what is left, so that the cost per header stays constant on average.
        self._headers = [reference for reference in self._headers or () if reference() is not None]
        self._prune_at = max(64, 2 * len(self._headers))


def _not_noted() -> Any:
    """Stands for the reference to the first tensor, which `_find_the_first` looks for; it never counts as dead."""
    return _not_noted
