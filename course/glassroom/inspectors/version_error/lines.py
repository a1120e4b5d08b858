"""The lines of code that led to an error: the frames of its traceback, and the tensors in their variables."""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from dataclasses import dataclass
from sysconfig import get_path
from types import FrameType, TracebackType
from typing import Any

from glassroom.reading.places import tensors_at
from glassroom.reading.source_lines import called, is_of_a_library
from glassroom.reading.variables import locals_of, variables_of
from glassroom.records.printable import printable

SAVED, WROTE, FREED, CUT, MADE, FAILED = "saved", "wrote", "freed", "cut", "made", "failed"

Frame = tuple[FrameType, int]  # and the line at which it stood


@dataclass(frozen=True)
class Line:
    """A line that led to the error; `did` is "saved", "wrote", "freed", "cut", "made" or "failed". For what a module of
    a network did, the module's path stands in place of the line, and its class in place of the source.
    """

    number: int
    called: str
    source: str
    did: str


def frames_of(traceback: TracebackType | None) -> list[Frame]:
    """The program's frames, without those of libraries, the innermost last."""
    frames: list[Frame] = []
    while traceback is not None:
        if not is_of_a_library(traceback.tb_frame.f_code.co_filename):
            frames.append((traceback.tb_frame, traceback.tb_lineno))
        traceback = traceback.tb_next
    while len(frames) > 1 and _is_of_python(frames[-1][0].f_code.co_filename):  # `copy.deepcopy` and the like
        frames.pop()
    return frames


def _is_of_python(file: str) -> bool:
    """Whether a file belongs to Python itself."""
    return file.startswith(get_path("stdlib")) and "site-packages" not in file


def tensors_of(frames: list[Frame]) -> dict[str, Any]:
    """The tensors that the variables of frames lead to, by their paths; those of the innermost frame come first."""
    tensors: dict[str, Any] = {}
    for frame, _ in reversed(frames):
        places = ((printable(name), value) for name, value in variables_of(frame).items() if name[:1] != "_")
        for path, tensor in tensors_at(places):
            tensors.setdefault(path, tensor)
    return tensors


def given_to_the_library(traceback: TracebackType | None) -> Iterator[Any]:
    """The tensors whose backward failed, even if the program has no variable for them: they are found in the library's
    frames."""
    while traceback is not None:
        if is_of_a_library(traceback.tb_frame.f_code.co_filename):
            yield from (tensor for _, tensor in tensors_at(locals_of(traceback.tb_frame).items()))
        traceback = traceback.tb_next


def line_of(file: str, number: int, did: str, home: str) -> Line:
    """A line of a file, as a text about the file `home` refers to it."""
    return Line(number, called(file, number, home), linecache.getline(file, number).strip(), did)


def failed_line(frames: list[Frame]) -> Line:
    """The program's line that raised."""
    frame, at = frames[-1]
    home = frame.f_code.co_filename
    return line_of(home, at, FAILED, home)
