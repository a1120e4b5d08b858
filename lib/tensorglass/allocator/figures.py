"""The figures of an allocator, by PyTorch's names: how many allocations, how many bytes, now and at most.

The one idea to keep in mind: the figures of an allocator are changed in a copy, which then takes their place. So they
belong together at any moment.
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
#: Where a figure's number is in the lists of `Counters`.
_PLACES = {(name, pool): place for place, (name, pool) in enumerate(product(FIGURES, POOLS))}


def _pairs(number: str, size: str) -> tuple[tuple[tuple[int, int], ...], ...]:
    """The places of what changes in the large pool, and in the small one: that pool's figures, and those of all."""
    return tuple(
        tuple((_PLACES[number, where], _PLACES[size, where]) for where in ("all", pool))
        for pool in ("large_pool", "small_pool")
    )


# Each is looked up by `is_small`.
_BLOCKS = _pairs("allocation", "allocated_bytes")
_SEGMENTS = _pairs("segment", "reserved_bytes")
_SPLITS = _pairs("inactive_split", "inactive_split_bytes")
_REQUESTED = tuple(
    tuple(_PLACES["requested_bytes", where] for where in ("all", pool)) for pool in ("large_pool", "small_pool")
)
_ALLOCATED, _RESERVED = _PLACES["allocated_bytes", "all"], _PLACES["reserved_bytes", "all"]


class Counters:
    """The figures of one allocator, each for all memory and for either pool, and how often it ran out.

    Of each quantity there is what it is now, its peak, and its increases added up; the decreases follow from those.
    """

    __slots__ = ("_added", "_before", "_now", "_peak", "device_allocations", "device_frees", "failures", "retries")

    def __init__(self) -> None:
        self._now, self._peak, self._added = [0] * len(_PLACES), [0] * len(_PLACES), [0] * len(_PLACES)
        self._before = tuple(self._now)  # what there was when `_added` began at 0
        self.retries = 0  #: how often the cache was emptied to make room
        self.failures = 0  #: how often there was no room even then
        self.device_allocations = self.device_frees = 0

    def copy(self) -> Counters:
        """The same figures once more, to be changed."""
        made = Counters.__new__(Counters)
        made._now, made._peak, made._added = self._now.copy(), self._peak.copy(), self._added.copy()
        made._before = self._before
        made.retries, made.failures = self.retries, self.failures
        made.device_allocations, made.device_frees = self.device_allocations, self.device_frees
        return made

    @property
    def allocated(self) -> int:
        """Bytes in blocks that are handed out."""
        return self._now[_ALLOCATED]

    @property
    def reserved(self) -> int:
        """Bytes of segments."""
        return self._now[_RESERVED]

    def _grow(self, place: int, amount: int) -> None:
        self._added[place] += amount
        now = self._now[place] = self._now[place] + amount
        if now > self._peak[place]:
            self._peak[place] = now

    def _one_more(self, pairs: tuple[tuple[int, int], ...], nbytes: int) -> None:
        """There is one more, of so many bytes."""
        now, peak, added = self._now, self._peak, self._added
        for number, size in pairs:  # `_grow` written out: several change with every block
            added[number] += 1
            count = now[number] = now[number] + 1
            if count > peak[number]:
                peak[number] = count
            added[size] += nbytes
            total = now[size] = now[size] + nbytes
            if total > peak[size]:
                peak[size] = total

    def _one_less(self, pairs: tuple[tuple[int, int], ...], nbytes: int) -> None:
        """There is one less, of so many bytes."""
        now = self._now
        for number, size in pairs:
            now[number] -= 1
            now[size] -= nbytes

    def handed_out(self, is_small: bool, nbytes: int, requested: int) -> None:
        """A block of `nbytes` bytes was handed out, of which `requested` were asked for."""
        self._one_more(_BLOCKS[is_small], nbytes)
        for place in _REQUESTED[is_small]:
            self._grow(place, requested)

    def taken_back(self, is_small: bool, nbytes: int, requested: int) -> None:
        """Such a block was taken back."""
        self._one_less(_BLOCKS[is_small], nbytes)
        for place in _REQUESTED[is_small]:
            self._now[place] -= requested

    def got_segment(self, is_small: bool, nbytes: int) -> None:
        """A segment came from the device."""
        self.device_allocations += 1
        self._one_more(_SEGMENTS[is_small], nbytes)

    def released(self, is_small: bool, nbytes: int) -> None:
        """A segment went back to the device."""
        self.device_frees += 1
        self._one_less(_SEGMENTS[is_small], nbytes)

    def split_off(self, is_small: bool, nbytes: int) -> None:
        """There is one more free block that is but a part of its segment."""
        self._one_more(_SPLITS[is_small], nbytes)

    def used_up(self, is_small: bool, nbytes: int) -> None:
        """Such a block is no more."""
        self._one_less(_SPLITS[is_small], nbytes)

    def named(self) -> dict[str, int]:
        """Every figure under PyTorch's name for it, such as ``allocated_bytes.all.peak``, in alphabetical order."""
        named: dict[str, int] = {}
        for (name, pool), place in _PLACES.items():
            now, added = self._now[place], self._added[place]
            for called in (name, _ALSO_CALLED.get(name, name)):
                named[f"{called}.{pool}.current"] = now
                named[f"{called}.{pool}.peak"] = self._peak[place]
                named[f"{called}.{pool}.allocated"] = added
                named[f"{called}.{pool}.freed"] = self._before[place] + added - now
        named |= {
            "num_alloc_retries": self.retries,
            "num_ooms": self.failures,
            "num_device_alloc": self.device_allocations,
            "num_device_free": self.device_frees,
            "max_split_size": -1,
        }
        return dict(sorted(named.items()))

    def with_new_peaks(self) -> Counters:
        """The same figures, of which every peak starts again from what is there now."""
        made = self.copy()
        made._peak = made._now.copy()
        return made

    def with_new_totals(self) -> Counters:
        """The same figures, of which the sums of all increases and decreases start again from 0."""
        made = self.copy()
        made._added, made._before = [0] * len(_PLACES), tuple(made._now)
        made.retries = made.failures = 0
        return made
