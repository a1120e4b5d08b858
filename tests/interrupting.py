"""KeyboardInterrupt at a chosen moment.

Python looks for signals when a function begins, when a call has returned and before a loop goes round. An opcode trace
counts instructions, and at the chosen one a C function sets the signal, so that it is raised at the next real
opportunity.
"""

from __future__ import annotations

import ctypes
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_trip = ctypes.PyDLL(None).PyErr_SetInterrupt  # called as a trace function it runs no Python code
_trip.argtypes = [ctypes.py_object] * 3  # which it ignores
_trip.restype = None


def interrupted_at(moment: int, work: Callable[[], None]) -> bool:
    """Run `work`, with an interrupt where Python next looks for one after so many instructions. Returns whether it has
    so many.
    """
    left = moment

    def follow(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal left
        if event == "call":
            frame.f_trace_opcodes = True
        elif event == "opcode":
            left -= 1
            if left == 0:
                frame.f_trace = _trip  # which is called at this frame's next instruction, or never
        return follow if left > 0 else frame.f_trace

    def interrupt(*_: object) -> None:
        sys.settrace(None)
        raise KeyboardInterrupt

    before, tracer = signal.signal(signal.SIGINT, interrupt), sys.gettrace()
    try:
        try:
            sys.settrace(follow)
            work()
        finally:
            sys.settrace(tracer)  # an interrupt that still waits comes here
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGINT, before)
    return left <= 0


@contextmanager
def quiet_finalizers() -> Iterator[None]:
    """An interrupt in a finalizer is printed by Python, and no more: that is as it should be."""
    before = sys.unraisablehook
    sys.unraisablehook = lambda report: None if report.exc_type is KeyboardInterrupt else before(report)
    try:
        yield
    finally:
        sys.unraisablehook = before
