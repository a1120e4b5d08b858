"""`with attempt(): …` for lines that may fail: prints their errors and warnings in lines that fit a page."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from glassroom.exercises import facts
from glassroom.exercises.cards.sheet import say
from glassroom.translations.notes import notebook_of

_INTERNAL = re.compile(r"\s*\(Triggered internally at [^()]*\)\.?")
_FRAMES = re.compile(r'(?:^ *File "[^\n]*", line \d+, in [^\n]+\n(?: {4,}[^\n]*\n?)*)+', re.MULTILINE)


@contextmanager
def attempt(what: str = "", *, notes: bool = False) -> Iterator[None]:
    """Run lines that may raise an exception or a warning: it is printed, with `what` before it, and nothing is raised.

    With `notes`, those that the exception carries follow below it, as in a traceback, but for the one that refers to a
    notebook: whoever reads them is in it.

    What PyTorch adds about its own sources is left out. Of a traceback within a message, as in anomaly detection, only
    the last line of code is kept.
    """
    raised = ""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield
        except Exception as error:
            below = [note for note in getattr(error, "__notes__", []) if notebook_of(note) is None] if notes else []
            raised = "\n".join([_told(facts.whole_message(error)), *below])
    told = [_told(f"{warning.category.__name__}: {warning.message}") for warning in caught]
    for message in filter(None, [*told, raised]):
        say(f"{what}: {message}" if what else message)


def _told(message: str) -> str:
    return _FRAMES.sub(_last_line, _INTERNAL.sub("", message)).rstrip()


def _last_line(frames: re.Match[str]) -> str:
    """The last line of code in the frames of a traceback."""
    code = [line for line in frames[0].splitlines() if line.strip() and not re.match(r'\s*(File "|[\^~]+)', line)]
    return f"    {code[-1].strip()}\n" if code else ""
