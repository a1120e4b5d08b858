"""The version counter: how many in-place writes a tensor has seen, `x._version`.

A node of the graph notes the version of what it keeps (`graph.saved_tensor`), and refuses to use it once the version is
another one. Headers on one storage see each other's writes, so they count together, in `storage.version`. A header made
by `.data` or `set_` does not: it has its own counter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any


class VersionCounter:
    """Counts the in-place writes to a tensor that does not share its storage's count, and to views of that tensor."""

    __slots__ = ("count",)

    def __init__(self, count: int = 0) -> None:
        self.count = count


class CountsWrites:
    """The part of a tensor that counts its writes."""

    __slots__ = ()

    if TYPE_CHECKING:
        _counter: VersionCounter | None
        _meta: Any
        _storage: Any

    @property
    def _version(self) -> int:
        """How many in-place writes this tensor, and all that share its counter, have seen."""
        if self._meta is not None and self._meta.is_inference:
            raise RuntimeError("Inference tensors do not track version counter.")
        version: int = self._storage.version if self._counter is None else self._counter.count
        return version

    def _written(self) -> None:
        """Count one in-place write."""
        if self._counter is None:
            self._storage.version += 1
        else:
            self._counter.count += 1
