"""``torch.autograd.profiler``: the profile without a schedule, which prints as a table."""

from __future__ import annotations

from time import perf_counter_ns
from types import TracebackType
from typing import Any
from warnings import warn

from tensorglass.core.refusing import refusing
from tensorglass.profiler.profiler_util import EventList, FunctionEvent, FunctionEventAvg
from tensorglass.profiler.recording import ProfilerActivity, Recording, current, record_function

__all__ = [
    "EventList",
    "FunctionEvent",
    "FunctionEventAvg",
    "ProfilerActivity",
    "emit_itt",
    "emit_nvtx",
    "kineto_available",
    "profile",
    "record_function",
]

__getattr__ = refusing("autograd.profiler")


def kineto_available() -> bool:
    """True: what needs PyTorch's library of that name, a profile of operators, can be recorded."""
    return True


class profile:
    """A context in which what this thread calls is recorded."""

    def __init__(
        self,
        enabled: bool = True,
        *,
        use_cuda: bool = False,
        use_device: str | None = None,
        record_shapes: bool = False,
        with_flops: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_modules: bool = False,
        use_kineto: bool = False,
        use_cpu: bool = True,
        experimental_config: Any = None,
        acc_events: bool = False,
        custom_trace_id_callback: Any = None,
        post_processing_timeout_s: float | None = None,
        activity_filters: Any = None,
    ) -> None:
        self.enabled = enabled
        if use_cuda:
            warn(
                "The attribute `use_cuda` will be deprecated soon, please use ``use_device = 'cuda'`` instead.",
                FutureWarning,
                stacklevel=2,
            )
        device = "cuda" if use_cuda else use_device
        if not use_cpu and not use_kineto:
            raise AssertionError("Device-only events supported only with Kineto (use_kineto=True)")
        if device == "cuda":
            warn("CUDA is not available, disabling CUDA profiling", stacklevel=2)
        elif device == "xpu":
            warn("XPU is not available, disabling XPU profiling", stacklevel=2)
        elif device is not None:
            warn(f"The {device} is not a valid device option.", stacklevel=2)
        self.record_shapes, self.profile_memory = record_shapes or with_flops, profile_memory
        self.with_stack, self.acc_events = with_stack, acc_events
        self.use_device = None
        self.entered = False
        self._recording: Recording | None = None
        self._origin = 0
        self._function_events: EventList | None = None

    def __enter__(self) -> profile | None:
        if not self.enabled:
            return None
        if self.entered:
            raise RuntimeError("Profiler context manager is not reentrant")
        if current.recording is not None:
            raise RuntimeError("Profiler is already enabled on this thread.")
        self.entered = True
        self._origin = perf_counter_ns()
        self._recording = Recording(self.record_shapes)
        self._recording.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        if not self.enabled or self._recording is None:
            return None
        recording, self._recording = self._recording, None
        recording.stop()
        before = self._function_events if self.acc_events else None
        self._function_events = EventList.of(recording.events, self._origin, self.profile_memory)
        self._function_events += before or ()
        return False

    def __repr__(self) -> str:
        return "<unfinished torch.autograd.profile>" if self._function_events is None else repr(self._function_events)

    def __str__(self) -> str:
        return "<unfinished torch.autograd.profile>" if self._function_events is None else str(self._function_events)

    @property
    def function_events(self) -> EventList:
        """What was recorded, in the order in which it began."""
        return EventList() if self._function_events is None else self._function_events

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int = 75,
        max_name_column_width: int | None = 55,
        max_shapes_column_width: int | None = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
    ) -> str:
        """The table of all events; see `EventList.table`."""
        return self.function_events.table(
            sort_by,
            row_limit,
            max_src_column_width,
            max_name_column_width,
            max_shapes_column_width,
            header,
            top_level_events_only,
        )

    def export_chrome_trace(self, path: str) -> None:
        """Write the events to a file that chrome://tracing and Perfetto show."""
        self.function_events.export_chrome_trace(path)

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """There are no stacks to write: the file is empty, as PyTorch's is where none were recorded."""
        if not self.with_stack:
            raise AssertionError("export_stacks() requires with_stack=True")
        open(path, "w", encoding="utf-8").close()

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> EventList:
        """The events added up by their names, or by names and shapes."""
        return self.function_events.key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def total_average(self) -> FunctionEventAvg:
        """All events added up."""
        return self.function_events.total_average()

    @property
    def self_cpu_time_total(self) -> float:
        """The time of all events, each without those within it, in microseconds."""
        return self.function_events.self_cpu_time_total


class emit_nvtx:
    """Marks for NVIDIA's profilers, which only CUDA can make: an AssertionError at entering, if `enabled`."""

    def __init__(self, enabled: bool = True, record_shapes: bool = False) -> None:
        self.enabled, self.record_shapes = enabled, record_shapes

    def __enter__(self) -> emit_nvtx | None:
        if self.enabled:
            raise AssertionError("Torch not compiled with CUDA enabled")
        return None

    def __exit__(self, *error: object) -> None:
        """End the block, in which nothing was marked."""


class emit_itt:
    """Marks for Intel's VTune, which is not supported: the block just runs."""

    def __init__(self, enabled: bool = True, record_shapes: bool = False) -> None:
        self.enabled, self.record_shapes = enabled, record_shapes

    def __enter__(self) -> emit_itt:
        return self

    def __exit__(self, *error: object) -> None:
        """End the block."""
