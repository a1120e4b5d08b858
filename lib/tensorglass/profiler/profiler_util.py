"""What was recorded, as lists of events and as PyTorch's tables of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from typing import Any

from tensorglass.profiler.recording import Event
from tensorglass.serialization.files import opened_to_write

_COLUMN = 12  #: the least width of a column
_UNITS = ((1e6, "s"), (1e3, "ms"), (1.0, "us"))  #: how many microseconds each has


class DeviceType(Enum):
    """Where an event ran; PyTorch knows more of them."""

    CPU = 0

    def __repr__(self) -> str:
        return f"DeviceType.{self.name}"

    __str__ = __repr__


def _time(microseconds: float, unit: str | None = None) -> str:
    for length, name in _UNITS:
        if unit == name or (unit is None and (microseconds >= length or name == "us")):
            return f"{microseconds / length:.3f}{name}"
    raise ValueError(f"a unit of time is s, ms or us, and not {unit!r}")


def _share(part: float, whole: float) -> str:
    return f"{part * 100.0 / whole:.2f}%" if whole else "NaN"


def _memory(nbytes: int) -> str:
    for power, name in ((3, "GB"), (2, "MB"), (1, "KB")):
        if abs(nbytes) >= 1024**power:
            return f"{nbytes / 1024**power:.2f} {name}"
    return f"{nbytes} B"


class Interval:
    """A stretch of time, in microseconds since the profile began."""

    def __init__(self, start: float, end: float) -> None:
        self.start, self.end = start, end

    def elapsed_us(self) -> float:
        """Its length."""
        return self.end - self.start


class _Times:
    """What events and averages have in common: no times of devices, and times as text."""

    count: int
    cpu_time_total: Any
    self_cpu_time_total: Any

    node_id = -1
    is_async = is_remote = is_legacy = False
    use_device = None
    overload_name = ""
    stack: tuple[str, ...] = ()
    device_type = DeviceType.CPU
    device_time = device_time_total = self_device_time_total = 0.0
    device_memory_usage = self_device_memory_usage = flops = 0

    @property
    def cpu_time(self) -> float:
        """The mean time of a call, in microseconds."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def cpu_time_str(self) -> str:
        """`cpu_time` with its unit."""
        return _time(self.cpu_time)

    @property
    def cpu_time_total_str(self) -> str:
        """`cpu_time_total` with its unit."""
        return _time(self.cpu_time_total)

    @property
    def self_cpu_time_total_str(self) -> str:
        """`self_cpu_time_total` with its unit."""
        return _time(self.self_cpu_time_total)


class FunctionEvent(_Times):
    """One call, with the events within it."""

    count = 1

    def __init__(self, number: int, event: Event, origin: int) -> None:
        self.id = number
        self.trace_name = event.name
        self.name = "ProfilerStep*" if event.name.startswith("ProfilerStep#") else event.name  # one row for all steps
        self.time_range = Interval((event.start - origin) / 1000, (event.end - origin) / 1000)
        self.thread = 1
        self.input_shapes = event.shapes
        self.cpu_memory_usage = event.size
        self.sequence_nr = event.sequence_nr
        self.is_user_annotation = event.is_annotation
        self.cpu_parent: FunctionEvent | None = None
        self.cpu_children: list[FunctionEvent] = []

    @property
    def key(self) -> str:
        """What `key_averages` groups by: the name."""
        return self.name

    @property
    def cpu_time_total(self) -> float:
        """The time of the call, in microseconds."""
        return self.time_range.elapsed_us()

    @property
    def self_cpu_time_total(self) -> float:
        """`cpu_time_total` without the events within it."""
        return self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    @property
    def self_cpu_memory_usage(self) -> int:
        """`cpu_memory_usage` without the events within it."""
        return self.cpu_memory_usage - sum(child.cpu_memory_usage for child in self.cpu_children)

    def __repr__(self) -> str:
        return (
            f"<FunctionEvent id={self.id} name={self.name} overload_name= device_type={self.device_type} "
            f"node_id={self.node_id} cpu_time={self.cpu_time_str} start_us={self.time_range.start} "
            f"end_us={self.time_range.end} cpu_children={[child.id for child in self.cpu_children]} None_time=0.000us "
            f"name={self.name} thread={self.thread} input_shapes={self.input_shapes} "
            f"cpu_memory_usage={self.cpu_memory_usage} None_memory_usage=0 is_async=False is_remote=False "
            f"seq_nr={self.sequence_nr} is_legacy=False>"
        )


class FunctionEventAvg(_Times):
    """The events of one key, added up."""

    def __init__(self) -> None:
        self.key: str | None = None
        self.count = 0
        self.cpu_time_total = self.self_cpu_time_total = 0.0
        self.cpu_memory_usage = self.self_cpu_memory_usage = 0
        self.input_shapes: Any = None
        self.cpu_parent: FunctionEvent | None = None
        self.is_user_annotation = False

    def add(self, other: FunctionEvent | FunctionEventAvg) -> FunctionEventAvg:
        """Add an event, or what was added up of several, of the same key."""
        if self.key is None:
            self.key, self.input_shapes, self.cpu_parent = other.key, other.input_shapes, other.cpu_parent
            self.is_user_annotation = other.is_user_annotation
        if other.key != self.key:
            raise AssertionError(f"Expected keys to match, but got {other.key} vs {self.key}")
        self.cpu_time_total += other.cpu_time_total
        self.self_cpu_time_total += other.self_cpu_time_total
        self.cpu_memory_usage += other.cpu_memory_usage
        self.self_cpu_memory_usage += other.self_cpu_memory_usage
        self.count += other.count
        return self

    __iadd__ = add

    def __repr__(self) -> str:
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} "
            f"cpu_time={self.cpu_time_str}  self_cuda_time=0.000us cuda_time=0.000us "
            f"input_shapes={self.input_shapes} cpu_memory_usage={self.cpu_memory_usage} cuda_memory_usage=0>"
        )


class EventList(list[Any]):
    """Events in the order in which they began, or averages of them."""

    def __init__(self, events: Iterable[Any] = (), *, profile_memory: bool = False) -> None:
        super().__init__(events)
        self._profile_memory = profile_memory

    @classmethod
    def of(cls, events: Iterable[Event], origin: int, profile_memory: bool) -> EventList:
        """The events of a recording that began at `origin`, each with its parent and its children."""
        events_of = {event: FunctionEvent(number, event, origin) for number, event in enumerate(events, 1)}
        for event, listed in events_of.items():
            listed.cpu_parent = None if event.parent is None else events_of.get(event.parent)
            listed.cpu_children = [events_of[child] for child in event.children]
        return cls(events_of.values(), profile_memory=profile_memory)

    def __str__(self) -> str:
        return self.table()

    @property
    def self_cpu_time_total(self) -> float:
        """The time of all events, each without those within it, in microseconds."""
        return sum(event.self_cpu_time_total for event in self)

    def key_averages(
        self, group_by_input_shapes: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> EventList:
        """The events added up by their names, or by names and shapes of the arguments.

        There are neither stacks nor overloads to group by, as in PyTorch where they are not recorded.
        """
        averages: dict[tuple[Any, ...], FunctionEventAvg] = {}
        for event in self:
            key = (event.key, event.is_user_annotation, str(event.input_shapes) if group_by_input_shapes else None)
            averages.setdefault(key, FunctionEventAvg()).add(event)
        for average in averages.values():
            if not group_by_input_shapes:
                average.input_shapes = ""
        return EventList(averages.values(), profile_memory=self._profile_memory)

    def total_average(self) -> FunctionEventAvg:
        """All events added up, whatever their names."""
        total = FunctionEventAvg()
        for event in self:
            total.key = event.key if total.count else None
            total.add(event)
        total.key = "Total"
        return total

    def export_chrome_trace(self, path: str) -> None:
        """Write the events to a file that chrome://tracing and Perfetto show."""
        with opened_to_write(path) as file:
            file.write(self._chrome_trace())

    def _chrome_trace(self) -> bytes:
        events = [
            {
                "name": event.name,
                "ph": "X",
                "ts": event.time_range.start,
                "dur": event.time_range.elapsed_us(),
                "tid": event.thread,
                "pid": "CPU functions",
                "cat": "user_annotation" if event.is_user_annotation else "cpu_op",
                "args": {"Input Dims": event.input_shapes} if event.input_shapes else {},
            }
            for event in self
        ]
        return json.dumps({"schemaVersion": 1, "traceEvents": events}).encode()

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int = 75,
        max_name_column_width: int | None = 55,
        max_shapes_column_width: int | None = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
        time_unit: str | None = None,
    ) -> str:
        """The events as a table, sorted by one of their attributes, such as "self_cpu_time_total", the largest first.

        It has `row_limit` rows at most, all if it is -1, and those within others only if `top_level_events_only` is
        False. Times are in `time_unit`, "s", "ms" or "us", or each in its own.
        """
        if not self:
            return ""
        events = list(self)
        if sort_by is not None:
            key = sort_by.replace("cuda", "device").replace("xpu", "device").replace("privateuse1", "device")
            events.sort(key=lambda event: getattr(event, key), reverse=True)
        total = self.self_cpu_time_total
        longest = max(len(event.key) for event in events) + 4
        name_width = longest if max_name_column_width is None else min(longest, max_name_column_width)

        def named(name: str) -> str:
            is_long = max_name_column_width is not None and len(name) >= max_name_column_width - 3
            return f"{name[: name_width - 3]}..." if is_long else name

        columns: list[tuple[str, int, Callable[[Any], str]]] = [
            ("Name", name_width, lambda event: named(event.key)),
            ("Self CPU %", _COLUMN, lambda event: _share(event.self_cpu_time_total, total)),
            ("Self CPU", _COLUMN, lambda event: _time(event.self_cpu_time_total, time_unit)),
            ("CPU total %", _COLUMN, lambda event: _share(event.cpu_time_total, total)),
            ("CPU total", _COLUMN, lambda event: _time(event.cpu_time_total, time_unit)),
            ("CPU time avg", _COLUMN, lambda event: _time(event.cpu_time, time_unit)),
        ]
        if self._profile_memory:
            columns += [
                ("CPU Mem", _COLUMN, lambda event: _memory(event.cpu_memory_usage)),
                ("Self CPU Mem", _COLUMN, lambda event: _memory(event.self_cpu_memory_usage)),
            ]
        columns.append(("# of Calls", _COLUMN, lambda event: str(event.count)))
        if any(event.input_shapes for event in events):
            longest = max(len(str(event.input_shapes)) for event in events) + 4
            width = longest if max_shapes_column_width is None else min(longest, max_shapes_column_width)
            columns.append(("Input Shapes", width, lambda event: str(event.input_shapes)[:width]))
        shown = [event for event in events if not (top_level_events_only and event.cpu_parent is not None)]
        return "\n".join(
            [
                *_headings(header, top_level_events_only, sum(width + 2 for _, width, _ in columns) - 2),
                *_lines(columns, shown if row_limit < 0 else shown[:row_limit]),
                f"Self CPU time total: {_time(total, time_unit)}\n",
            ]
        )


def _headings(header: str | None, top_level_only: bool, width: int) -> Iterator[str]:
    if header is not None:
        yield from ("=" * width, header)
    if top_level_only:
        yield from ("=" * width, "This report only display top-level ops statistics")


def _lines(columns: list[tuple[str, int, Callable[[Any], str]]], events: list[Any]) -> Iterator[str]:
    rule = "".join(f"{'-' * width}  " for _, width, _ in columns)
    yield from (rule, "".join(f"{title:>{width}}  " for title, width, _ in columns), rule)
    for event in events:
        yield "".join(f"{text(event):>{width}}  " for _, width, text in columns)
    yield rule
