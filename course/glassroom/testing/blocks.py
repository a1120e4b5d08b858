"""`assert_no_copy`, `assert_no_leak` and `assert_peak_below`: what a block of code does to memory.

Each is a context manager and a decorator, and has a marker in the pytest plugin.
"""

from __future__ import annotations

import gc
import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import partial, wraps
from inspect import isasyncgenfunction, iscoroutinefunction, isgeneratorfunction
from types import FrameType, TracebackType
from typing import Any, TypeVar

from glassroom.drawing.words import counted, sized
from glassroom.inspectors.timeline.inspector import MemoryTimeline
from glassroom.inspectors.timeline.pytorch import ALONE
from glassroom.inspectors.timeline.timeline import LEFT_OUT, Timeline
from glassroom.reading.reach import Growth, kept_behind, nodes_behind
from glassroom.reading.variables import variables_of, variables_of_function
from glassroom.testing.messages import error_of

F = TypeVar("F", bound=Callable[..., Any])
UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}


class Block:
    """A block that is measured, and judged if it ends without an exception; afterwards `timeline` shows it. A message
    has at most a screen of lines; the error's `details` have all of them.
    """

    collects = False  # whether to collect reference cycles before counting what is left
    needs_operators = False  # whether it needs to know operators, not only bytes

    def __init__(self) -> None:
        self.timeline = MemoryTimeline()

    def before(self, variables: Mapping[str, object]) -> None:
        """Note the state at the beginning of the block, for the variables of its code."""

    def failure(self, timeline: MemoryTimeline, variables: Mapping[str, object]) -> str | None:
        """What is wrong with the block, if anything; `variables` are those of its code at its end."""
        raise NotImplementedError

    def __enter__(self) -> Block:
        return self.begin(sys._getframe(1), None)

    def __exit__(self, kind: type | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        __tracebackhide__ = True
        self.end(sys._getframe(1), error)

    def __call__(self, function: F) -> F:
        """Measure each call of a function. Raises TypeError for a generator or coroutine function, whose code has not
        run when its call returns."""
        if any(ask(function) for ask in (iscoroutinefunction, isgeneratorfunction, isasyncgenfunction)):
            raise TypeError(
                f"{type(self).__name__} cannot decorate {getattr(function, '__name__', function)}: it is async or a "
                "generator, and runs after its call has returned; use it as a context manager within"
            )

        @wraps(function)
        def measured(*args: Any, **kwargs: Any) -> Any:
            __tracebackhide__ = True
            return copy(self).run(partial(function, *args, **kwargs), sys._getframe(1))

        return measured  # type: ignore[return-value]  # it has the function's own signature

    def run(self, function: Callable[[], Any], frame: FrameType) -> Any:
        """Call a function, and judge the call; returns the function's result."""
        __tracebackhide__ = True
        self.begin(frame, function)
        try:
            result = function()
        except BaseException as error:
            self.end(frame, error, function)
            raise
        self.end(frame, None, function)
        return result

    def begin(self, frame: FrameType, function: Callable[[], Any] | None) -> Block:
        self.timeline = MemoryTimeline()
        if self.collects:
            gc.collect()
        self.before(_variables(frame, function))
        try:
            self.timeline.begin(frame, function)
        except BaseException:  # an interrupt: __exit__ will not be called
            self.timeline.abandon()
            raise
        return self

    def end(
        self, frame: FrameType, raised: BaseException | None = None, function: Callable[[], Any] | None = None
    ) -> None:
        """Judge the block, unless it has `raised` an error itself."""
        __tracebackhide__ = True
        try:
            if self.collects:
                gc.collect()
            self.timeline.finish(frame, raised)
        finally:
            self.timeline.abandon()
        data = self.timeline.data
        unseen = [note for note in data.notes if note != LEFT_OUT and (note != ALONE or self.needs_operators)]
        if raised is not None:
            return
        if unseen:
            raise RuntimeError(f"the block could not be judged: {unseen[0]}")
        wrong = self.failure(self.timeline, _variables(frame, function))
        if wrong:
            raise error_of(wrong)


class Together(Block):
    """Several assertions on one block; the first that does not hold fails it."""

    def __init__(self, demands: Sequence[Block]) -> None:
        super().__init__()
        self.demands = demands
        self.collects = any(demand.collects for demand in demands)
        self.needs_operators = any(demand.needs_operators for demand in demands)

    def before(self, variables: Mapping[str, object]) -> None:
        for demand in self.demands:
            demand.before(variables)

    @property
    def peak(self) -> int:
        """The most that was held on a device, beyond what was held at the beginning."""
        return max(curve.peak for curve in self.timeline.data.curves)

    def failure(self, timeline: MemoryTimeline, variables: Mapping[str, object]) -> str | None:
        return next(filter(None, [demand.failure(timeline, variables) for demand in self.demands]), None)


class assert_peak_below(Block):  # it is called as assertions are
    """Fail if a block holds `limit` bytes or more at any moment, beyond what was held when it began, on any device.

    `limit` is a number of bytes, or words such as "10 MiB" or "500 kB". Allocations of tensorglass and PyTorch are
    counted, for PyTorch as its profiler counts them; scratch memory of kernels is counted only for PyTorch. Raises
    AssertionError with the timeline, RuntimeError if PyTorch's profiler is in use already.
    """

    def __init__(self, limit: int | str) -> None:
        super().__init__()
        self.limit = bytes_of(limit)

    def failure(self, timeline: MemoryTimeline, variables: Mapping[str, object]) -> str | None:
        curve = max(timeline.data.curves, key=lambda curve: curve.peak)
        if curve.peak < self.limit:
            return None
        peak = f"the peak on {curve.device} is {_exact(curve.peak)} above the start"
        return f"{peak}, which is not below {_exact(self.limit)}\n\n{timeline.text}"


class assert_no_copy(Block):  # it is called as assertions are
    """Fail if a block copies elements without computing with them: by `clone`, `contiguous`, `to`, `cat`, advanced
    indexing and the like.

    Copies of fewer than `above` bytes are allowed. Copies of tensorglass and PyTorch are seen, those of NumPy are not.
    Raises AssertionError with the lines that copy, each with the number of copies, their bytes, and PyTorch's operator;
    RuntimeError if the program has called `torch.compile`, since operators cannot be seen then.
    """

    needs_operators = True

    def __init__(self, above: int | str = 0) -> None:
        super().__init__()
        self.above = bytes_of(above)

    def failure(self, timeline: MemoryTimeline, variables: Mapping[str, object]) -> str | None:
        steps = [step for step in timeline.data.steps if step.kind in ("copied", "moved")]
        copies = [step for step in steps if step.nbytes >= max(self.above, 1)]
        if not copies:
            return None
        total = counted(sum(step.nbytes for step in copies), "byte")
        head = f"{counted(len(copies), 'copy', 'copies')} of {total} where none is allowed"
        places: dict[tuple[str, str], list[int]] = {}
        for step in copies:
            places.setdefault((str(step.where), step.operator), []).append(step.nbytes)
        lines = []
        for (where, operator), sizes in sorted(places.items(), key=lambda place: -sum(place[1])):
            by = f" by {operator}" if operator else ""
            lines.append(f"{sized(sum(sizes)):>12}  {where}  ·  {counted(len(sizes), 'copy', 'copies')}{by}")
        return _listing(head, lines)


class assert_no_leak(Block):  # it is called as assertions are
    """Fail if more is held after a block than before it: bytes on a device, or nodes of a graph behind one variable.

    Reference cycles are collected first. Up to `allowed` bytes may be left. A graph must not grow, as it does behind a
    running total of losses, which keeps every step's nodes, whether or not they have saved anything. What a first call
    makes for good (gradients, optimizer state, caches) is no leak: call the function once before. Raises AssertionError
    with what has grown, what is left and who holds it.
    """

    collects = True

    def __init__(self, allowed: int | str = 0) -> None:
        super().__init__()
        self.allowed = bytes_of(allowed)
        self.growth = Growth({})

    def before(self, variables: Mapping[str, object]) -> None:
        self.growth = Growth(variables)

    def failure(self, timeline: MemoryTimeline, variables: Mapping[str, object]) -> str | None:
        left = [curve for curve in timeline.data.curves if curve.kept > self.allowed]
        grown = self.growth.since(variables)
        if not left and not grown:
            return None
        total = ", ".join(f"{_exact(curve.kept)} on {curve.device}" for curve in left)
        head = f"{total} more than before" if left else f"the graph behind {grown[0][0]} has grown"
        return _listing(head, [*[_of_a_graph(*growth) for growth in grown], *_left(timeline.data)])


def _of_a_graph(name: str, tensor: Any, more: int) -> str:
    kept = sized(kept_behind(name, tensor))
    return f"{kept:>12}  {name} reaches {counted(nodes_behind(tensor), 'node')}, {more:,} more than before"


def _left(timeline: Timeline) -> list[str]:
    """What was made and is still alive: first what has grown, last what merely replaces as much that was freed."""
    freed = Counter((life.device, life.nbytes) for life in timeline.lives if not life.born and life.ended)
    lines: list[tuple[bool, int, str]] = []
    for life in timeline.lives:
        if life.born and life.ended is None:
            size = (life.device, life.nbytes)
            is_replaced = freed[size] > 0
            freed[size] -= is_replaced
            words = ", in the place of as much that was freed" if is_replaced else ""
            told = f"{sized(life.nbytes):>12}  {life.name}: {life.fate}{words}; made by {life.where}"
            lines.append((is_replaced, -life.nbytes, told))
    return [told for _, _, told in sorted(lines, key=lambda line: line[:2])]


def _variables(frame: FrameType, function: Callable[[], Any] | None) -> dict[str, object]:
    """The variables of a block's code, or of a function and its caller."""
    return {**({} if function is None else variables_of_function(function)), **variables_of(frame)}


def bytes_of(limit: int | str) -> int:
    """`4096`, `"10 MiB"`, `"1.5 kB"` as bytes. Raises ValueError for anything else."""
    if isinstance(limit, int) and limit >= 0:
        return limit
    match = re.fullmatch(r"\s*([\d_,]+(?:\.\d*)?)\s*([A-Za-z]*)\s*", limit) if isinstance(limit, str) else None
    if match is None or match[2].upper() not in UNITS:
        raise ValueError(f"a number of bytes is 4096 or '10 MiB', not {limit!r}")
    return round(float(re.sub("[_,]", "", match[1])) * UNITS[match[2].upper()])


def _exact(nbytes: int) -> str:
    """`4,000 bytes`, `39.1 KiB (40,000 bytes)`."""
    exact, short = counted(nbytes, "byte"), sized(nbytes)
    return exact if exact == short else f"{short} ({exact})"


def _listing(head: str, lines: list[str]) -> str:
    return "\n".join([head, "", *lines])
