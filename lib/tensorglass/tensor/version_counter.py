"""The version counter: how many in-place writes a tensor has seen, `x._version`.

A node of the graph notes the version of what it keeps (`graph.saved_tensor`), and refuses to use it once the version is
another one. Headers on one storage see each other's writes, so they count together, in `storage.version`. A header that
came about by `.data` or `set_` does not: it has a counter of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any


class VersionCounter:
    """Counts the in-place writes of a header that does not count with its storage, and of the views of it."""

    __slots__ = ("count",)

    def __init__(self, count: int = 0) -> None:
        self.count = count


class CountsWrites:
    """What a tensor knows of its writes."""

    __slots__ = ()

    if TYPE_CHECKING:
        _counter: VersionCounter | None
        _meta: Any
        _storage: Any

    @property
    def _version(self) -> int:
        """How many in-place writes this tensor and those that share its counter have seen."""
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
