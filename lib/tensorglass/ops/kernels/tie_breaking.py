"""Which of equal elements is chosen, where the value says nothing: the one that PyTorch's kernels for the CPU come by.

They swap elements until those that are asked for stand where they belong, and which of equal ones that is follows from
the swaps. Small tensors, whose positions people read, are taken through the same swaps here; of larger ones any will
do. `keys` are the elements' ranks, so that equal elements have equal keys and NaN the highest; positions are moved.

Sources: C. A. R. Hoare, "Algorithm 65: Find", 1961; D. R. Musser, "Introspective Sorting and Selection Algorithms",
1997, as C++'s `std::nth_element` and `std::sort` have them; Press et al., "Numerical Recipes", chapter "Selecting the
Mth Largest".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST

_SMALL = 512  # elements
FEW = 16  #: so many or fewer are sorted by inserting one after the other, which leaves equal ones in their order


def is_small(xp: Any, array: Array) -> bool:
    """Whether the array is one whose equal elements are told apart."""
    return xp is HOST.xp and array.size <= _SMALL


def has_equals(ranked: Array, axis: int) -> bool:
    """Whether elements that are in order along `axis`, from the least on, may have equals among them."""
    before = (slice(None),) * axis
    return not (ranked[(*before, slice(-1))] < ranked[(*before, slice(1, None))]).all()  # also where the last is NaN


def along(xp: Any, array: Array, axis: int, pick: Callable[[list[int]], list[int]]) -> Array:
    """The positions that `pick` finds in the keys of each row along `axis`."""
    rows = xp.moveaxis(array, axis, -1)
    keys = xp.unique(rows, return_inverse=True)[1].reshape(-1, rows.shape[-1])
    found = xp.asarray([pick(row) for row in keys.tolist()], "int64")
    return xp.moveaxis(found.reshape(*rows.shape[:-1], -1), -1, axis)


def is_by_swaps(count: int, length: int) -> bool:
    """Whether PyTorch finds the best so many of a row by swaps; fewer of more it keeps in a heap on its way along."""
    return count * 64 > length


def least(keys: list[int], count: int, is_sorted: bool) -> list[int]:
    """The positions of the `count` least keys as `topk` lists them, where it finds them by swaps."""
    places = list(range(len(keys)))
    first, last = 0, len(keys)
    while last - first > 3:
        cut = _parted(places, keys, first, last)
        first, last = (cut, last) if cut < count else (first, cut)
    places[first:last] = sorted(places[first:last], key=keys.__getitem__)
    if is_sorted:
        _sort(places, keys, 0, count - 1)
    return places[:count]


def order(keys: list[int]) -> list[int]:
    """The positions in order as `sort` lists them, and as `mode` looks at them."""
    places = list(range(len(keys)))
    _sort(places, keys, 0, len(keys))
    return places


def _sort(places: list[int], keys: list[int], first: int, last: int) -> None:
    begin, stack = first, [(first, last)]
    while stack:
        first, end = stack.pop()
        while end - first > FEW:
            cut = _parted(places, keys, first, end)
            stack.append((cut, end))
            end = cut
    places[begin:last] = sorted(places[begin:last], key=keys.__getitem__)


def _parted(places: list[int], keys: list[int], first: int, last: int) -> int:
    """Swap positions until those before the cut have keys no greater than those after it. Returns the cut."""
    middle = _median(places, keys, first + 1, first + (last - first) // 2, last - 1)
    places[first], places[middle] = places[middle], places[first]
    pivot, low, high = keys[places[first]], first + 1, last
    while True:
        while keys[places[low]] < pivot:
            low += 1
        high -= 1
        while pivot < keys[places[high]]:
            high -= 1
        if low >= high:
            return low
        places[low], places[high] = places[high], places[low]
        low += 1


def _median(places: list[int], keys: list[int], one: int, two: int, three: int) -> int:
    first, second, third = keys[places[one]], keys[places[two]], keys[places[three]]
    if first < second:
        return two if second < third else three if first < third else one
    return one if first < third else three if second < third else two


def ranked(keys: list[int], rank: int) -> int:
    """The position of the key of this rank, from 0 on, that `kthvalue` finds."""
    places = list(range(len(keys)))
    left, right = 0, len(keys) - 1

    def swap(one: int, other: int) -> None:
        places[one], places[other] = places[other], places[one]

    def put_in_order(one: int, other: int) -> None:
        if keys[places[one]] > keys[places[other]]:
            swap(one, other)

    while right > left + 1:
        swap(left + (right - left) // 2, left + 1)
        put_in_order(left + 1, right)
        put_in_order(left, right)
        put_in_order(left + 1, left)
        low, high, pivot = left + 1, right, keys[places[left]]
        while True:
            low += 1
            while keys[places[low]] < pivot:
                low += 1
            high -= 1
            while keys[places[high]] > pivot:
                high -= 1
            if high < low:
                break
            swap(low, high)
        swap(left, high)
        if high <= rank:
            left = low
        if high >= rank:
            right = high - 1
    if right == left + 1:
        put_in_order(left, right)
    return places[rank]
