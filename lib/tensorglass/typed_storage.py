"""The typed face of a storage: elements instead of bytes. PyTorch keeps it for old code and warns that it will go."""

from __future__ import annotations

from tensorglass.dtypes import dtype as DType
from tensorglass.storage import UntypedStorage


class TypedStorage:
    """A storage read as elements of one dtype."""

    __slots__ = ("_dtype", "_storage")

    def __init__(self, *, wrap_storage: UntypedStorage, dtype: DType) -> None:
        self._storage = wrap_storage
        self._dtype = dtype
