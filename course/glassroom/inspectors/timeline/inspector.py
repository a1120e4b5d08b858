"""`memory_timeline()`: what a block of code allocates, frees and copies, event by event."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, overload

from glassroom.inspectors.base import Inspector, Makers
from glassroom.inspectors.timeline.comparison import MemoryComparison
from glassroom.inspectors.timeline.failure import variables_at
from glassroom.inspectors.timeline.held import holders_of
from glassroom.inspectors.timeline.recorder import Recorder, stop_what_was_left
from glassroom.inspectors.timeline.state import state_of
from glassroom.inspectors.timeline.svg import svg_of_timeline
from glassroom.inspectors.timeline.text import text_of_timeline
from glassroom.inspectors.timeline.timeline import PoolMoment, Timeline, timeline_of
from glassroom.inspectors.timeline.words import summary
from glassroom.reading.storage_names import numbered, unnumbered
from glassroom.reading.torch_operators import grad_mode, mend_grad_mode
from glassroom.reading.variables import variables_of, variables_of_function
from glassroom.records.plain import plain
from glassroom.translations.templates import as_is


class MemoryTimeline(Inspector):
    """The timeline of a block of code: ``with memory_timeline() as timeline: …``, then display `timeline`."""

    kind = as_is("memory timeline")
    makers = Makers(text_of_timeline, svg_of_timeline, summary)

    def __init__(self) -> None:
        self._recorder: Recorder | None = None
        self._function: Callable[..., object] | None = None
        self._timeline: Timeline | None = None
        self._is_numbered = False
        self._mode: bool | None = None  # PyTorch's grad mode when it began

    def __enter__(self) -> MemoryTimeline:
        if self._recorder is not None or self._timeline is not None:
            raise RuntimeError("this timeline is being recorded already, or has been: memory_timeline() makes another")
        frame = sys._getframe(1)
        try:
            self.begin(frame, None)
        except BaseException:  # an interrupt: __exit__ will not be called
            self.abandon()
            raise
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self.mend(error)
        self.finish(sys._getframe(1), error)

    def mend(self, error: BaseException | None) -> None:
        """Restore PyTorch's grad mode, which an interrupt may have kept PyTorch from restoring."""
        mend_grad_mode(self._mode, error)

    def abandon(self) -> None:
        """Stop watching after an interrupt."""
        if self._recorder is not None:
            self._recorder.stop()

    def begin(self, frame: FrameType, function: Callable[..., object] | None) -> None:
        """Begin to watch a block of the code of `frame`, or a function that it calls."""
        stop_what_was_left(frame)
        self._mode = grad_mode()
        self._recorder, self._function = Recorder(frame), function
        names = {held: names[0] for held, names in holders_of(variables_of(frame)).items()}
        self._recorder.start(names, self._variables(frame))

    def _variables(self, frame: FrameType) -> dict[str, object]:
        """The variables of the code that is watched."""
        return variables_of(frame) if self._function is None else variables_of_function(self._function)

    def finish(self, frame: FrameType, error: BaseException | None = None) -> None:
        """Stop watching and compute what was seen; `error` is what the block has raised."""
        assert self._recorder is not None
        was_collecting = gc.isenabled()
        try:
            gc.disable()  # this makes many small objects, and garbage collection among them would take longer
            raising = variables_at(error, frame)
            self._recorder.stop(raising | self._variables(frame))
            variables = raising | self._variables(frame) | variables_of(frame)
            with unnumbered():
                self._timeline = timeline_of(self._recorder, frame, variables, error)
            if error is not None and self._timeline.of_failure:
                error.add_note("\n".join(self.data.notes[: self.data.of_failure]))
        finally:
            if was_collecting:
                gc.enable()
        self._recorder = None

    @property
    def data(self) -> Timeline:
        """What was recorded, as plain data. Raises RuntimeError if the block has not ended."""
        recorded = self.recorded()
        if not self._is_numbered:
            self._timeline = numbered(recorded, text_of_timeline(recorded) + svg_of_timeline(recorded))
            self._is_numbered = True
        return self.recorded()

    def recorded(self) -> Timeline:
        """The same, in which storages may have no numbers yet."""
        if self._timeline is None:
            raise RuntimeError("nothing is recorded yet: the timeline is there once the with block has ended")
        return self._timeline

    def as_dict(self) -> dict[str, Any]:
        return {**super().as_dict(), "pools": [_pool_as_dict(moment) for moment in self.data.pools]}

    def __repr__(self) -> str:
        return "memory timeline, not recorded yet" if self._timeline is None else self.text

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/plain": repr(self)} if self._timeline is None else super()._repr_mimebundle_(include, exclude)

    def state(self) -> dict[str, Any]:
        return state_of(self.data)


def _pool_as_dict(moment: PoolMoment) -> dict[str, Any]:
    """A pool without addresses: a block is identified by its position in its segment and the storage in it."""
    segments = []
    for segment in moment.pool.segments:
        begin = segment.blocks[0].address
        blocks = [
            {"offset": block.address - begin, "name": moment.names.get(block.address), **plain(block)}
            for block in segment.blocks
        ]
        for block in blocks:
            del block["address"]
        segments.append({**plain(segment), "blocks": blocks})
    return {"device": moment.device, "event": moment.event, "segments": segments}


Run = Callable[[], object] | MemoryTimeline


@overload
def memory_timeline(function: Callable[[], object] | None = None, /) -> MemoryTimeline: ...
@overload
def memory_timeline(**runs: Run) -> MemoryComparison: ...
def memory_timeline(function: Callable[[], object] | None = None, /, **runs: Run) -> MemoryTimeline | MemoryComparison:
    """Watch memory while a block of code runs, and show where it goes.

    Either ``with memory_timeline() as timeline: …``, then display `timeline`; or ``memory_timeline(step)``, which calls
    the function, drops its result, and returns the timeline; or ``memory_timeline(plain=step, checkpointed=other)``,
    which compares two or more runs, each a function or an earlier timeline.

    It shows how many bytes were held, when and by which line of code each storage was made and freed, the copies that
    tensorglass made and between which storages, and on simulated devices the allocator's pool. Where there are
    parameters or gradients, bytes are split by role (parameters and buffers, gradients, activations that the graph has
    saved, optimizer state, temporaries, other), and the peak by line and by module. Allocations of tensorglass and
    PyTorch in the calling thread are watched: for PyTorch everything that its profiler counts, scratch memory of
    kernels included. If an allocation fails, a note on the error says how many bytes were wanted, by which line, and
    who held the memory then. An error that a function raises has the timeline up to that point as its attribute
    `timeline`.
    """
    frame = sys._getframe(1)
    if not runs:
        return _timeline_of(function, frame)
    if function is not None:
        raise TypeError("memory_timeline compares runs that are all named: memory_timeline(one=step, other=step_2)")
    timelines = {
        name: run if isinstance(run, MemoryTimeline) else _timeline_of(run, frame) for name, run in runs.items()
    }
    return MemoryComparison({name: timeline.recorded() for name, timeline in timelines.items()})


def _timeline_of(function: Callable[[], object] | None, frame: FrameType) -> MemoryTimeline:
    timeline = MemoryTimeline()
    if function is not None:
        if not callable(function):
            raise TypeError(f"memory_timeline takes a function without arguments, but {function!r} is none")
        gc.collect()  # otherwise garbage from before would be freed at some moment in the middle of it
        try:
            timeline.begin(frame, function)
            try:
                function()
            except BaseException as error:
                timeline.mend(error)
                timeline.finish(frame, error)
                error.timeline = timeline  # type: ignore[attr-defined]  # documented above
                raise
            timeline.finish(frame)
        finally:  # once more: an interrupt may have cut the first one short
            timeline.abandon()
    return timeline
