"""Layouts and memory formats: the named ways in which a tensor's elements may lie in its storage."""

from __future__ import annotations

from typing import Any, Self

from tensorglass.core.errors import Named


class _Named(metaclass=Named):
    """One of a few values that are compared by ``is``, and that print as their name in ``torch``."""

    __slots__ = ("_name",)

    _name: str

    def __new__(cls, *arguments: Any, **keywords: Any) -> Self:
        raise TypeError(f"cannot create 'torch.{cls.__name__}' instances")

    @classmethod
    def _define(cls, name: str) -> Self:
        self = object.__new__(cls)
        self._name = name
        return self

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> str:
        return self._name


class layout(_Named, pytorchs="torch.layout"):
    """How a tensor's elements are stored. Every tensor here is `strided`: programs ask about the others."""

    __slots__ = ()


class memory_format(_Named, pytorchs="torch.memory_format"):
    """The order in which a new dense tensor's dimensions lie in memory."""

    __slots__ = ()


strided = layout._define("strided")
sparse_coo = layout._define("sparse_coo")
sparse_csr = layout._define("sparse_csr")
sparse_csc = layout._define("sparse_csc")
sparse_bsr = layout._define("sparse_bsr")
sparse_bsc = layout._define("sparse_bsc")

contiguous_format = memory_format._define("contiguous_format")  #: the last dimension is innermost
legacy_contiguous_format = contiguous_format  #: an older name
preserve_format = memory_format._define("preserve_format")  #: the order of the source, if it is dense
channels_last = memory_format._define("channels_last")  #: (N, C, H, W) with C innermost
channels_last_3d = memory_format._define("channels_last_3d")  #: (N, C, D, H, W) with C innermost
