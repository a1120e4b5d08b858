"""What an error was about that was just raised: its traceback's frames, searched for the tensor and for its lines."""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType, TracebackType
from typing import Any

from glassroom.reading.overwritten import Overwritten, overwritten
from glassroom.reading.places import tensors_at
from glassroom.reading.source_lines import called, is_of_a_library, recorded_line
from glassroom.reading.variables import variables_of
from glassroom.reading.writes_in_source import saves, statements_of_code, writes_to
from glassroom.records.printable import printable

SAVED, WROTE, FAILED = "saved", "wrote", "failed"


@dataclass(frozen=True)
class Line:
    """A line that has to do with the error. `did` is "saved", "wrote" or "failed"."""

    number: int
    called: str
    source: str
    did: str


@dataclass(frozen=True)
class VersionError:
    """A saved tensor that was overwritten: the operator, what it saved, the versions, and the lines in their order.

    `is_recorded` says that the line that saved was written down as it ran; other lines are read from the source.
    """

    operator: str
    saved_as: str
    name: str
    names: tuple[str, ...]
    size: tuple[int, ...]
    expected: int
    now: int
    lines: tuple[Line, ...]
    is_recorded: bool

    def line(self, did: str) -> Line | None:
        """The first line that did this."""
        return next((each for each in self.lines if each.did == did), None)


def version_error(error: BaseException) -> VersionError | None:
    """What is known of an error of this kind; None if no variable of the traceback's frames leads to its graph."""
    frames = list(_frames(error.__traceback__))
    tensors: dict[str, Any] = {}
    for frame, _ in reversed(frames):  # those of the innermost first
        places = ((printable(name), value) for name, value in variables_of(frame).items() if name[:1] != "_")
        for path, tensor in tensors_at(places):
            tensors.setdefault(path, tensor)
    found = overwritten(str(error), tensors, _given_to_the_library(error.__traceback__))
    if found is None:
        return None
    home = frames[-1][0].f_code.co_filename
    lines = [each for frame, at in frames for each in _lines_in(frame, at, found, home)]
    frame, at = frames[-1]
    failed = Line(at, called(home, at, home), linecache.getline(home, at).strip(), FAILED)
    recorded = recorded_line(found.node, home)
    if recorded is not None:
        number = int(recorded.rpartition(" ")[2])
        source = linecache.getline(home, number).strip() if recorded.startswith("line") else ""
        lines = [Line(number, recorded, source, SAVED), *[each for each in lines if each.did != SAVED]]
    return VersionError(
        operator=found.operator,
        saved_as=found.saved_as,
        name=found.name,
        names=found.names,
        size=found.size,
        expected=found.expected,
        now=found.now,
        lines=(*lines, failed),
        is_recorded=recorded is not None,
    )


def _frames(traceback: TracebackType | None) -> Iterator[tuple[FrameType, int]]:
    """The frames of a program, without those of libraries, each with the line at which it stood."""
    while traceback is not None:
        if not is_of_a_library(traceback.tb_frame.f_code.co_filename):
            yield traceback.tb_frame, traceback.tb_lineno
        traceback = traceback.tb_next


def _given_to_the_library(traceback: TracebackType | None) -> Iterator[Any]:
    """The tensors whose backward failed, though the program has no variable for them: those of a library's frames."""
    while traceback is not None:
        if is_of_a_library(traceback.tb_frame.f_code.co_filename):
            yield from (tensor for _, tensor in tensors_at(traceback.tb_frame.f_locals.items()))
        traceback = traceback.tb_next


def _lines_in(frame: FrameType, at: int, found: Overwritten, home: str) -> Iterator[Line]:
    """The lines of a frame's code that save and write the tensor, by the source; the last of each before `at`."""
    code = frame.f_code
    file = code.co_filename
    source = "".join(linecache.getlines(file, frame.f_globals))
    statements = statements_of_code(source, code, at)
    writing = [each for each in statements if writes_to(each, found.names, found.is_leaf)]
    # Each write has raised the version, so of several those count that came last.
    writing = writing[-(found.now - found.expected) :]
    first = writing[0].lineno if writing else at
    saving = [each for each in statements if each.lineno < first and saves(each, found.operator, found.names)]
    told = [(saving[-1], SAVED)] if saving else []
    told += [(each, WROTE) for each in writing if not saving or each.lineno > saving[-1].lineno]
    for statement, did in told:
        text = linecache.getline(file, statement.lineno).strip()
        yield Line(statement.lineno, called(file, statement.lineno, home), text, did)
