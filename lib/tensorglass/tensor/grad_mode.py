"""Whether operators are recorded: no_grad, enable_grad, set_grad_enabled, inference_mode.

The modes belong to the thread, and are read only when an operand requires a gradient.
"""

from __future__ import annotations

import functools
import inspect
import threading
import weakref
from collections.abc import Callable
from typing import Any

from tensorglass.core.contexts import Context
from tensorglass.core.errors import type_name


class _State(threading.local):
    grad = True  #: whether the user wants operators recorded
    inference = False
    said = False  #: in inference mode, where nothing is recorded: whether recording was asked for
    #: whether a recorded operator is running: the operators that it calls are not recorded (`grad` is False)
    below = False
    keeps_graphs = False  #: whether backward passes keep the graph: set between the slices of `vmap`
    in_formula = False  #: whether the formula that is running now is itself recorded


state = _State()


class _Watched:
    # Process-wide summaries of per-thread state: cheaper for operators to read than the thread's own state. Each open
    # block has its own object here, so none is counted twice, even after an interrupt.
    def __init__(self) -> None:
        self.threads_in_inference: set[object] = set()  #: in inference mode, where new tensors are marked
        self.saved_tensors_hooks: set[object] = set()  #: open blocks
        self.recorded_formulas: set[object] = set()  #: running now


watched = _Watched()


def is_grad_enabled() -> bool:
    """Whether operators on tensors that require gradients are recorded in this thread.

    >>> torch.is_grad_enabled()
    True
    """
    return state.grad or (state.inference and state.said)


def _enable(wanted: bool) -> None:
    if state.inference:
        state.said = wanted
    else:
        state.grad = wanted


def is_inference_mode_enabled() -> bool:
    """Whether this thread is in inference mode.

    >>> torch.is_inference_mode_enabled()
    False
    """
    return state.inference


class FormulaRecorded(Context):
    """A block in which a derivative's formula is itself recorded."""

    def before(self) -> tuple[object, bool]:
        return object(), state.in_formula

    def begin(self, note: tuple[object, bool]) -> None:
        watched.recorded_formulas.add(note[0])
        state.in_formula = True

    def end(self, note: tuple[object, bool]) -> None:
        state.in_formula = note[1]
        watched.recorded_formulas.discard(note[0])


_FOUND_IN = "tensorglass.autograd.grad_mode"  #: where users find the modes


class Mode(Context):
    """A context, and a decorator of functions and generators."""

    def clone(self) -> Mode:
        """Another context like this one: a decorated function may run several times concurrently."""
        return type(self)()

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.isgeneratorfunction(function):
            return self._decorated_generator(function)

        @functools.wraps(function)
        def decorated(*arguments: Any, **keywords: Any) -> Any:
            with self.clone():
                return function(*arguments, **keywords)

        return decorated

    def _decorated_generator(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Each step of the generator runs in the mode; between the steps the caller's mode holds."""

        @functools.wraps(function)
        def decorated(*arguments: Any, **keywords: Any) -> Any:
            with self.clone():
                generator = function(*arguments, **keywords)
                send: Callable[[], Any] = functools.partial(next, generator)
            try:
                while True:
                    try:
                        with self.clone():
                            value = send()
                    except StopIteration as stop:
                        return stop.value
                    try:
                        sent = yield value
                        send = functools.partial(generator.send, sent)
                    except GeneratorExit:
                        raise
                    except BaseException as error:
                        send = functools.partial(generator.throw, error)
            finally:
                with self.clone():
                    generator.close()

        return decorated


#: A setter for a field of this thread's state, implemented in C.
_SETTERS = {
    (field, value): functools.partial(setattr, state, field, value)
    for field in ("grad", "said")
    for value in (False, True)
}
_GRAD, _NO_GRAD = _SETTERS["grad", True], _SETTERS["grad", False]


def _setter() -> Callable[[], None]:
    """A callable that restores the present value of `is_grad_enabled`."""
    return _GRAD if state.grad else _SETTERS["said", state.said] if state.inference else _NO_GRAD


_nothing = "".format  # implemented in C; takes any arguments and returns None
_reference = weakref.ref


class _Leave(functools.partial[str]):
    """What a ``with no_grad()`` statement holds. Calling it does nothing; its finalizer restores the mode."""

    __slots__ = ("__del__",)

    __del__: Callable[[], None]


class _Exit:
    """`__exit__` of `no_grad`: as that of `Context`, but quicker, because the one field is restored without Python
    code.
    """

    def __get__(self, block: no_grad | None, _: type | None = None) -> Callable[..., Any]:
        if block is None:
            return self
        leave = _Leave(_nothing)
        if block._by_hand:
            setter, block._by_hand = block._by_hand[-1], block._by_hand[:-1]
        else:
            setter = _GRAD if state.grad else _setter()
            block._beginning = _reference(leave)
        leave.__del__ = setter  # last: an interrupted call would drop `leave` too late
        return leave

    def __call__(self, block: no_grad, *error: object) -> None:
        self.__get__(block)


class no_grad(Mode):
    """Nothing is recorded inside: results do not require gradients.

    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.no_grad(): y = x * 2
    ...
    >>> y.requires_grad
    False
    """

    __module__ = _FOUND_IN
    _wanted = False
    _beginning: weakref.ref[_Leave] | None = None  #: held by a ``with`` statement before it calls `__enter__`
    _by_hand: tuple[Callable[[], None], ...] = ()  #: restores the mode after a bare `__enter__`

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        self = object.__new__(cls)
        return self if function is None else self(function)  # also works as a decorator without parentheses

    def __enter__(self) -> None:
        beginning, self._beginning = self._beginning, None
        if beginning is None or beginning() is None:  # no ``with`` statement, or an interrupted one
            self._by_hand = (*self._by_hand, _setter())
        if state.grad or not state.inference:  # `_enable`, inlined
            state.grad = self._wanted
        else:
            state.said = self._wanted

    __exit__ = _Exit()


class enable_grad(no_grad):
    """Operators are recorded inside, also within `no_grad`.

    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.no_grad(), torch.enable_grad(): y = x * 2
    ...
    >>> y.requires_grad
    True
    """

    __module__ = _FOUND_IN
    _wanted = True


def recording(wanted: bool) -> no_grad:
    """A block in which operators are recorded, or not.

    The library's own code takes this in place of `set_grad_enabled`, which, as in PyTorch, changes the mode before its
    block begins: an interrupt between the two leaves it changed.
    """
    return enable_grad() if wanted else no_grad()


class set_grad_enabled(Mode):
    """Record or not, from now on; used as a context, until its end.

    >>> with torch.set_grad_enabled(False): torch.is_grad_enabled()
    ...
    False
    """

    __module__ = _FOUND_IN

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise TypeError(f"set_grad_enabled(): argument 'enabled' (position 1) must be bool, not {type_name(mode)}")
        self._before = is_grad_enabled()
        self.mode = mode
        _enable(mode)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        _enable(self._before)  # as a decorator it does not change the mode yet
        return super().__call__(function)

    def begin(self, _: Any) -> None:
        _enable(self.mode)

    def end(self, _: Any) -> None:
        _enable(self._before)

    def __repr__(self) -> str:
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.mode})"

    def clone(self) -> set_grad_enabled:
        return type(self)(self.mode)


class inference_mode(Mode):
    """`no_grad` for good: tensors made inside count no versions and can never be recorded.

    >>> with torch.inference_mode(): y = torch.ones(2)
    ...
    >>> y.is_inference()
    True
    """

    __module__ = _FOUND_IN

    def __new__(cls, mode: bool | Callable[..., Any] = True) -> Any:
        if isinstance(mode, bool):
            return object.__new__(cls)
        return cls()(mode)

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode

    def before(self) -> tuple[object, tuple[bool, bool, bool]]:
        return object(), (state.grad, state.inference, state.said)

    def begin(self, note: tuple[object, tuple[bool, bool, bool]]) -> None:
        if self.mode:
            watched.threads_in_inference.add(note[0])
        state.grad, state.inference, state.said = not self.mode, self.mode, False

    def end(self, note: tuple[object, tuple[bool, bool, bool]]) -> None:
        state.grad, state.inference, state.said = note[1]
        watched.threads_in_inference.discard(note[0])

    def clone(self) -> inference_mode:
        return type(self)(self.mode)
