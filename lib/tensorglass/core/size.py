"""`Size`: the tuple of a tensor's lengths, printed as PyTorch prints it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from operator import index as as_index
from typing import Any, SupportsIndex, overload

from tensorglass.core.errors import Named


class Size(tuple[int, ...], metaclass=Named, pytorchs="torch.Size"):
    """A tuple of ints that knows how many elements a tensor of this size has.

    >>> torch.Size([2, 3]).numel(), torch.Size([2, 3])[1:]
    (6, torch.Size([3]))
    """

    __slots__ = ()

    def __new__(cls, lengths: Iterable[SupportsIndex] = ()) -> Size:
        ints = []
        for place, length in enumerate(lengths):
            try:
                ints.append(as_index(length))
            except TypeError:
                kind = type(length).__name__
                raise TypeError(f"torch.Size() takes an iterable of 'int' (item {place} is '{kind}')") from None
        return tuple.__new__(cls, ints)

    def numel(self) -> int:
        """The number of elements: the product of the lengths, 1 for no dimensions."""
        return math.prod(self)

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"

    @overload
    def __getitem__(self, index: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Size: ...
    def __getitem__(self, index: Any) -> Any:
        lengths = tuple.__getitem__(self, index)
        return tuple.__new__(Size, lengths) if isinstance(index, slice) else lengths

    def __add__(self, other: Any) -> Size:
        if not isinstance(other, tuple):
            raise TypeError(f"can only concatenate tuple (not {type(other).__name__}) to torch.Size")
        return Size(tuple.__add__(self, other))

    def __radd__(self, other: Any) -> Size:
        if not isinstance(other, tuple):
            return NotImplemented
        return Size(tuple.__add__(other, self))

    def __mul__(self, times: SupportsIndex) -> Size:
        if not hasattr(times, "__index__"):
            raise TypeError(f"can't multiply sequence by non-int of type '{type(times).__name__}'")
        return Size(tuple.__mul__(self, times))

    __rmul__ = __mul__
