"""A limit on time: an answer that runs on is stopped, and a sentence says what to look at.

Python can stop code in the main thread, by a timer of the system. Elsewhere (on Windows, in a browser, in other
threads) the learner is told to interrupt the kernel.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

SECONDS = 60.0  # for a check, and for a cell that runs an answer
AGAIN = 10.0  # an answer may catch what stops it, or may have had little of the processor so far
PATIENCE = 5  # what waits, or runs on a busy machine, has this many times as long
DEBUGGERS = {"bdb", "pdb", "IPython.core.debugger", "debugpy"}


class Stopped(BaseException):
    """A check that ran on. No `except Exception` of an answer or of a check catches it."""


@contextmanager
def limit(seconds: float, what: str, kind: type[BaseException] = TimeoutError) -> Iterator[None]:
    """Raise an error of this kind when the block has run for longer than this, and again as long as the block goes on.

    What counts is the processor's time, so that a busy machine stops nothing, or a fifth of the clock's. The message
    says what to look at. A limit around this one waits meanwhile. Where nothing can be stopped, a line says how to do
    it by hand.
    """
    end = begin(seconds, what, kind)
    try:
        yield
    finally:
        end()


def begin(seconds: float, what: str, kind: type[BaseException]) -> Callable[[], None]:
    """Begin a limit; returns what ends it."""
    has_timer = hasattr(signal, "setitimer") and sys.platform != "emscripten"  # where it interrupts nothing
    if has_timer and threading.current_thread() is threading.main_thread():
        return _timer(seconds, _Stop(seconds, what, kind))
    out = sys.stdout  # a check redirects what is printed after it
    told = f"{what} has been running for {seconds:g} seconds. If it does not end, interrupt the kernel."
    telling = threading.Timer(seconds, print, (told,), {"file": out})
    telling.daemon = True
    with suppress(RuntimeError):  # where there are no threads, as in a browser
        telling.start()
    return telling.cancel


def _timer(seconds: float, stop: _Stop) -> Callable[[], None]:
    """Set the system's timer; what ends it gives it back to whoever had it before."""
    began, rest = time.monotonic(), signal.setitimer(signal.ITIMER_REAL, 0)
    stop.before = before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)

    def end() -> None:
        stop.is_over = True
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if rest[0]:
            waited = 0.0 if isinstance(before, _Stop) else time.monotonic() - began
            signal.setitimer(signal.ITIMER_REAL, max(rest[0] - waited, 0.001), rest[1])

    return end


class _Stop:
    """The handler of a limit."""

    def __init__(self, seconds: float, what: str, kind: type[BaseException]) -> None:
        self.message = (
            f"{what} ran for more than {seconds:g} seconds and was stopped: look for a loop that does not end, or one "
            "that goes through a large tensor element by element."
        )
        self.kind = kind
        self.is_over = False
        self.before: Any = None  # another handler, whose signal may come from another process
        self.seconds = seconds
        self.began, self.computed = time.monotonic(), time.process_time()

    def __call__(self, number: int, frame: FrameType | None) -> None:
        passed, computed = time.monotonic() - self.began, time.process_time() - self.computed
        if passed < self.seconds - 0.01 and callable(self.before):
            self.before(number, frame)
            return
        if max(computed, passed / PATIENCE) < 0.9 * self.seconds:
            signal.setitimer(signal.ITIMER_REAL, min(self.seconds, AGAIN), AGAIN)
            return
        while frame is not None:  # who steps through an answer may take their time
            if frame.f_globals.get("__name__") in DEBUGGERS:
                return
            frame = frame.f_back
        if not self.is_over:
            raise self.kind(self.message)
