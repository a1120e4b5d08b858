"""Recording a thread's calls: when each operator, backward node and range begins and ends, and the memory it allocates.

Nothing looks for a profiler while none runs. The first recording replaces public functions by timed ones, and the last
one restores them; a function that a program imported before (``from torch import relu``) is not recorded. Calls that
operators make internally are part of their time, and have no events of their own.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from functools import wraps
from importlib import import_module
from time import perf_counter_ns
from types import TracebackType
from typing import Any

from tensorglass import memory, nn
from tensorglass.autograd import engine
from tensorglass.autograd.function import Function
from tensorglass.graph.accumulate_grad import AccumulateGrad
from tensorglass.graph.formula_node import FormulaNode
from tensorglass.graph.node import Gradients, Node
from tensorglass.ops.declare.lazy_loading import fetch_all
from tensorglass.ops.declare.registry import FUNCTIONS, OPERATORS
from tensorglass.optim import Optimizer
from tensorglass.profiler import rows
from tensorglass.tensor.tensor import Tensor
from tensorglass.utils.data import dataloader


class ProfilerActivity(Enum):
    """What can be recorded: here, what the CPU does."""

    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3
    HPU = 4
    PrivateUse1 = 5


class Event:
    """One call: its name, its beginning and end in nanoseconds, and the bytes that it allocated and did not free."""

    __slots__ = ("children", "end", "is_annotation", "name", "parent", "sequence_nr", "shapes", "size", "start")

    def __init__(self, name: str, parent: Event | None, shapes: list[Any], is_annotation: bool) -> None:
        self.name, self.parent, self.shapes = name, parent, shapes
        self.is_annotation = is_annotation
        self.children: list[Event] = []
        self.sequence_nr = -1
        self.size = memory.allocated()
        self.end = 0
        self.start = perf_counter_ns()


class Recording:
    """The calls of one thread while this is running."""

    def __init__(self, with_shapes: bool = False) -> None:
        self.events: list[Event] = []
        self._with_shapes = with_shapes
        self._open: list[Event] = []
        self.is_inside = False  #: whether an operator is running, whose inner calls are not recorded

    def begin(self, name: str, arguments: tuple[Any, ...] = (), is_annotation: bool = False) -> Event:
        """An event that begins now."""
        shapes = [_shape(argument) for argument in arguments] if self._with_shapes else []
        parent = self._open[-1] if self._open else None
        event = Event(name, parent, shapes, is_annotation)
        self.events.append(event)
        self._open.append(event)
        if parent is not None:
            parent.children.append(event)
        return event

    def end(self, event: Event) -> None:
        """End the event now, and all events within it that an error has left open."""
        now, size = perf_counter_ns(), memory.allocated()
        while event in self._open:
            last = self._open.pop()
            last.end, last.size = now, size - last.size

    @contextmanager
    def within(self, name: str, arguments: tuple[Any, ...] = (), is_operator: bool = True) -> Iterator[Event]:
        """An event as long as the block. What is called in it is recorded if it is no operator."""
        before, event = self.is_inside, self.begin(name, arguments)
        self.is_inside = is_operator
        try:
            yield event
        finally:
            self.end(event)
            self.is_inside = before

    def start(self) -> None:
        """Record what this thread calls from now on."""
        with _lock:
            _running.append(self)
            if len(_running) == 1:
                _put_timed_forms()
        current.recording, engine.current.kind = self, _RecordedRun

    def stop(self) -> None:
        """Stop recording; open events end now."""
        if self._open:
            self.end(self._open[0])
        current.recording = engine.current.kind = None
        with _lock:
            _running.remove(self)
            if not _running:
                _take_timed_forms()


class _Current(threading.local):
    recording: Recording | None = None


current = _Current()
_lock = threading.Lock()
_running: list[Recording] = []  #: in all threads
_replaced: list[tuple[Any, str, Any, Any]] = []  #: owner, name, the original, the replacement


def _shape(argument: Any) -> Any:
    """What a table says of an argument's shape: nothing if it is no tensor."""
    if isinstance(argument, Tensor):
        return list(argument.shape)
    if isinstance(argument, list | tuple) and argument and all(isinstance(item, Tensor) for item in argument):
        return [list(item.shape) for item in argument]
    return []


# --- what is put in the place of what programs call ------------------------------------------------------------------


def _always(*arguments: Any, **keywords: Any) -> bool:
    return True


def _never(*arguments: Any, **keywords: Any) -> bool:
    return False


def _has_no_closure(*arguments: Any, **keywords: Any) -> bool:
    """Whether a step of an optimizer computes nothing of the program's own."""
    return all(value is None for value in (*arguments[1:], *keywords.values()))


def _subclasses(kind: type[Any]) -> Iterator[type[Any]]:
    for subclass in kind.__subclasses__():
        yield subclass
        yield from _subclasses(subclass)


def _timed(
    function: Callable[..., Any], name: str | rows.Naming, is_operator: Callable[..., bool] = _always
) -> Callable[..., Any]:
    """`function`, recorded under a name, or under the name that `name` returns for its arguments (None: not
    recorded).
    """

    @wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        recording = current.recording
        if recording is None or recording.is_inside:
            return function(*arguments, **keywords)
        row = name if isinstance(name, str) else name(*arguments, **keywords)
        if row is None:
            return function(*arguments, **keywords)
        with recording.within(row, arguments, is_operator(*arguments, **keywords)):
            return function(*arguments, **keywords)

    return call


def _put(owner: Any, name: str, form: Any) -> None:
    _replaced.append((owner, name, vars(owner)[name], form))
    setattr(owner, name, form)


def _put_timed_forms() -> None:
    fetch_all()
    for path, function in list(FUNCTIONS.items()):
        home, _, name = f"tensorglass.{path}".rpartition(".")
        row = rows.of_function(path)
        if row is not None and home in sys.modules:
            vars(sys.modules[home]).setdefault(name, function)
            _put(sys.modules[home], name, _timed(vars(sys.modules[home])[name], row))
    for name, member in list(vars(Tensor).items()):
        row = rows.of_method(name)
        if row is None or not _is_operator(name):
            continue
        if isinstance(member, property) and member.fget is not None:
            _put(Tensor, name, property(_timed(member.fget, row), member.fset, member.fdel, member.__doc__))
        elif callable(member):
            _put(Tensor, name, _timed(member, row))
    for home, names in rows.OF_LAYERS.items():
        module = import_module(home)
        for name, row in names.items():
            getattr(module, name)
            _put(module, name, _timed(vars(module)[name], row))
    for kind in _subclasses(nn.Module):
        called = getattr(vars(kind).get("_function"), "__func__", None)  # by convolutions and pools
        name = getattr(called, "__name__", "")
        if getattr(nn.functional, name, None) is not called and name in rows.OF_LAYERS[nn.functional.__name__]:
            _put(kind, "_function", staticmethod(vars(nn.functional)[name]))
    _put(engine, "one_for", _timed(engine.one_for, "aten::ones_like"))
    _put(Optimizer, "zero_grad", _timed(Optimizer.zero_grad, rows.of_zero_grad))
    for kind in _subclasses(Optimizer):
        if "step" in vars(kind):
            _put(kind, "step", _timed(vars(kind)["step"], rows.of_step, _has_no_closure))
    loading = dataloader._BaseDataLoaderIter
    _put(loading, "__next__", _timed(loading.__next__, rows.of_loading, _never))
    applying = Function.__dict__["apply"].__func__
    _put(Function, "apply", classmethod(_timed(applying, rows.of_own_function, _never)))


def _is_operator(name: str) -> bool:
    bare = name.removesuffix("_") if not name.endswith("__") else name
    return bare in _names_of_operators() or name in _names_of_operators()


def _names_of_operators() -> set[str]:
    if not _of_operators:
        for row in OPERATORS.values():
            _of_operators.update((row.name, *row.aliases, *row.dunders))
        _of_operators.update(rows.METHODS)
    return _of_operators


_of_operators: set[str] = set()


def _take_timed_forms() -> None:
    while _replaced:
        owner, name, before, form = _replaced.pop()
        if vars(owner).get(name) is form:  # else the program has replaced it
            setattr(owner, name, before)


class _RecordedRun(engine.Run):
    """A backward pass whose nodes are recorded, but not the accumulation of gradients between them."""

    def walk(self, roots: Any, gradients: Any) -> None:
        recording = current.recording
        before = recording is not None and recording.is_inside
        try:
            if recording is not None:
                recording.is_inside = True
            super().walk(roots, gradients)
        finally:
            if recording is not None:
                recording.is_inside = before

    def _visit(self, node: Node) -> Gradients | None:
        recording = current.recording
        if recording is None:
            return super()._visit(node)
        name = "torch::autograd::AccumulateGrad" if isinstance(node, AccumulateGrad) else node.name()
        with recording.within(f"autograd::engine::evaluate_function: {name}", is_operator=False) as event:
            event.sequence_nr = node.sequence_nr
            if not isinstance(node, AccumulateGrad):
                return super()._visit(node)
            with recording.within(name):
                return super()._visit(node)

    def _run(self, node: Node, arrived: Any) -> Gradients:
        recording = current.recording
        if recording is None:
            return super()._run(node, arrived)
        with recording.within(node.name(), is_operator=isinstance(node, FormulaNode)) as event:
            event.sequence_nr = node.sequence_nr
            return super()._run(node, arrived)


# --- ranges of one's own ---------------------------------------------------------------------------------------------


class record_function:
    """A context, or a decorator, whose block is recorded under a name by the profile that runs, if one does."""

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name, self.args = name, args
        self._begun: list[tuple[Recording, Event] | None] = []

    def __enter__(self) -> record_function:
        if not isinstance(self.name, str):
            raise RuntimeError(
                "profiler::_record_function_enter_new() Expected a value of type 'str' for argument 'name' but instead "
                f"found type '{type(self.name).__name__}'."
            )
        recording = current.recording
        self._begun.append(None if recording is None else (recording, recording.begin(self.name, (), True)))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        begun = self._begun.pop()
        if begun is not None:
            begun[0].end(begun[1])

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(func)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            with self:
                return func(*args, **kwargs)

        return wrapped
