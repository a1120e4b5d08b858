"""The message of an assertion about memory: a screen at most, with the whole beside it."""

from __future__ import annotations

from glassroom.drawing.canvas import shortened
from glassroom.drawing.words import counted

MOST_LINES = 32  # of a message
WIDTH = 200  # characters of a line


def error_of(words: str) -> AssertionError:
    """An error whose message fits a screen; its `details` are all of it."""
    lines = words.splitlines()
    shown = [shortened(line, WIDTH) for line in lines[:MOST_LINES]]
    if len(lines) > MOST_LINES:
        shown.append(f"… and {counted(len(lines) - MOST_LINES, 'line')} more, in the error's details")
    error = AssertionError("\n".join(shown))
    error.details = words  # type: ignore[attr-defined]  # documented in docs/testing-memory.md
    return error
