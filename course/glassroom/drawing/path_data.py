"""The `d` of an SVG path as lines and curves between points."""

from __future__ import annotations

import re
from typing import NamedTuple

NUMBERS = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "Q": 4, "Z": 0}  # numbers that each command takes


class Segment(NamedTuple):
    """A segment to the last of `points`: "M" moves, "L" is straight, "Q" and "C" are curves, "Z" returns to the
    start."""

    command: str
    points: tuple[tuple[float, float], ...]


def segments_of(data: str) -> list[Segment]:
    """The segments of a path, all in absolute coordinates. Raises ValueError for any other command."""
    segments: list[Segment] = []
    x = y = 0.0
    begin = (0.0, 0.0)
    for letter, given in re.findall(r"([A-Za-z])([^A-Za-z]*)", data):
        command = letter.upper()
        if command not in NUMBERS:
            raise ValueError(f"the path command {letter!r} is not understood")
        numbers = [float(number) for number in re.findall(r"-?(?:\d+\.?\d*|\.\d+)", given)]
        width = NUMBERS[command]
        for at in range(0, max(len(numbers), 1), max(width, 1)):
            part = numbers[at : at + width]
            right, down = (x, y) if letter.islower() else (0.0, 0.0)
            if command == "H":
                points = [(part[0] + right, y)]
            elif command == "V":
                points = [(x, part[0] + down)]
            elif command == "Z":
                points = [begin]
            else:
                points = [(part[i] + right, part[i + 1] + down) for i in range(0, width, 2)]
            drawn = "L" if command in "HV" or (command == "M" and at) else command
            segments.append(Segment(drawn, tuple(points)))
            x, y = points[-1]
            if drawn == "M":
                begin = (x, y)
    return segments
