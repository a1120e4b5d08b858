"""Reading what a program has made, so that nothing of it raises into a look, or answers with code of its own.

The one idea: a subclass may put anything in the place of `shape`, `grad_fn` or `__class__`. So tensors are read by what
their library declares, classes by what Python itself keeps of them; and where even that raises, the answer is the one
that the reader gave for "unknown".
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any, TypeGuard, TypeVar

T = TypeVar("T")
D = TypeVar("D")

_MRO, _DICT, _MODULE, _NAME = (type.__dict__[each] for each in ("__mro__", "__dict__", "__module__", "__name__"))


def attempted(ask: Callable[[], T], otherwise: D) -> T | D:
    """What `ask` returns, or `otherwise` where it raises; an interrupt by the keyboard still interrupts."""
    try:
        return ask()
    except KeyboardInterrupt:
        raise
    except BaseException:  # a property of the program's may raise anything, such as pytest's Failed
        return otherwise


class Declared:
    """A tensor, read by the attributes and methods of `kind`, which its class derives from."""

    __slots__ = ("__kind", "__value")

    def __init__(self, value: Any, kind: type) -> None:
        self.__value, self.__kind = value, kind

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__kind, name).__get__(self.__value)


def is_a(value: object, kinds: type[T] | tuple[type[T], ...]) -> TypeGuard[T]:
    """`isinstance` that asks the object's class, and not the object, which may answer with code of its own."""
    return issubclass(type(value), kinds)


def classes_of(value: object) -> tuple[type, ...]:
    """The class of a value, and those that it derives from."""
    return _MRO.__get__(type(value))


def contents_of(kind: type) -> MappingProxyType[str, Any]:
    """What a class itself has, as `vars` says it, past its metaclass."""
    return _DICT.__get__(kind)


def name_of_class(value: object) -> str:
    """What the class of a value is called."""
    return str(attempted(lambda: _NAME.__get__(type(value)), "object"))


def module_of_class(kind: type) -> str:
    """The module that a class says it is of; "" where it says nothing of the kind."""
    module = attempted(lambda: _MODULE.__get__(kind), "")
    return module if type(module) is str else ""
