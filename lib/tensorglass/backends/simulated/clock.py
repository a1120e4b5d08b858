"""Simulated time: how long kernels and transfers take on the simulated device, and what happened when.

Nothing is measured here. The host and each device have a clock; the host's advances by the cost of *issuing* work, the
device's by the cost of the work itself. Work is issued in far less time than it takes, so the host runs ahead, until
something waits: `synchronize`, a copy back, a value that Python wants to see.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import Any

from tensorglass.core.critical_section import CriticalSection

MICROSECOND = 1e-6
GIGABYTE = 1e9


@dataclass(frozen=True)
class CostModel:
    """What things cost on the simulated device: times in seconds, rates in bytes per second.

    The defaults are round numbers in the range of a present-day accelerator on a PCI Express bus.
    """

    launch: float = 5 * MICROSECOND  #: the host's time to issue a kernel
    kernel: float = 3 * MICROSECOND  #: the device's time for a kernel that does nothing
    memory_rate: float = 1000 * GIGABYTE  #: the rate at which kernels read and write the device's memory
    transfer: float = 10 * MICROSECOND  #: the latency of a transfer
    pageable_rate: float = 6 * GIGABYTE  #: the rate between the device and pageable host memory
    pinned_rate: float = 24 * GIGABYTE  #: the rate between the device and pinned host memory
    peer_rate: float = 50 * GIGABYTE  #: the rate between two devices
    reserve: float = 200 * MICROSECOND  #: asking the device for a segment of memory, or giving one back

    def of_kernel(self, nbytes: int) -> float:
        """The device's time for a kernel that reads and writes `nbytes` bytes: it is bound by memory."""
        return self.kernel + nbytes / self.memory_rate

    def of_transfer(self, nbytes: int, rate: float) -> float:
        """The time of a transfer."""
        return self.transfer + nbytes / rate

    def changed(self, **changes: float) -> CostModel:
        """The same model with some costs changed."""
        for name, value in changes.items():
            if not isinstance(value, int | float) or value < 0 or (value == 0 and name.endswith("_rate")):
                raise ValueError(f"{name} must be a number above zero, not {value!r}")
        return replace(self, **changes)


@dataclass(frozen=True)
class Happening:
    """One thing that a device did, in simulated seconds since the clocks began.

    `kind` is "kernel", "to device", "to host", "peer", "reserve" or "release". The host issued it at `issued`; the
    device worked on it from `start` to `end`.
    """

    kind: str
    name: str
    device: str
    stream: int
    nbytes: int
    issued: float
    start: float
    end: float
    waited: bool  #: whether the host waited until it had ended

    @property
    def duration(self) -> float:
        """The device's time for this event."""
        return self.end - self.start

    def __str__(self) -> str:
        times = f"{self.start * 1e6:>10.1f} .. {self.end * 1e6:>10.1f} µs"
        return f"{times}  {self.device}  stream {self.stream}  {self.kind:<9}  {self.nbytes:>12,} B  {self.name}"


_KEPT = 10_000  # happenings that are remembered: a long loop must not fill the memory


class Clock:
    """The clocks of the host and of every stream of every simulated device."""

    def __init__(self) -> None:
        self.costs = CostModel()
        self._section = CriticalSection()
        self._begin()

    def reset(self) -> None:
        """Restart at 0, and forget all events."""
        self._section.run(self._begin)

    def _begin(self) -> None:
        self.now = 0.0
        self._busy_until: dict[tuple[str, int], float] = {}
        self._happenings: deque[Happening] = deque(maxlen=_KEPT)

    def work(
        self, kind: str, name: str, stream: tuple[str, int], nbytes: int, issue: float, cost: float, *, waits: bool
    ) -> None:
        """The host takes `issue` seconds to issue work of `cost` seconds on a stream, and waits for it if `waits`."""

        def issue_it() -> None:
            issued = self.now
            start = max(issued + issue, self._busy_until.get(stream, 0.0))
            end = start + cost
            device, number = stream
            happening = Happening(kind, name, device, number, nbytes, issued, start, end, waits)
            now = end if waits else issued + issue
            # No calls in between, so no interrupt: either all of this happens, or nothing.
            self._busy_until[stream] = end
            self.now = now
            self._happenings += (happening,)

        self._section.run(issue_it)

    def stop_host(self, seconds: float, kind: str, stream: tuple[str, int], nbytes: int) -> None:
        """An operation that blocks host and device: reserving or releasing memory."""
        self.wait_for_device(stream[0])
        self.work(kind, "memory", stream, nbytes, 0.0, seconds, waits=True)

    def wait_for_device(self, device: str) -> None:
        """The host waits until all streams of a device are idle."""

        def wait() -> None:
            self.now = max([self.now, *(end for (where, _), end in self._busy_until.items() if where == device)])

        self._section.run(wait)

    def wait_for(self, moment: float) -> None:
        """The host waits until a point in time."""

        def wait() -> None:
            self.now = max(self.now, moment)

        self._section.run(wait)

    def busy_until(self, stream: tuple[str, int]) -> float:
        """When the stream will have finished all issued work."""
        return self._busy_until.get(stream, 0.0)

    def hold(self, stream: tuple[str, int], moment: float) -> None:
        """The stream is idle until a point in time: it waits for another stream's event."""

        def wait() -> None:
            self._busy_until[stream] = max(moment, self.busy_until(stream))

        self._section.run(wait)

    def happenings(self) -> list[Happening]:
        """What happened, the oldest first."""
        return self._section.run(lambda: list(self._happenings))


CLOCK = Clock()


def timeline() -> list[Any]:
    """What the simulated devices did, the oldest first."""
    return CLOCK.happenings()
