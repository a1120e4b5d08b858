"""The figures of an allocator, by PyTorch's names: how many allocations, how many bytes, now and at most."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Figure:
    """A quantity over time, as `memory_stats` reports it."""

    current: int = 0
    peak: int = 0
    allocated: int = 0  #: all increases, added up
    freed: int = 0  #: all decreases, added up

    def change(self, amount: int) -> None:
        """Add `amount`, which may be negative."""
        self.current += amount
        if amount > 0:
            self.allocated += amount
            if self.current > self.peak:
                self.peak = self.current
        else:
            self.freed -= amount


#: What is counted, by PyTorch's names: how many, and how many bytes.
FIGURES = (
    "allocation", "segment", "inactive_split",
    "allocated_bytes", "reserved_bytes", "inactive_split_bytes", "requested_bytes",
)  # fmt: skip
POOLS = ("all", "large_pool", "small_pool")
#: PyTorch's "active" blocks are those that are allocated and those that wait for a stream; here none does.
_ALSO_CALLED = {"allocation": "active", "allocated_bytes": "active_bytes"}


@dataclass
class Counters:
    """The figures of one allocator, each for all memory and for either pool, and how often it ran out."""

    figures: dict[tuple[str, str], Figure] = field(
        default_factory=lambda: {(name, pool): Figure() for name in FIGURES for pool in POOLS}
    )
    retries: int = 0  #: how often the cache was emptied to make room
    failures: int = 0  #: how often there was no room even then
    device_allocations: int = 0
    device_frees: int = 0

    def __post_init__(self) -> None:
        self._of_blocks = {
            is_small: [
                tuple([self.figures[name, pool] for name in ("allocation", "allocated_bytes", "requested_bytes")])
                for pool in ("all", "small_pool" if is_small else "large_pool")
            ]
            for is_small in (True, False)
        }

    def change(self, name: str, is_small: bool, amount: int) -> None:
        """Add `amount` to the figure `name`, of all memory and of the pool."""
        self.figures[name, "all"].change(amount)
        self.figures[name, "small_pool" if is_small else "large_pool"].change(amount)

    def block(self, is_small: bool, sign: int, nbytes: int, requested: int) -> None:
        """A block was handed out (`sign` 1) or taken back (-1)."""
        for number, allocated, asked_for in self._of_blocks[is_small]:
            number.change(sign)
            allocated.change(sign * nbytes)
            asked_for.change(sign * requested)

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
            figure.allocated = figure.freed = 0
        self.retries = self.failures = 0
