"""Large results of costly functions, computed on several threads.

NumPy computes on one core, and releases the GIL meanwhile. An elementwise function can be applied to any part of an
array, so each thread fills its own part of the result, and the numbers are the same. That pays off if computing takes
longer than reading memory, as for `exp`; `add` is bound by memory.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy

from tensorglass.core.critical_section import CriticalSection

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

#: NumPy's functions that take longer than reading their elements from memory.
COSTLY = frozenset((
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "logaddexp", "logaddexp2", "power", "sin", "cos", "tan",
    "arcsin", "arccos", "arctan", "arctan2", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh",
))  # fmt: skip
#: Results below this many bytes are finished before other threads have started.
LEAST_SHARED = 2**22


class Threads:
    """How many threads a kernel may use, and the pool of threads, which starts on first use."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._helpers: ThreadPoolExecutor | None = None
        self._first_use = CriticalSection()

    def fill(self, run: Callable[..., Any], arrays: Sequence[numpy.ndarray], result: numpy.ndarray) -> None:
        """``run(*arrays, out=made)`` for arrays of one size without gaps, in as many parts as there are threads."""
        helpers = self._helpers or self._first_use.run(self._begin_helpers)
        flat, target = [array.reshape(-1) for array in arrays], result.reshape(-1)
        length = -(-target.size // self.number)
        mine, *others = [slice(start, start + length) for start in range(0, target.size, length)]
        waiting = [helpers.submit(_part, run, flat, target, part) for part in others]
        _part(run, flat, target, mine)
        for future in waiting:
            future.result()

    def _begin_helpers(self) -> ThreadPoolExecutor:
        if self._helpers is None:
            from concurrent.futures import ThreadPoolExecutor  # imports logging, a twentieth of our own import time

            self._helpers = ThreadPoolExecutor(thread_name_prefix="tensorglass")
        return self._helpers

    def forget(self) -> None:
        """Start new threads when needed: a forked child has none of its parent's threads."""
        self._helpers = None


def _part(run: Callable[..., Any], arrays: list[numpy.ndarray], target: numpy.ndarray, part: slice) -> None:
    with numpy.errstate(all="ignore"):
        run(*[array[part] for array in arrays], out=target[part])


def _at_first() -> int:
    """The default: OMP_NUM_THREADS, else one for each processor that this process may use."""
    told = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0]
    if told.isdecimal() and int(told):
        return int(told)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


THREADS = Threads(_at_first())

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=THREADS.forget)
