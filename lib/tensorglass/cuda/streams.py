"""CUDA streams and events with PyTorch's names, on CuPy's."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tensorglass import backends
from tensorglass.backends.cupy_backend import FAMILY
from tensorglass.backends.streams import AnyStream, StreamContext
from tensorglass.core import devices
from tensorglass.core.devices import device as Device
from tensorglass.core.errors import explained


def _cupy(what: str) -> Any:
    """CuPy; PyTorch's error for `what` where there is no device for it."""
    if not FAMILY.count():
        raise explained(RuntimeError(f"torch.cuda.{what} requires CUDA support"), "There is no CUDA device here.")
    return import_module("cupy")


def _index(device: Device | str | int | None) -> int:
    if device is None:
        return devices.current_index("cuda")
    if isinstance(device, int):
        return device
    index = Device(device).index
    return devices.current_index("cuda") if index is None else index


class Event:
    """A mark in a stream; the time between two of them is measured by the device."""

    def __init__(self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> None:
        self._event = _cupy("Event").cuda.Event(blocking, not enable_timing, interprocess)

    def record(self, stream: Stream | None = None) -> None:
        """Put the mark after all work queued on the stream (by default the current one)."""
        self._event.record(None if stream is None else stream.cupy)

    def wait(self, stream: Stream | None = None) -> None:
        """Make the stream, by default the current one, wait for the mark."""
        (current_stream() if stream is None else stream).wait_event(self)

    def query(self) -> bool:
        """Whether the mark has been reached."""
        return bool(self._event.done)

    def synchronize(self) -> None:
        """Wait until the mark is reached."""
        self._event.synchronize()

    def elapsed_time(self, end_event: Event) -> float:
        """Milliseconds from this mark to another."""
        return float(import_module("cupy").cuda.get_elapsed_time(self._event, end_event._event))


class Stream(AnyStream):
    """A queue of work on a CUDA device. ``with cuda.stream(s):`` sends the block's work there."""

    event_class = Event

    def __init__(self, device: Device | str | int | None = None, priority: int = 0) -> None:
        cupy = _cupy("Stream")
        self.device = devices.with_index("cuda", _index(device))
        with cupy.cuda.Device(self.device.index):
            self.cupy = cupy.cuda.Stream(non_blocking=True, priority=priority)

    @classmethod
    def _of(cls, stream: Any, index: int) -> Stream:
        self = cls.__new__(cls)
        self.device, self.cupy = devices.with_index("cuda", index), stream
        return self

    def query(self) -> bool:
        """Whether all its work is done."""
        return bool(self.cupy.done)

    def synchronize(self) -> None:
        """Wait until all its work is done."""
        self.cupy.synchronize()

    def wait_event(self, event: Event) -> None:
        """Make further work wait until the mark is reached. The host does not wait."""
        self.cupy.wait_event(event._event)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and self.cupy == other.cupy

    def __hash__(self) -> int:
        return hash(self.cupy)

    def __repr__(self) -> str:
        return f"<torch.cuda.Stream device={self.device} cuda_stream={self.cupy.ptr:#x}>"


def current_stream(device: Device | str | int | None = None) -> Stream:
    """The stream on which this thread's work on a device goes."""
    index = _index(device)
    backends.get(devices.with_index("cuda", index))  # raises where there is none
    return Stream._of(import_module("cupy").cuda.get_current_stream(index), index)


def default_stream(device: Device | str | int | None = None) -> Stream:
    """The stream that the device began with."""
    index = _index(device)
    backends.get(devices.with_index("cuda", index))
    return Stream._of(import_module("cupy").cuda.Stream.null, index)


def set_stream(stream: Stream) -> None:
    """Make this the stream of this thread's work on its device."""
    with import_module("cupy").cuda.Device(stream.device.index):
        stream.cupy.use()


class stream(StreamContext):
    """In ``with stream(s):`` work on the device of `s` goes to it, and that device is the current one."""

    device_type = "cuda"
    current_stream = staticmethod(current_stream)
    set_stream = staticmethod(set_stream)
