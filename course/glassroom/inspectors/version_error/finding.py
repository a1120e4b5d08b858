"""The search behind an explanation: the frames of an error's traceback are searched for the tensor that it is about,
and for the lines concerned."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType
from typing import NamedTuple

from glassroom.inspectors.version_error.lines import (
    SAVED,
    WROTE,
    Frame,
    Line,
    failed_line,
    frames_of,
    given_to_the_library,
    line_of,
    tensors_of,
)
from glassroom.reading.guarded import name_of_class
from glassroom.reading.networks import networks_in
from glassroom.reading.overwritten import Overwritten, overwritten
from glassroom.reading.places import attributes_of
from glassroom.reading.source_lines import called, recorded_place
from glassroom.reading.variables import variables_of
from glassroom.reading.writes_in_source import loops_over, position, saves, statements_of_code, writes_to


@dataclass(frozen=True)
class VersionError:
    """A saved tensor that was overwritten: the operator, what it saved, the versions, and the lines in order.
    `is_recorded` says that the line that saved it was recorded as it ran; other lines are read from the source.
    `in_place` lists modules that write in place, such as `net.1, ReLU(inplace=True)`, if no writer is known.
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
    in_place: tuple[str, ...] = ()

    def line(self, did: str) -> Line | None:
        """The first line that did this."""
        return next((line for line in self.lines if line.did == did), None)


def version_error(error: BaseException) -> VersionError | None:
    """What is known about an error of this kind; None if no variable of the traceback's frames leads to its graph."""
    frames = frames_of(error.__traceback__)
    overwriting = (
        overwritten(str(error), tensors_of(frames), given_to_the_library(error.__traceback__)) if frames else None
    )
    if overwriting is None:
        return None
    home = frames[-1][0].f_code.co_filename
    lines = [line for frame, at in frames for line in _lines_in(frame, at, overwriting, home)]
    failed = failed_line(frames)
    in_place = () if any(line.did == WROTE for line in lines) else tuple(_modules_in_place(frames))
    wrote = [line for line in in_place if line.kind.lower() in overwriting.readers]
    if len(wrote) > 1:
        wrote = [line for line in wrote if line.follows.lower() == overwriting.operator.replace("_", "")]
    if len(wrote) == 1:  # the graph says that this operator used what was overwritten
        lines.append(Line(0, wrote[0].path, wrote[0].called, WROTE))
        in_place = ()
    recorded = recorded_place(overwriting.node)
    if recorded is not None:
        file, number = recorded
        source = linecache.getline(home, number).strip() if file == home else ""
        lines = [
            Line(number, called(file, number, home), source, SAVED),
            *[line for line in lines if line.did != SAVED],
        ]
    return VersionError(
        operator=overwriting.operator,
        saved_as=overwriting.saved_as,
        name=overwriting.name,
        names=overwriting.names,
        size=overwriting.size,
        expected=overwriting.expected,
        now=overwriting.now,
        lines=(*lines, failed),
        is_recorded=recorded is not None,
        in_place=tuple(f"{line.path}, {line.called}" for line in in_place),
    )


def _lines_in(frame: FrameType, at: int, overwriting: Overwritten, home: str) -> Iterator[Line]:
    """The lines of a frame's source that save and write the tensor: the last of each before `at`."""
    code = frame.f_code
    file = code.co_filename
    source = "".join(linecache.getlines(file, frame.f_globals))
    statements = statements_of_code(source, code, at)
    loops = loops_over(source, code, overwriting.names)

    def writes(statement: ast.stmt) -> bool:
        around = [names for loop, names in loops if loop.lineno <= statement.lineno <= (loop.end_lineno or 0)]
        return writes_to(statement, set(overwriting.names).union(*around), overwriting.is_leaf)

    writing = [statement for statement in statements if writes(statement)]
    # Each write raises the version by one, so the last writes are those that came after the save.
    writing = writing[-(overwriting.now - overwriting.expected) :]
    first = position(writing[0]) if writing else (at, 0)
    saving = [
        statement
        for statement in statements
        if position(statement) < first and saves(statement, overwriting.operator, overwriting.names)
    ]
    told = [(saving[-1], SAVED)] if saving else []
    told += [(statement, WROTE) for statement in writing if not saving or position(statement) > position(saving[-1])]
    for statement, did in told:
        yield line_of(file, statement.lineno, did, home)


class _InPlace(NamedTuple):
    """A module that writes in place, such as `nn.ReLU(inplace=True)`: its path, its class, and the class of the module
    before it."""

    path: str
    kind: str
    follows: str

    @property
    def called(self) -> str:
        return f"{self.kind}(inplace=True)"


def _modules_in_place(frames: list[Frame]) -> Iterator[_InPlace]:
    """The modules that variables lead to and that write in place."""
    seen: set[int] = set()
    for frame, _ in reversed(frames):
        follows = ""
        for path, module in networks_in(variables_of(frame)):
            kind = name_of_class(module)
            if attributes_of(module).get("inplace") is True and id(module) not in seen:
                seen.add(id(module))
                yield _InPlace(path, kind, follows)
            follows = kind
