"""Tracebacks in a notebook without the library's frames: a learner looks at their own lines, and at the message.

`%tb` shows all frames, and `%debug` goes through them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from glassroom.live.audience import somebody_watches
from glassroom.translations import notes

LIBRARY = "tensorglass"


def shorten_tracebacks() -> None:
    """Let the errors of cells that a person runs be shown without the library's frames; nothing outside of a kernel."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if shell is not None and not shell.custom_exceptions:
        shell.set_custom_exc((Exception,), show)


def show(
    shell: Any, kind: type[BaseException], error: BaseException, frames: TracebackType, tb_offset: Any = None
) -> None:
    """What IPython calls for an error of a cell."""
    shown = without_the_library(frames) if somebody_watches() else frames
    with _without_notes_about_this_notebook(error):
        shell.showtraceback((kind, error, shown or frames), tb_offset=tb_offset)
    sys.last_traceback = frames


@contextmanager
def _without_notes_about_this_notebook(error: BaseException) -> Iterator[None]:
    """Leave out, while the error is shown, the note that refers the reader to the notebook that runs."""
    told, running = getattr(error, "__notes__", []), os.environ.get("JPY_SESSION_NAME")  # as Jupyter's server names it
    before = list(told)
    if running:
        told[:] = [note for note in told if not notes.is_of_notebook(str(note), Path(running))]
    try:
        yield
    finally:
        told[:] = before


def without_the_library(frames: TracebackType | None) -> TracebackType | None:
    """A traceback without the frames of tensorglass."""
    if frames is None:
        return None
    below = without_the_library(frames.tb_next)
    if str(frames.tb_frame.f_globals.get("__name__")).partition(".")[0] == LIBRARY:
        return below
    return TracebackType(below, frames.tb_frame, frames.tb_lasti, frames.tb_lineno)
