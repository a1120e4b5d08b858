"""Dispatch to `__torch_function__`: how subclasses of Tensor, and other classes that define it, override operators.

An operator that finds an argument of such a class calls ``__torch_function__(func, types, args, kwargs)`` of the class
instead of running. Operators themselves only ever see plain tensors: when a handler calls the operator again, with
dispatch switched off, the tensors of its class are made plain until the operator returns. So nothing in `ops`, and no
fast path, knows of subclasses; the wrappers that look for them are put in when the first subclass is defined.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import wraps
from typing import Any

from tensorglass.core.contexts import Context, setting
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.size import Size
from tensorglass.tensor.tensor import Tensor


class _State(threading.local):
    is_disabled = False
    running: Any = None  #: the function that the default handler is calling


state = _State()
#: weak references to the subclasses of Tensor; while there is none, calls need not look for overrides
subclasses: list[Callable[[], type | None]] = []
#: callbacks for the first definition of a subclass: they make operators overridable
on_first_subclass: list[Callable[[], None]] = []
#: each returns whether the library itself, such as the engine, is calling the operators that run now
internal_calls: list[Callable[[], bool]] = []

#: Methods of Tensor that do not dispatch by themselves: its own, and those that the graph gives it later.
not_dispatching = {name for name, member in vars(Tensor).items() if callable(member)}

#: The classes whose tensors an operator takes as they are: Tensor, and those that override nothing, as `nn.Parameter`.
PLAIN_TYPES: set[type] = {Tensor}
_BASIC = {Tensor, int, float, bool, complex, str, type(None), slice, type(Ellipsis)}
#: The classes of arguments of functions of layers that override nothing, nor hold what does.
NOT_OVERRIDING = _BASIC | {tuple, Size, DType}


def is_parameter(tensor: Any) -> bool:
    """Whether this is an `nn.Parameter`: of a class, other than Tensor, that overrides nothing."""
    return type(tensor) in PLAIN_TYPES and type(tensor) is not Tensor


def overrides_nothing(kind: type[Tensor]) -> None:
    """Let operators take tensors of this class as plain tensors: its `__torch_function__` is never called."""
    PLAIN_TYPES.add(kind)
    _BASIC.add(kind)
    NOT_OVERRIDING.add(kind)


class DisableTorchFunctionSubclass(setting):
    """Inside a ``with`` block no `__torch_function__` is called."""

    def __init__(self) -> None:
        super().__init__(state, is_disabled=True)


def disabled_torch_function(cls: Any, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """The `__torch_function__` of a class that overrides nothing: PyTorch's `_disabled_torch_function_impl`."""
    if func is state.running:
        return NotImplemented  # it came back to its own handler, so the function belongs to another library
    with setting(state, is_disabled=True, running=func):
        return func(*args, **(kwargs or {}))


def has_override(argument: Any) -> bool:
    """Whether the argument's class overrides operators."""
    kind = type(argument)
    if kind in _BASIC:
        return False
    return _handler(kind) not in (None, disabled_torch_function)


def _handler(kind: type) -> Any:
    """The `__torch_function__` of a class. PyTorch's own classes are ignored: their handlers would recurse forever."""
    handler = getattr(kind, "__torch_function__", None)
    return None if str(getattr(handler, "__module__", "")).startswith("torch.") else handler


def flattened(arguments: Iterable[Any]) -> Iterator[Any]:
    """The arguments, with those in lists and tuples, however nested."""
    for argument in arguments:
        if type(argument) in (list, tuple):
            yield from flattened(argument)
        else:
            yield argument


def tensor_likes(arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> list[Any]:
    """The arguments, also in lists, of subclasses of Tensor and of classes that define `__torch_function__`."""
    likes = []
    for argument in (*arguments, *keywords.values()) if keywords else arguments:
        kind = type(argument)
        if kind is list or kind is tuple:
            likes += tensor_likes(tuple(argument), {})
        elif kind not in _BASIC and (issubclass(kind, Tensor) or _handler(kind) is not None):
            likes.append(argument)
    return likes


def overloaded_arguments(arguments: Iterable[Any], *, with_tensor: bool = False) -> list[Any]:
    """One argument of each class that overrides operators, in PyTorch's order: subclasses first, then left to right.

    `with_tensor` counts Tensor itself among them, as PyTorch's functions that are written in Python do.
    """
    if state.is_disabled or any(is_internal() for is_internal in internal_calls):
        return []
    overloaded: list[Any] = []
    for argument in arguments:
        kind = type(argument)
        counts = has_override(argument) or (with_tensor and kind is Tensor)
        if counts and all(type(other) is not kind for other in overloaded):
            place = next((at for at, other in enumerate(overloaded) if issubclass(kind, type(other))), len(overloaded))
            overloaded.insert(place, argument)
    return overloaded


def call_handlers(
    public: Callable[..., Any], overloaded: list[Any], arguments: tuple[Any, ...], keywords: Mapping[str, Any]
) -> Any:
    """The first result of a `__torch_function__` that is not NotImplemented; NotImplemented if there is none."""
    types = tuple([type(argument) for argument in overloaded])
    for argument in overloaded:
        answer = argument.__torch_function__(public, types, arguments, dict(keywords) if keywords else None)
        if answer is not NotImplemented:
            return answer
    return NotImplemented


def dispatch(
    public: Callable[..., Any],
    overloaded: list[Any],
    arguments: tuple[Any, ...],
    keywords: Mapping[str, Any],
    name: str = "",
) -> Any:
    """The result of `call_handlers`. Raises PyTorch's TypeError if all handlers return NotImplemented.

    `name` is what that error calls the function, by default its `qualified_name`.
    """
    answer = call_handlers(public, overloaded, arguments, keywords)
    if answer is NotImplemented:
        kinds = "".join(f"\n  - tensor subclass {type(argument)}" for argument in overloaded)
        raise TypeError(
            f"Multiple dispatch failed for '{name or qualified_name(public)}'; all __torch_function__ handlers "
            f"returned NotImplemented:\n{kinds}\n\nFor more information, try re-running with TORCH_LOGS=not_implemented"
        )
    return answer


def dispatch_from_python(
    public: Callable[..., Any],
    name: str,
    relevant: Iterable[Any],
    arguments: tuple[Any, ...],
    keywords: Mapping[str, Any],
) -> Any:
    """The handlers' result for a function that is written in Python in PyTorch, as its `handle_torch_function` has it.

    `relevant` are the arguments that may override it. Raises PyTorch's TypeError if all handlers return NotImplemented.
    """
    overloaded = overloaded_arguments(relevant, with_tensor=True)
    answer = call_handlers(public, overloaded, arguments, keywords)
    if answer is NotImplemented:
        kinds = [type(argument) for argument in overloaded]
        raise TypeError(f"no implementation found for '{name}' on types that implement __torch_function__: {kinds}")
    return answer


def dispatch_or_refuse(
    public: Callable[..., Any], arguments: tuple[Any, ...], keywords: Mapping[str, Any], refusal: Exception
) -> Any:
    """The handlers' result for a call that the operator rejected; raises `refusal` if there is no handler."""
    overloaded = overloaded_arguments(flattened((*arguments, *keywords.values())))
    if not overloaded:
        raise refusal
    return dispatch(public, overloaded, arguments, keywords)


def dispatch_operator(name: str, self: Tensor, other: Any) -> Any:
    """The result of Python's operator `name` on a non-tensor operand: its handler's, or NotImplemented."""
    overloaded = overloaded_arguments((self, other))
    return call_handlers(public_method(name), overloaded, (self, other), {}) if overloaded else NotImplemented


def dispatch_or_run(
    public: Callable[..., Any], body: Callable[..., Any], arguments: tuple[Any, ...], keywords: Mapping[str, Any]
) -> Any:
    """A call of `public` with tensor-likes among its arguments: dispatched, or else run by `body` on plain tensors."""
    likes = tensor_likes(arguments, keywords)
    overloaded = overloaded_arguments(likes)
    if overloaded:
        return dispatch(public, overloaded, arguments, keywords)
    with _plain(likes):
        return body(*arguments, **keywords)


class _plain(Context):
    """Makes tensors of subclasses plain tensors inside a ``with`` block, as seen by other threads too."""

    def __init__(self, tensors: list[Any]) -> None:
        self._tensors = tensors

    def before(self) -> list[tuple[Any, type]]:
        return [
            (tensor, type(tensor))
            for tensor in self._tensors
            if isinstance(tensor, Tensor) and type(tensor) is not Tensor
        ]

    def begin(self, note: list[tuple[Any, type]]) -> None:
        for tensor, _ in note:
            tensor.__class__ = Tensor

    def end(self, note: list[tuple[Any, type]]) -> None:
        for tensor, kind in note:
            tensor.__class__ = kind


def overridable(body: Callable[..., Any], public: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """`body`, the work of `public` (by default of the result itself), made to dispatch to `__torch_function__`."""

    @wraps(body)
    def call(*arguments: Any, **keywords: Any) -> Any:
        if subclasses and tensor_likes(arguments, keywords):
            return dispatch_or_run(public or call, body, arguments, keywords)
        return body(*arguments, **keywords)

    return call


def not_overridable(body: Callable[..., Any], _: Callable[..., Any]) -> Callable[..., Any]:
    """`body` made to run on plain tensors, without dispatch: for `as_tensor` and others that take tensors for data."""

    @wraps(body)
    def call(*arguments: Any, **keywords: Any) -> Any:
        with DisableTorchFunctionSubclass(), _plain([*arguments, *keywords.values()]):
            return body(*arguments, **keywords)

    return call


def on_plain_self(body: Callable[..., Any]) -> Callable[..., Any]:
    """`body`, a method or attribute, made to find a plain tensor in `self` whatever its class."""

    @wraps(body)
    def call(self: Tensor, *arguments: Any) -> Any:
        if type(self) is Tensor:
            return body(self, *arguments)
        with _plain([self]):
            return body(self, *arguments)

    return call


#: Where the names differ: the method that one of Python's operators is dispatched as.
METHOD_NAMES = {
    f"__{prefix}{name}__": f"{public}{'_' if prefix == 'i' else ''}"
    for name, public in {
        "add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "mod": "remainder", "pow": "pow",
    }.items()
    for prefix in ("", "i")
} | {
    "__radd__": "add", "__rmul__": "mul", "__matmul__": "matmul", "__neg__": "neg", "__abs__": "abs",
    "__pos__": "positive", "__ne__": "ne", "__lt__": "lt", "__le__": "le", "__gt__": "gt", "__ge__": "ge",
}  # fmt: skip


def public_method(name: str) -> Callable[..., Any]:
    """The method that a method or one of Python's operators is dispatched as."""
    method: Callable[..., Any] = vars(Tensor)[METHOD_NAMES.get(name, name)]
    return method


def qualified_name(public: Callable[..., Any]) -> str:
    """The name of a function or method in PyTorch's error messages: "torch.add", "torch.Tensor.add"."""
    owner = getattr(public, "__self__", None)
    if isinstance(owner, property):
        name = next((name for name, member in vars(Tensor).items() if member is owner), "")
        return f"torch.Tensor.{name}.{public.__name__}"
    if vars(Tensor).get(public.__name__) is public:
        return f"torch.Tensor.{public.__name__}"
    return f"torch.{public.__name__}"
