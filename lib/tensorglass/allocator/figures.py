"""The figures of an allocator, by PyTorch's names: how many allocations, how many bytes, now and at most."""

from __future__ import annotations


class Figure:
    """A quantity over time, as `memory_stats` reports it. Increases are added up; the decreases follow from them."""

    __slots__ = ("allocated", "before", "current", "peak")

    def __init__(self) -> None:
        self.current = self.peak = 0
        self.allocated = 0  #: all increases, added up
        self.before = 0  #: what there was when that began at 0

    @property
    def freed(self) -> int:
        """All decreases, added up."""
        return self.before + self.allocated - self.current

    def grow(self, amount: int) -> None:
        """Add `amount`."""
        self.allocated += amount
        self.current = current = self.current + amount
        if current > self.peak:
            self.peak = current


Pair = tuple[Figure, Figure]  # how many there are of something, and how many bytes they have


def _one_more(pairs: list[Pair], nbytes: int) -> None:
    """There is one more, of so many bytes."""
    for number, size in pairs:  # `Figure.grow` written out: several change with every block
        number.allocated += 1
        number.current = current = number.current + 1
        if current > number.peak:
            number.peak = current
        size.allocated += nbytes
        size.current = current = size.current + nbytes
        if current > size.peak:
            size.peak = current


def _one_less(pairs: list[Pair], nbytes: int) -> None:
    """There is one less, of so many bytes."""
    for number, size in pairs:
        number.current -= 1
        size.current -= nbytes


#: What is counted, by PyTorch's names: how many, and how many bytes.
FIGURES = (
    "allocation", "segment", "inactive_split",
    "allocated_bytes", "reserved_bytes", "inactive_split_bytes", "requested_bytes",
)  # fmt: skip
POOLS = ("all", "large_pool", "small_pool")
#: PyTorch's "active" blocks are those that are allocated and those that wait for a stream; here none does.
_ALSO_CALLED = {"allocation": "active", "allocated_bytes": "active_bytes"}


class Counters:
    """The figures of one allocator, each for all memory and for either pool, and how often it ran out."""

    def __init__(self) -> None:
        self.figures = {(name, pool): Figure() for name in FIGURES for pool in POOLS}
        self.retries = 0  #: how often the cache was emptied to make room
        self.failures = 0  #: how often there was no room even then
        self.device_allocations = self.device_frees = 0
        # Each is looked up by `is_small`.
        self._blocks = self._pairs("allocation", "allocated_bytes")
        self._segments = self._pairs("segment", "reserved_bytes")
        self._splits = self._pairs("inactive_split", "inactive_split_bytes")
        self._requested = [[size for _, size in pairs] for pairs in self._pairs("allocation", "requested_bytes")]

    def _pairs(self, number: str, size: str) -> list[list[Pair]]:
        """What changes in the large pool, and what in the small one: the figures of that pool, and those of all."""
        return [
            [(self.figures[number, where], self.figures[size, where]) for where in ("all", pool)]
            for pool in ("large_pool", "small_pool")
        ]

    def handed_out(self, is_small: bool, nbytes: int, requested: int) -> None:
        """A block of `nbytes` bytes was handed out, of which `requested` were asked for."""
        _one_more(self._blocks[is_small], nbytes)
        for figure in self._requested[is_small]:
            figure.grow(requested)

    def taken_back(self, is_small: bool, nbytes: int, requested: int) -> None:
        """Such a block was taken back."""
        _one_less(self._blocks[is_small], nbytes)
        for figure in self._requested[is_small]:
            figure.current -= requested

    def reserved(self, is_small: bool, nbytes: int) -> None:
        """A segment came from the device."""
        self.device_allocations += 1
        _one_more(self._segments[is_small], nbytes)

    def released(self, is_small: bool, nbytes: int) -> None:
        """A segment went back to the device."""
        self.device_frees += 1
        _one_less(self._segments[is_small], nbytes)

    def split_off(self, is_small: bool, nbytes: int) -> None:
        """There is one more free block that is but a part of its segment."""
        _one_more(self._splits[is_small], nbytes)

    def used_up(self, is_small: bool, nbytes: int) -> None:
        """Such a block is no more."""
        _one_less(self._splits[is_small], nbytes)

    def named(self) -> dict[str, int]:
        """Every figure under PyTorch's name for it, such as ``allocated_bytes.all.peak``, in alphabetical order."""
        named = {
            f"{called}.{pool}.{aspect}": getattr(figure, aspect)
            for (name, pool), figure in self.figures.items()
            for called in (name, _ALSO_CALLED.get(name, name))
            for aspect in ("current", "peak", "allocated", "freed")
        }
        named |= {
            "num_alloc_retries": self.retries,
            "num_ooms": self.failures,
            "num_device_alloc": self.device_allocations,
            "num_device_free": self.device_frees,
            "max_split_size": -1,
        }
        return dict(sorted(named.items()))

    def reset_peaks(self) -> None:
        """Let every peak start again from what is there now."""
        for figure in self.figures.values():
            figure.peak = figure.current

    def reset_totals(self) -> None:
        """Let the sums of all increases and decreases start again from 0."""
        for figure in self.figures.values():
            figure.allocated, figure.before = 0, figure.current
        self.retries = self.failures = 0
