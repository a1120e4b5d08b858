"""`memory_log()`: what a training run does to memory, seen in one step of many."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from glassroom.drawing.canvas import shortened
from glassroom.inspectors.base import Inspector, Makers
from glassroom.inspectors.timeline.log.callback import Callback
from glassroom.inspectors.timeline.log.growth import (
    GraphGrowth,
    LineGrowth,
    growing_graphs,
    growing_lines,
    judged,
)
from glassroom.inspectors.timeline.log.json_lines import LONGEST, JsonLines
from glassroom.inspectors.timeline.log.looks import Look, Looking, Survivor
from glassroom.inspectors.timeline.log.picture import state_of, svg_of_log
from glassroom.inspectors.timeline.log.words import summary, text_of_log
from glassroom.reading.variables import variables_of
from glassroom.records.plain import plain
from glassroom.translations.templates import as_is

FIRST = 2  # the first step that is looked at: step 1 makes what later steps reuse, such as optimizer state
MOST_LOOKS = 200  # looks that are kept; older ones are thinned out
WINDOW = 32  # the last looks, by which growth is judged


@dataclass(frozen=True)
class Log:
    """What was seen so far: the `looks` at some of `steps` steps, and what grows, judged by `judged` of the looks."""

    every: int
    steps: int
    looks: tuple[Look, ...]
    judged: int
    lines: tuple[LineGrowth, ...]
    graphs: tuple[GraphGrowth, ...]


class MemoryLog(Inspector):
    """The log of a training run: ``with log.step(): …`` around each step, then display `log`, at any time."""

    kind = as_is("memory log")
    makers = Makers(text_of_log, svg_of_log, summary)

    def __init__(self, path: str | Path | None, every: int, mode: str) -> None:
        self.every = every
        self._file = None if path is None else JsonLines(path, mode, every)
        self._step = _Step(self)
        self._steps = 0
        self._next = min(FIRST, every)
        self._looking: Looking | None = None
        self._looks: list[Look] = []
        self._recent: deque[Look] = deque(maxlen=WINDOW)
        self._survivors: deque[tuple[int, Sequence[Survivor]]] = deque(maxlen=WINDOW)
        self._judged = 0
        self._lines: tuple[LineGrowth, ...] = ()  # of the last look: what a function holds ends with it

    # --- what a loop calls -------------------------------------------------------------------------------------------

    def step(self) -> _Step:
        """A block that is one step: ``with log.step(): train(batch)``. A step that raises is left out of the log; the
        next one is looked at in its place.
        """
        return self._step

    @property
    def callback(self) -> Callback:
        """The log as a callback, ``Trainer(callbacks=[log.callback])``: for Lightning's Trainer and transformers'."""
        return Callback(self)

    def close(self) -> None:
        """End a look that is under way: needed when a loop stops within a step and calls no further hook. The log can
        be displayed, and continues with the next step.
        """
        if self._looking is not None:
            looking, self._looking = self._looking, None
            looking.abandon()

    # --- what steps and callbacks call -------------------------------------------------------------------------------

    @property
    def is_looking(self) -> bool:
        """Whether a step is looked at now."""
        return self._looking is not None

    def is_due(self) -> bool:
        """Count a step that begins now; returns whether to look at it."""
        self._steps += 1
        return self._steps >= self._next and not sys.is_finalizing()

    def begin(self, frame: FrameType, variables: Mapping[str, object]) -> None:
        """Begin a look at a step, which starts now in `frame`."""
        self.close()  # a look whose step an error has ended
        self._looking = Looking(frame, variables)

    def end(self, variables: Mapping[str, object]) -> None:
        """Record the look: its step has ended."""
        assert self._looking is not None
        looking = self._looking
        try:
            seen = looking.end(self._steps, variables)
        except BaseException:  # an interrupt
            self.close()
            raise
        self._looking = None
        self._next = self._steps - self._steps % self.every + self.every
        self._looks.append(seen.look)
        self._recent.append(seen.look)
        if len(self._looks) > MOST_LOOKS:
            del self._looks[1 : len(self._looks) // 2 : 2]  # keep every second look of the older half
        earlier = judged(self._survivors, self._steps)
        self._judged, self._lines = len(earlier), growing_lines(earlier, seen.holders)
        self._survivors.append((self._steps, seen.survivors))
        if self._file is not None:
            self._file.write(self._line(seen.look))

    def fail(self, error: BaseException) -> None:
        """End the look at a step that has raised."""
        if self._looking is not None:
            looking, self._looking = self._looking, None
            looking.abandon(error)

    def _line(self, look: Look) -> dict[str, Any]:
        """A look as a line of JSON, whose length is bounded however long a program's names are."""
        data = self.data
        return {
            "step": look.step,
            "devices": plain(look.devices),
            "growth": [
                {
                    "line": shortened(line.line, LONGEST),
                    "bytes_per_step": round(line.nbytes, 1),
                    "held_by": [shortened(name, LONGEST) for name in line.holders[:4]],
                }
                for line in data.lines
            ],
            "nodes": {shortened(name, LONGEST): nodes for name, nodes in look.nodes.items()},
            "nodes_per_step": {shortened(graph.name, LONGEST): round(graph.more, 1) for graph in data.graphs},
            "notes": list(look.notes),
        }

    # --- what it is as an inspector ----------------------------------------------------------------------------------

    @property
    def data(self) -> Log:
        """What was seen so far, as plain data."""
        graphs = growing_graphs(self._recent)
        return Log(self.every, self._steps, tuple(self._looks), self._judged, self._lines, graphs)

    def state(self) -> dict[str, Any]:
        return state_of(self.data)


class _Step:
    """The block of one step, the same for all steps of a log."""

    def __init__(self, log: MemoryLog) -> None:
        self._log = log

    def __enter__(self) -> None:
        if self._log.is_looking:
            raise RuntimeError("a step of this memory log is under way: log.step() cannot stand within another")
        if self._log.is_due():
            frame = sys._getframe(1)
            self._log.begin(frame, variables_of(frame))

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if not self._log.is_looking:
            return
        if error is not None:
            self._log.fail(error)
        else:
            self._log.end(variables_of(sys._getframe(1)))


def memory_log(path: str | Path | None = None, *, every: int = 100, mode: str = "w") -> MemoryLog:
    """Log what a training run does to memory: one step in `every` is looked at, and nothing is watched in between.

    ``with log.step(): train(batch)`` around each step, or `log.callback` for the trainers of Lightning and of
    transformers. The second step is looked at, then every `every`th one. The log shows the lines by which memory grows,
    and by how many bytes a step: memory that a step has made and that is still there at later looks. It shows the
    variables that lead to growing graphs, and the bands of each look, as `memory_timeline` does.

    With a `path`, each look appends a line of JSON to that file at once. `mode` "w" overwrites the file; "a" appends to
    it: each run begins with a line of its own and counts its steps from 1. Raises ValueError for another mode and for
    `every` below 1, OSError where the file cannot be written.
    """
    if not isinstance(every, int) or every < 1:
        raise ValueError(f"every is a number of steps, 1 or more, not {every!r}")
    if mode not in ("w", "a"):
        raise ValueError(f"mode is 'w', to begin the file anew, or 'a', to go on with it, not {mode!r}")
    return MemoryLog(path, every, mode)
