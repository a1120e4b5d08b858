"""What the streams of all accelerators have in common."""

from __future__ import annotations

from typing import Any, ClassVar

from tensorglass.core import devices
from tensorglass.core.contexts import Context


class AnyStream:
    """A queue of work. The subclass for a device type defines events and how to wait for them."""

    event_class: ClassVar[Any]

    def wait_event(self, event: Any) -> None:
        """Make further work wait until the mark is reached. The host does not wait."""
        raise NotImplementedError

    def record_event(self, event: Any = None) -> Any:
        """Put a mark at the end of its work, and return it."""
        event = self.event_class() if event is None else event
        event.record(self)
        return event

    def wait_stream(self, stream: Any) -> None:
        """Make further work wait until the other stream has finished its present work. The host does not wait."""
        self.wait_event(stream.record_event())


class StreamContext(Context):
    """In ``with stream(s):`` work on the device of `s` goes to it, and that device is the current one."""

    device_type: ClassVar[str]
    current_stream: ClassVar[Any]  #: the functions of these names, as static methods
    set_stream: ClassVar[Any]

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def before(self) -> tuple[Any, int] | None:
        if self.stream is None:
            return None
        return self.current_stream(self.stream.device), devices.current_index(self.device_type)

    def begin(self, _: tuple[Any, int] | None) -> None:
        if self.stream is not None:
            self.set_stream(self.stream)
            devices.set_current_index(self.device_type, self.stream.device.index or 0)

    def end(self, note: tuple[Any, int] | None) -> None:
        if note is not None:
            self.set_stream(note[0])
            devices.set_current_index(self.device_type, note[1])
