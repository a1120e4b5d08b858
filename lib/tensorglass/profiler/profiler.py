"""`profile`, which may follow a schedule of steps: some to wait, some to warm up, some to record."""

from __future__ import annotations

import gzip
import os
import socket
import time
from collections.abc import Callable, Iterable
from enum import Enum
from types import TracebackType
from typing import Any
from warnings import warn

from tensorglass.profiler import autograd_profiler
from tensorglass.profiler.autograd_profiler import kineto_available as kineto_available
from tensorglass.profiler.profiler_util import EventList
from tensorglass.profiler.recording import ProfilerActivity, record_function
from tensorglass.serialization.files import opened_to_write


class ProfilerAction(Enum):
    """What is to be done in a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3
    DEVICE_STOPPED = 4


_RECORDING = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Callable[[int], ProfilerAction]:
    """What to do in each step: cycles of steps that wait, warm up and record, of the given lengths.

    There are `repeat` cycles, or as many as there are steps if that is 0. They begin after `skip_first` steps; with
    `skip_first_wait` the first does not wait.
    """
    if wait < 0 or warmup < 0 or active <= 0 or repeat < 0 or skip_first < 0:
        raise AssertionError(
            f"Invalid profiler schedule arguments. Got wait={wait} (need >= 0), warmup={warmup} (need >= 0), "
            f"active={active} (need > 0), repeat={repeat} (need >= 0), skip_first={skip_first} (need >= 0)."
        )
    if warmup == 0:
        warn("Profiler won't be using warmup, this can skew profiler results", stacklevel=2)
    length = wait + warmup + active

    def action(step: int) -> ProfilerAction:
        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
        if step < skip_first:
            return ProfilerAction.NONE
        cycle, place = divmod(step - skip_first + (wait if skip_first_wait else 0), length)
        if place < wait or 0 < repeat <= cycle:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD_AND_SAVE if place == length - 1 else ProfilerAction.RECORD

    return action


def supported_activities() -> set[ProfilerActivity]:
    """What can be recorded: the CPU."""
    return {ProfilerActivity.CPU}


def _named(item: Any) -> Iterable[ProfilerActivity]:
    """The activities that an item of a list of them names: itself, or the keys of a dict."""
    return [
        activity for activity in (item if isinstance(item, dict) else [item]) if isinstance(activity, ProfilerActivity)
    ]


def tensorboard_trace_handler(
    dir_name: str, worker_name: str | None = None, use_gzip: bool = False, use_python_export: bool = False
) -> Callable[[profile], None]:
    """A handler for `on_trace_ready` that writes each trace to a file of its own in a folder."""

    def write(prof: profile) -> None:
        try:
            os.makedirs(dir_name, exist_ok=True)
        except Exception as error:
            raise RuntimeError("Can't create directory: " + dir_name) from error
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        name = f"{worker}.{time.time_ns()}.pt.trace.json{'.gz' if use_gzip else ''}"
        prof.export_chrome_trace(os.path.join(dir_name, name))

    return write


class profile:
    """A context that records what this thread calls, in all of its steps or in those that `schedule` says.

    `step` begins the next one. At the end of a cycle, and of the block, `on_trace_ready` is called with the profile.
    """

    def __init__(
        self,
        *,
        activities: Iterable[Any] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[[profile], Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        experimental_config: Any = None,
        execution_trace_observer: Any = None,
        acc_events: bool = False,
        use_cuda: bool | None = None,
        custom_trace_id_callback: Callable[[], str] | None = None,
        post_processing_timeout_s: float | None = None,
    ) -> None:
        known = (
            supported_activities()
            if activities is None
            else {activity for item in activities for activity in _named(item)}
        )
        self.activities = known
        if use_cuda is not None:
            warn("`use_cuda` is deprecated, use `activities` argument instead", FutureWarning, stacklevel=2)
        if not self.activities:
            raise AssertionError("No valid profiler activities found")
        self.record_shapes, self.profile_memory = record_shapes, profile_memory
        self.with_stack, self.with_flops, self.with_modules = with_stack, with_flops, with_modules
        self.acc_events = acc_events
        self.record_steps = schedule is not None
        self.schedule = schedule or (lambda _: ProfilerAction.RECORD)
        self.on_trace_ready = on_trace_ready
        self.step_num = 0
        self.step_rec_fn: record_function | None = None
        self.current_action = self.schedule(0)
        self.profiler: autograd_profiler.profile | None = None

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Begin the first step."""
        self._change(ProfilerAction.NONE, self.current_action)
        self._begin_step()

    def step(self) -> None:
        """End a step, and begin the next one."""
        self._end_step()
        before, self.step_num = self.current_action, self.step_num + 1
        self.current_action = self.schedule(self.step_num)
        self._change(before, self.current_action)
        self._begin_step()

    def stop(self) -> None:
        """End the last step."""
        self._end_step()
        self._change(self.current_action, None)

    def _begin_step(self) -> None:
        if self.record_steps:
            self.step_rec_fn = record_function(f"ProfilerStep#{self.step_num}")
            self.step_rec_fn.__enter__()

    def _end_step(self) -> None:
        if self.step_rec_fn is not None:
            self.step_rec_fn.__exit__(None, None, None)
            self.step_rec_fn = None

    def _change(self, before: ProfilerAction, after: ProfilerAction | None) -> None:
        """Go from one action to another, None at the end: what was recorded is kept until the next recording."""
        was_recording, is_saved = before in _RECORDING, before is ProfilerAction.RECORD_AND_SAVE
        goes_on = after in _RECORDING and not is_saved
        if before is ProfilerAction.WARMUP and after is ProfilerAction.NONE:
            warn("Incorrect schedule: WARMUP followed by NONE", stacklevel=4)
        if before is ProfilerAction.RECORD and after in (ProfilerAction.NONE, ProfilerAction.WARMUP):
            warn(f"Incorrect schedule: RECORD followed by {after.name}", stacklevel=4)
        if was_recording and not goes_on:
            if self.profiler is None:
                raise AssertionError("Profiler must be initialized before stopping trace")
            self.profiler.__exit__(None, None, None)
            if self.on_trace_ready and (is_saved or after is None):
                self.on_trace_ready(self)
        if after in _RECORDING and not (was_recording and goes_on):
            self.start_trace()

    def start_trace(self) -> None:
        """Begin to record."""
        if self.profiler is None or not self.acc_events:
            self.profiler = autograd_profiler.profile(
                record_shapes=self.record_shapes,
                with_flops=self.with_flops,
                profile_memory=self.profile_memory,
                with_stack=self.with_stack,
                acc_events=self.acc_events,
            )
        self.profiler.entered = False
        self.profiler.__enter__()

    def _recorded(self) -> autograd_profiler.profile:
        if self.profiler is None:
            raise AssertionError("Profiler must be initialized before getting key averages")
        return self.profiler

    def events(self) -> EventList:
        """What was recorded last, in the order in which it began."""
        if self.profiler is None:
            raise AssertionError("Profiler must be initialized before accessing events")
        return self.profiler.function_events

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> EventList:
        """The events added up by their names, or by names and shapes of the arguments."""
        return self._recorded().key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def export_chrome_trace(self, path: str, use_python_export: bool = False) -> None:
        """Write what was recorded last to a file for chrome://tracing and Perfetto, compressed if it ends in .gz."""
        if self.profiler is None:
            raise AssertionError("Profiler must be initialized before exporting chrome trace")
        if not path.endswith(".gz"):
            return self.profiler.export_chrome_trace(path)
        with opened_to_write(path) as file:
            file.write(gzip.compress(self.profiler.function_events._chrome_trace()))
        return None

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """There are no stacks to write: the file is empty, as PyTorch's is where none were recorded."""
        if self.profiler is None:
            raise AssertionError("Profiler must be initialized before exporting stacks")
        self.profiler.export_stacks(path, metric)
