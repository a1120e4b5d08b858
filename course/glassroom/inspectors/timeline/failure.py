"""An allocation that failed within a block: how many bytes were wanted, by which line, and who held the memory then."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from types import FrameType

from glassroom.drawing.words import counted, sized
from glassroom.inspectors.timeline.bands import listed_roles
from glassroom.inspectors.timeline.places import Place, Where, is_of_users
from glassroom.reading.adapters import library_of
from glassroom.reading.variables import variables_of
from glassroom.records.columns import rjust
from glassroom.translations.templates import word

MOST_HOLDERS = 8
_WANTED = re.compile(r"(?:tried|unable) to allocate ([\d.,]*\d)\.? ?(bytes|[KMGTP]?i?B)\b", re.IGNORECASE)
_UNITS = {"BYTES": 1, "B": 1, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40, "PIB": 2**50}


def wanted_by(error: BaseException | None) -> int | None:
    """The bytes that a failed allocation wanted, read from the message of PyTorch's, tensorglass's or NumPy's
    allocator; None for an error of another kind.
    """
    match = None if error is None else _WANTED.search(str(error))
    if match is None or match[2].upper() not in _UNITS:
        return None
    return round(float(match[1].replace(",", "")) * _UNITS[match[2].upper()])


def variables_at(error: BaseException | None, frame: FrameType) -> dict[str, object]:
    """The variables of the code within the block of `frame` at the moment when it raised."""
    variables: dict[str, object] = {}
    trace = None if error is None else error.__traceback__
    while trace is not None:
        if trace.tb_frame is not frame:
            variables |= {name: value for name, value in variables_of(trace.tb_frame).items() if _is_whole(value)}
        trace = trace.tb_next
    return variables


def _is_whole(value: object) -> bool:
    """Whether a variable can be looked at: an interrupt can come while the library makes a tensor."""
    return library_of(value) != "tensorglass" or hasattr(value, "_meta")  # which a tensor gets last


def trace_of(error: BaseException) -> list[Place]:
    """The program's lines in a traceback, the innermost last."""
    places = []
    trace = error.__traceback__
    while trace is not None:
        if is_of_users(trace.tb_frame):
            code = trace.tb_frame.f_code
            places.append(Place(code.co_filename, trace.tb_lineno, code.co_name))
        trace = trace.tb_next
    return places


def told(
    nbytes: int, where: Where, holders: Iterable[tuple[int, str]], held: Sequence[tuple[str, Mapping[str, int]]]
) -> list[str]:
    """The sentences about a failed allocation: what was `held` then, by device and role, and the largest of the
    `holders`, each with its bytes.
    """
    largest = sorted(holders, key=lambda holder: -holder[0])
    by_role = [f"{sized(sum(roles.values()))} on {device} ({listed_roles(roles)})" for device, roles in held]
    total = word("; ").join(by_role) or sized(sum(nbytes for nbytes, _ in largest))
    lines = [f"an allocation of {sized(nbytes)} failed at {where}; held then: {total}"]
    lines += [f"{rjust(sized(nbytes), 12)}  {words}" for nbytes, words in largest[:MOST_HOLDERS]]
    rest = largest[MOST_HOLDERS:]
    more = f"{rjust(sized(sum(nbytes for nbytes, _ in rest)), 12)}  in {counted(len(rest), 'more storage')}"
    return [*lines, more] if rest else lines
