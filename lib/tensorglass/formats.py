"""Layouts and memory formats: the named ways in which a tensor's elements may lie in its storage."""

from __future__ import annotations


class layout:
    """How a tensor's elements are stored. `strided` is the only one that tensorglass has."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> str:
        return self._name


class memory_format:
    """The order in which a new dense tensor's dimensions lie in memory."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> str:
        return self._name


strided = layout("strided")

contiguous_format = memory_format("contiguous_format")  #: the last dimension is innermost
preserve_format = memory_format("preserve_format")  #: the order of the source, where it is dense
channels_last = memory_format("channels_last")  #: (N, C, H, W) with C innermost
channels_last_3d = memory_format("channels_last_3d")  #: (N, C, D, H, W) with C innermost
