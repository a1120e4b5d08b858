"""Classes that override operators: those derived from Tensor, and all that define `__torch_function__`.

An operator that finds such an argument calls ``__torch_function__(func, types, args, kwargs)`` of its class in place of
itself. Operators only ever work on plain tensors. Tensors of a derived class are handed over to their class, and when
it calls the operator, with handing over switched off, they are plain for as long as that takes. So nothing in `ops`,
and nothing on the way of common calls, knows of classes; operators begin to look for them when the first class is
derived from Tensor.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import wraps
from typing import Any

from tensorglass.core.contexts import Context, setting
from tensorglass.tensor.tensor import Tensor


class _Local(threading.local):
    is_off = False


local = _Local()
#: the classes derived from Tensor; until there is one, no call needs a second look
derived: list[Callable[[], type | None]] = []
#: called when the first class is derived: from then on operators ask for overrides
when_first_derived: list[Callable[[], None]] = []
#: each tells whether operators that run now are no user's calls, but the engine's
at_work: list[Callable[[], bool]] = []

_BASIC = frozenset((Tensor, int, float, bool, complex, str, type(None), slice, type(Ellipsis)))


class Off(setting):
    """Inside a ``with`` block no class is asked: PyTorch's `DisableTorchFunctionSubclass`."""

    def __init__(self) -> None:
        super().__init__(local, is_off=True)


def disabled(cls: Any, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """The `__torch_function__` of a class that has no say: PyTorch's `_disabled_torch_function_impl`."""
    with Off():
        return func(*args, **(kwargs or {}))


def has_say(argument: Any) -> bool:
    """Whether the argument's class is to be asked before an operator works on it."""
    kind = type(argument)
    if kind in _BASIC:
        return False
    asked = getattr(kind, "__torch_function__", None)
    return asked is not None and asked is not disabled


def each_of(arguments: Iterable[Any]) -> Iterator[Any]:
    """The arguments, and what is in lists and tuples among them."""
    for argument in arguments:
        if type(argument) in (list, tuple):
            yield from each_of(argument)
        else:
            yield argument


def strangers(arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> list[Any]:
    """The arguments that are no plain tensors and no plain data."""
    found = []
    for argument in (*arguments, *keywords.values()) if keywords else arguments:
        kind = type(argument)
        if kind is list or kind is tuple:
            found += strangers(tuple(argument), {})
        elif kind not in _BASIC and (issubclass(kind, Tensor) or hasattr(kind, "__torch_function__")):
            found.append(argument)
    return found


def overloaded(arguments: Iterable[Any]) -> list[Any]:
    """One argument of each class that has a say, in the order in which they are asked: derived before what it is of."""
    if local.is_off or any(is_at_work() for is_at_work in at_work):
        return []
    found: list[Any] = []
    for argument in arguments:
        kind = type(argument)
        if has_say(argument) and all(type(each) is not kind for each in found):
            place = next((at for at, each in enumerate(found) if issubclass(kind, type(each))), len(found))
            found.insert(place, argument)
    return found


def ask(public: Callable[..., Any], asked: list[Any], arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> Any:
    """What the first class that does not pass makes of the call of `public`; NotImplemented if all of them pass."""
    types = tuple([type(each) for each in asked])
    for each in asked:
        answer = each.__torch_function__(public, types, arguments, dict(keywords) if keywords else None)
        if answer is not NotImplemented:
            return answer
    return NotImplemented


def hand_over(
    public: Callable[..., Any], asked: list[Any], arguments: tuple[Any, ...], keywords: Mapping[str, Any]
) -> Any:
    """What `ask` gives. Raises PyTorch's TypeError if all classes pass."""
    answer = ask(public, asked, arguments, keywords)
    if answer is NotImplemented:
        kinds = "".join(f"\n  - tensor subclass {type(each)}" for each in asked)
        raise TypeError(
            f"Multiple dispatch failed for '{name_of(public)}'; all __torch_function__ handlers returned "
            f"NotImplemented:\n{kinds}\n\nFor more information, try re-running with TORCH_LOGS=not_implemented"
        )
    return answer


def for_others(
    public: Callable[..., Any], arguments: tuple[Any, ...], keywords: Mapping[str, Any], refusal: Exception
) -> Any:
    """The call of an operator that has refused it, handed over; raises `refusal` if no class has a say."""
    asked = overloaded(each_of((*arguments, *keywords.values())))
    if not asked:
        raise refusal
    return hand_over(public, asked, arguments, keywords)


def for_operands(name: str, self: Tensor, other: Any) -> Any:
    """What one of Python's operators gives for an operand that is no tensor: NotImplemented, or what its class says."""
    asked = overloaded((self, other))
    return ask(public_form(name), asked, (self, other), {}) if asked else NotImplemented


class _plain(Context):
    """Tensors of derived classes as plain ones. Other threads see them so too, for as long as it takes."""

    def __init__(self, tensors: list[Any]) -> None:
        self._tensors = tensors

    def before(self) -> list[tuple[Any, type]]:
        return [(each, type(each)) for each in self._tensors if isinstance(each, Tensor) and type(each) is not Tensor]

    def begin(self, note: list[tuple[Any, type]]) -> None:
        for each, _ in note:
            each.__class__ = Tensor

    def end(self, note: list[tuple[Any, type]]) -> None:
        for each, kind in note:
            each.__class__ = kind


def with_overrides(body: Callable[..., Any], public: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """`body`, which does the work of the operator `public` (None: its own), unless a class overrides that."""

    @wraps(body)
    def call(*arguments: Any, **keywords: Any) -> Any:
        if strangers(arguments, keywords):
            return through(public or call, body, arguments, keywords)
        return body(*arguments, **keywords)

    return call


def without_overrides(body: Callable[..., Any], _: Callable[..., Any]) -> Callable[..., Any]:
    """`body`, which asks no class and finds plain tensors: `as_tensor` and others that take a tensor for its data."""

    @wraps(body)
    def call(*arguments: Any, **keywords: Any) -> Any:
        with Off(), _plain([*arguments, *keywords.values()]):
            return body(*arguments, **keywords)

    return call


def overridable(body: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is no operator, that asks for overrides itself."""

    @wraps(body)
    def call(*arguments: Any, **keywords: Any) -> Any:
        if derived and strangers(arguments, keywords):
            return through(call, body, arguments, keywords)
        return body(*arguments, **keywords)

    return call


def through(
    public: Callable[..., Any], body: Callable[..., Any], arguments: tuple[Any, ...], keywords: Mapping[str, Any]
) -> Any:
    """A call of `public` with strangers among its arguments: handed over, or else done by `body` on plain tensors."""
    found = strangers(arguments, keywords)
    asked = overloaded(found)
    if asked:
        return hand_over(public, asked, arguments, keywords)
    with _plain(found):
        return body(*arguments, **keywords)


def plainly(body: Callable[..., Any]) -> Callable[..., Any]:
    """`body`, which works on one tensor, and finds a plain one whatever its class."""

    @wraps(body)
    def call(self: Tensor, *arguments: Any) -> Any:
        if type(self) is Tensor:
            return body(self, *arguments)
        with _plain([self]):
            return body(self, *arguments)

    return call


#: What Python's operators are called when they are handed over, where it is not their own name.
PUBLIC = {
    f"__{prefix}{name}__": f"{public}{'_' if prefix == 'i' else ''}"
    for name, public in {
        "add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "mod": "remainder", "pow": "pow",
    }.items()
    for prefix in ("", "i")
} | {
    "__radd__": "add", "__rmul__": "mul", "__matmul__": "matmul", "__neg__": "neg", "__abs__": "abs",
    "__pos__": "positive", "__ne__": "ne", "__lt__": "lt", "__le__": "le", "__gt__": "gt", "__ge__": "ge",
}  # fmt: skip


def public_form(name: str) -> Callable[..., Any]:
    """The method by which one of Python's operators, or a method, is handed over."""
    found: Callable[..., Any] = vars(Tensor)[PUBLIC.get(name, name)]
    return found


def name_of(public: Callable[..., Any]) -> str:
    """Where PyTorch has a function or method, as its errors tell: "torch.add", "torch.Tensor.add"."""
    owner = getattr(public, "__self__", None)
    if isinstance(owner, property):
        name = next((name for name, each in vars(Tensor).items() if each is owner), "")
        return f"torch.Tensor.{name}.{public.__name__}"
    if vars(Tensor).get(public.__name__) is public:
        return f"torch.Tensor.{public.__name__}"
    return f"torch.{public.__name__}"
