"""Streams and events of the simulated devices: queues of work, and marks in them.

Work on one stream runs in order, work on two streams concurrently. Values are still computed immediately; streams only
affect the simulated time.
"""

from __future__ import annotations

from itertools import count
from typing import Any

from tensorglass import backends
from tensorglass.backends.simulated.backend import SimulatedBackend
from tensorglass.backends.simulated.clock import CLOCK
from tensorglass.backends.streams import AnyStream, StreamContext
from tensorglass.core import devices
from tensorglass.core.devices import device as Device

_numbers = count(1)  # 0 is the stream that every device begins with


def _backend(device: Device | str | int | None) -> SimulatedBackend:
    if device is None or isinstance(device, int):
        index = devices.current_index("sim") if device is None else device
        device = devices.with_index("sim", index)
    backend: Any = backends.get(Device(device))
    if not isinstance(backend, SimulatedBackend):
        raise ValueError(f"Expected a sim device, but got: {device}")
    return backend


class Event:
    """A mark in a stream. The time between two marks is the simulated time of the work between them, in
    milliseconds.
    """

    def __init__(self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> None:
        self._is_timed = enable_timing
        self._moment: float | None = None

    def record(self, stream: Stream | None = None) -> None:
        """Put the mark after all work queued on the stream (by default the current one)."""
        key = (current_stream() if stream is None else stream).key
        self._moment = max(CLOCK.now, CLOCK.busy_until(key))

    def wait(self, stream: Stream | None = None) -> None:
        """Make the stream (by default the current one) wait until the mark is reached."""
        (current_stream() if stream is None else stream).wait_event(self)

    def query(self) -> bool:
        """Whether the mark has been reached."""
        return self._moment is None or self._moment <= CLOCK.now

    def synchronize(self) -> None:
        """Wait until the mark is reached."""
        if self._moment is not None:
            CLOCK.wait_for(self._moment)

    def elapsed_time(self, end_event: Event) -> float:
        """Simulated milliseconds from this mark to another. Both must have been reached."""
        if not (self._is_timed and end_event._is_timed):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self._moment is None or end_event._moment is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        if not (self.query() and end_event.query()):
            raise RuntimeError("Both events must be completed before calculating elapsed time.")
        return (end_event._moment - self._moment) * 1000


class Stream(AnyStream):
    """A queue of work on a simulated device. ``with sim.stream(s):`` sends the block's work there."""

    event_class = Event

    def __init__(self, device: Device | str | int | None = None, priority: int = 0) -> None:
        self._backend = _backend(device)
        self.number = next(_numbers)

    @classmethod
    def _numbered(cls, backend: SimulatedBackend, number: int) -> Stream:
        self = cls.__new__(cls)
        self._backend, self.number = backend, number
        return self

    @property
    def device(self) -> Device:
        """The device that it works on."""
        return self._backend.device

    @property
    def key(self) -> tuple[str, int]:
        """Its key in the clock."""
        return str(self.device), self.number

    def query(self) -> bool:
        """Whether all its work is done."""
        return CLOCK.busy_until(self.key) <= CLOCK.now

    def synchronize(self) -> None:
        """Wait until all its work is done."""
        CLOCK.wait_for(CLOCK.busy_until(self.key))

    def wait_event(self, event: Event) -> None:
        """Make further work wait until the mark is reached. The host does not wait."""
        if event._moment is not None:
            CLOCK.hold(self.key, event._moment)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return f"<tensorglass.sim.Stream device={self.device} number={self.number}>"


def current_stream(device: Device | str | int | None = None) -> Stream:
    """The stream that receives this thread's work on a device."""
    backend = _backend(device)
    return Stream._numbered(backend, backend.stream)


def default_stream(device: Device | str | int | None = None) -> Stream:
    """The stream that the device began with."""
    return Stream._numbered(_backend(device), 0)


def set_stream(stream: Stream) -> None:
    """Send this thread's work on the stream's device to the stream."""
    stream._backend.stream = stream.number


class stream(StreamContext):
    """In ``with stream(s):`` work on the device of `s` goes to it, and that device is the current one."""

    device_type = "sim"
    current_stream = staticmethod(current_stream)
    set_stream = staticmethod(set_stream)
