"""Reading a program's objects safely: no code of the program's runs, and no error of its objects reaches an inspector.
The one idea: a subclass may override `shape`, `grad_fn` or `__class__` with anything. So tensors are read through their
library's own attributes, and classes through what Python itself stores; if even that raises, the answer is the reader's
default for "unknown".
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from types import MappingProxyType
from typing import Any, TypeGuard, TypeVar

CLOSING = "Python is shutting down, and nothing can be looked at any more"

T = TypeVar("T")
D = TypeVar("D")

_MRO, _DICT, _MODULE, _NAME = (type.__dict__[base] for base in ("__mro__", "__dict__", "__module__", "__name__"))


def refuse_at_shutdown() -> None:
    """Raise RuntimeError if Python is shutting down: the modules by whose classes tensors are known are gone. A
    `__del__` may call an inspector then."""
    if sys.is_finalizing():
        raise RuntimeError(CLOSING)


def attempted(ask: Callable[[], T], otherwise: D) -> T | D:
    """What `ask` returns, or `otherwise` if it raises; a KeyboardInterrupt still interrupts."""
    try:
        return ask()
    except KeyboardInterrupt:
        raise
    except BaseException:  # a property may raise anything, such as pytest's Failed
        return otherwise


def message_of(error: BaseException, otherwise: str) -> str:
    """The message of an exception, or `otherwise` if its `__str__` raises. A function of its own, since a lambda in the
    reader would close over the exception, whose traceback leads to the reader's frame: a reference cycle, which keeps
    the variables of the program's functions alive until Python's garbage collector runs.
    """
    return attempted(partial(str, error), otherwise)


class Declared:
    """A tensor, read by the attributes and methods of `kind`, which its class derives from."""

    __slots__ = ("__kind", "__value")

    def __init__(self, value: Any, kind: type) -> None:
        self.__value, self.__kind = value, kind

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__kind, name).__get__(self.__value)


def is_a(value: object, kinds: type[T] | tuple[type[T], ...]) -> TypeGuard[T]:
    """`isinstance` by the object's real class, not by its `__class__`, which may run code of its own."""
    return issubclass(type(value), kinds)


def mro_of(kind: type) -> tuple[type, ...]:
    """The real MRO of a class, whatever its metaclass says."""
    return _MRO.__get__(kind)


def contents_of(kind: type) -> MappingProxyType[str, Any]:
    """A class's own attributes, as `vars` gives them, whatever its metaclass says."""
    return _DICT.__get__(kind)


def name_of_class(value: object) -> str:
    """The name of a value's class."""
    return str(attempted(lambda: _NAME.__get__(type(value)), "object"))


def module_of_class(kind: type) -> str:
    """The module that a class names as its own; "" if it names none."""
    module = attempted(lambda: _MODULE.__get__(kind), "")
    return module if type(module) is str else ""
