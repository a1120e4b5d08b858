"""`Size`: the tuple of a tensor's lengths, printed as PyTorch prints it."""

from __future__ import annotations

import math
from typing import Any, SupportsIndex, overload


class Size(tuple[int, ...]):
    """A tuple of ints that knows how many elements a tensor of this size has.

    >>> Size([2, 3]).numel(), Size([2, 3])[1:]
    (6, torch.Size([3]))
    """

    __slots__ = ()

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
        found = tuple.__getitem__(self, index)
        return Size(found) if isinstance(index, slice) else found

    def __add__(self, other: Any) -> Size:
        return Size(tuple.__add__(self, tuple(other)))

    def __mul__(self, times: SupportsIndex) -> Size:
        return Size(tuple.__mul__(self, times))

    __rmul__ = __mul__
