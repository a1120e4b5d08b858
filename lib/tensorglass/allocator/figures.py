"""The figures of an allocator, by PyTorch's names: how many allocations, how many bytes, now and at most.

The figures of an allocator are changed in a copy, which then replaces them. So they are consistent at any moment.
"""

from __future__ import annotations

from itertools import product

#: What is counted, by PyTorch's names: how many, and how many bytes.
FIGURES = (
    "allocation", "segment", "inactive_split",
    "allocated_bytes", "reserved_bytes", "inactive_split_bytes", "requested_bytes",
)  # fmt: skip
POOLS = ("all", "large_pool", "small_pool")
#: PyTorch's "active" blocks are those that are allocated and those that wait for a stream; here none does.
_ALSO_CALLED = {"allocation": "active", "allocated_bytes": "active_bytes"}
# The positions of a figure's numbers in the list of `Counters`: the current value, then at fixed distances its peak and
# the sum of its increases.
_PLACES = {(name, pool): place for place, (name, pool) in enumerate(product(FIGURES, POOLS))}
_PEAK, _ADDED = len(_PLACES), 2 * len(_PLACES)
_RETRIES, _FAILURES, _GOT, _RELEASED = range(3 * len(_PLACES), 3 * len(_PLACES) + 4)

Pairs = tuple[tuple[int, int], ...]  # places: how many there are of something, and how many bytes they have


def _pairs(number: str, size: str) -> tuple[Pairs, Pairs]:
    """The figures that change for the large pool and for the small one: those of that pool, and the totals."""
    large, small = (
        tuple((_PLACES[number, where], _PLACES[size, where]) for where in ("all", pool))
        for pool in ("large_pool", "small_pool")
    )
    return large, small


# Each is looked up by `is_small`.
_BLOCKS = _pairs("allocation", "allocated_bytes")
_SEGMENTS = _pairs("segment", "reserved_bytes")
_SPLITS = _pairs("inactive_split", "inactive_split_bytes")
_REQUESTED = [[size for _, size in pairs] for pairs in _pairs("allocation", "requested_bytes")]
_ALLOCATED, _RESERVED = _PLACES["allocated_bytes", "all"], _PLACES["reserved_bytes", "all"]


class Counters:
    """The figures of one allocator, each for all memory and for either pool, and how often it ran out."""

    __slots__ = ("_before", "_values")

    def __init__(self, values: list[int] | None = None, before: tuple[int, ...] = (0,) * len(_PLACES)) -> None:
        self._values = [0] * (_RELEASED + 1) if values is None else values
        self._before = before  # the values when the increases were last reset; decreases follow from them

    def copy(self) -> Counters:
        """A copy of the figures, to be changed."""
        return Counters(self._values.copy(), self._before)

    @property
    def allocated(self) -> int:
        """Bytes in blocks that are handed out."""
        return self._values[_ALLOCATED]

    @property
    def reserved(self) -> int:
        """Bytes of segments."""
        return self._values[_RESERVED]

    def _grow(self, place: int, amount: int) -> None:
        values = self._values
        values[place + _ADDED] += amount
        now = values[place] = values[place] + amount
        if now > values[place + _PEAK]:
            values[place + _PEAK] = now

    def _one_more(self, pairs: Pairs, nbytes: int) -> None:
        """Count one more, of this many bytes."""
        values = self._values
        for number, size in pairs:  # `_grow`, inlined: several figures change with every block
            values[number + _ADDED] += 1
            now = values[number] = values[number] + 1
            if now > values[number + _PEAK]:
                values[number + _PEAK] = now
            values[size + _ADDED] += nbytes
            now = values[size] = values[size] + nbytes
            if now > values[size + _PEAK]:
                values[size + _PEAK] = now

    def _one_less(self, pairs: Pairs, nbytes: int) -> None:
        """Count one less, of this many bytes."""
        values = self._values
        for number, size in pairs:
            values[number] -= 1
            values[size] -= nbytes

    def handed_out(self, is_small: bool, nbytes: int, requested: int) -> None:
        """A block of `nbytes` bytes was handed out, of which `requested` were asked for."""
        self._one_more(_BLOCKS[is_small], nbytes)
        for place in _REQUESTED[is_small]:
            self._grow(place, requested)

    def taken_back(self, is_small: bool, nbytes: int, requested: int) -> None:
        """Such a block was taken back."""
        self._one_less(_BLOCKS[is_small], nbytes)
        for place in _REQUESTED[is_small]:
            self._values[place] -= requested

    def got_segment(self, is_small: bool, nbytes: int) -> None:
        """A segment came from the device."""
        self._values[_GOT] += 1
        self._one_more(_SEGMENTS[is_small], nbytes)

    def released(self, is_small: bool, nbytes: int) -> None:
        """A segment went back to the device."""
        self._values[_RELEASED] += 1
        self._one_less(_SEGMENTS[is_small], nbytes)

    def split_off(self, is_small: bool, nbytes: int) -> None:
        """One more free block is only a part of its segment."""
        self._one_more(_SPLITS[is_small], nbytes)

    def used_up(self, is_small: bool, nbytes: int) -> None:
        """Such a block is no more."""
        self._one_less(_SPLITS[is_small], nbytes)

    def retried(self) -> None:
        """The cache is emptied to make room."""
        self._values[_RETRIES] += 1

    def failed(self) -> None:
        """There was no room even then."""
        self._values[_FAILURES] += 1

    def named(self) -> dict[str, int]:
        """Every figure under PyTorch's name for it, such as ``allocated_bytes.all.peak``, in alphabetical order."""
        values = self._values
        named: dict[str, int] = {}
        for (name, pool), place in _PLACES.items():
            now, added = values[place], values[place + _ADDED]
            for called in (name, _ALSO_CALLED.get(name, name)):
                named[f"{called}.{pool}.current"] = now
                named[f"{called}.{pool}.peak"] = values[place + _PEAK]
                named[f"{called}.{pool}.allocated"] = added
                named[f"{called}.{pool}.freed"] = self._before[place] + added - now
        named |= {
            "num_alloc_retries": values[_RETRIES],
            "num_ooms": values[_FAILURES],
            "num_device_alloc": values[_GOT],
            "num_device_free": values[_RELEASED],
            "max_split_size": -1,
        }
        return dict(sorted(named.items()))

    def with_new_peaks(self) -> Counters:
        """A copy of the figures, with every peak reset to the current value."""
        values = self._values
        return Counters([*values[:_PEAK], *values[:_PEAK], *values[_ADDED:]], self._before)

    def with_new_totals(self) -> Counters:
        """A copy of the figures, with the sums of increases and decreases reset to 0."""
        values = self._values
        return Counters([*values[:_ADDED], *[0] * (_RETRIES - _ADDED), 0, 0, *values[_GOT:]], tuple(values[:_PEAK]))
