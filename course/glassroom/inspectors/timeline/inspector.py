"""`memory_timeline()`: what a block of code allocates, frees and copies, event by event."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from glassroom.inspectors.base import Inspector
from glassroom.inspectors.timeline.recorder import Recorder, stop_what_was_left
from glassroom.inspectors.timeline.state import state_of
from glassroom.inspectors.timeline.svg import svg_of_timeline
from glassroom.inspectors.timeline.text import text_of_timeline
from glassroom.inspectors.timeline.timeline import PoolMoment, Timeline, holders_of, timeline_of
from glassroom.inspectors.timeline.words import summary
from glassroom.reading.variables import variables_of
from glassroom.records.plain import plain


class MemoryTimeline(Inspector):
    """The timeline of a block of code: ``with memory_timeline() as timeline: …``, then display `timeline`."""

    kind = "memory timeline"

    def __init__(self) -> None:
        self._recorder: Recorder | None = None
        self._timeline: Timeline | None = None

    def __enter__(self) -> MemoryTimeline:
        if self._recorder is not None or self._timeline is not None:
            raise RuntimeError("this timeline is being recorded already, or has been: memory_timeline() makes another")
        frame = sys._getframe(1)
        try:
            self._begin(frame)
        except BaseException:  # an interrupt, after which no __exit__ comes
            self._abandon()
            raise
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._finish(sys._getframe(1))

    def _abandon(self) -> None:
        if self._recorder is not None:
            self._recorder.stop()

    def _begin(self, frame: FrameType) -> None:
        stop_what_was_left(frame)
        self._recorder = Recorder(frame)
        self._recorder.start({held: names[0] for held, names in holders_of(variables_of(frame)).items()})

    def _finish(self, frame: FrameType) -> None:
        assert self._recorder is not None
        self._recorder.stop()
        self._timeline = timeline_of(self._recorder, frame.f_code.co_filename, variables_of(frame))
        self._recorder = None

    @property
    def data(self) -> Timeline:
        """What was recorded, as plain data. Raises RuntimeError before the block has ended."""
        if self._timeline is None:
            raise RuntimeError("nothing is recorded yet: the timeline is there once the with block has ended")
        return self._timeline

    def as_dict(self) -> dict[str, Any]:
        return {**super().as_dict(), "pools": [_pool_as_dict(moment) for moment in self.data.pools]}

    def __repr__(self) -> str:
        return "memory timeline, not recorded yet" if self._timeline is None else self.text

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/plain": repr(self)} if self._timeline is None else super()._repr_mimebundle_(include, exclude)

    @property
    def text(self) -> str:
        return text_of_timeline(self.data)

    @property
    def svg(self) -> str:
        return svg_of_timeline(self.data)

    @property
    def label(self) -> str:
        return summary(self.data)

    def state(self) -> dict[str, Any]:
        return state_of(self.data)


def _pool_as_dict(moment: PoolMoment) -> dict[str, Any]:
    """A pool without addresses: a block is known by where it begins in its segment, and by the storage in it."""
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


def memory_timeline(function: Callable[[], object] | None = None) -> MemoryTimeline:
    """Watch memory while a block of code runs, and show it event by event.

    Either ``with memory_timeline() as timeline: …``, then display `timeline`; or ``memory_timeline(function)``, which
    calls the function, lets go of what it returns, and returns the timeline. It shows how many bytes were held above
    the start, when and by which line of code each storage was made and freed, what was copied between where, and on
    simulated devices the allocator's pool. What tensorglass allocates is watched; PyTorch keeps no such account.
    """
    timeline = MemoryTimeline()
    if function is not None:
        if not callable(function):
            raise TypeError(f"memory_timeline takes a function without arguments, but {function!r} is none")
        frame = sys._getframe(1)
        try:
            timeline._begin(frame)
            try:
                function()
            finally:
                timeline._finish(frame)
        finally:  # once more, for an interrupt may have come within the first
            timeline._abandon()
    return timeline
