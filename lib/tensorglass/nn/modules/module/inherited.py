"""The names of inherited methods in Python's error messages.

`Conv1d`, `Conv2d` and `Conv3d` share one `__init__`, which is defined in a private class. If an argument is missing,
the message should name the layer that was called, as PyTorch's: "Conv2d.__init__() missing 1 required positional
argument".
"""

from __future__ import annotations

from collections.abc import Callable
from types import CellType, FunctionType
from typing import TypeVar

Kind = TypeVar("Kind", bound=type)


def named_after_subclass(*names: str) -> Callable[[Kind], Kind]:
    """A decorator for a private class: these methods are renamed as if each subclass defined them.

    ``__class__`` is the subclass in them. What they read from that and not from `self` is found on any `self`: programs
    run a layer's `forward` on objects of their own.
    """

    def mark(family: Kind) -> Kind:
        def __init_subclass__(cls: type) -> None:  # it becomes a method
            super(family, cls).__init_subclass__()  # type: ignore[arg-type]  # a type variable bound to types
            for name in () if cls.__name__.startswith("_") else names:
                owner = next(base for base in cls.__mro__ if name in vars(base))
                if owner is family:
                    setattr(cls, name, _renamed(vars(family)[name], cls))

        setattr(family, "__init_subclass__", classmethod(__init_subclass__))  # noqa: B010  # mypy knows it as another
        return family

    return mark


def rename_methods(part: type, whose: type) -> None:
    """Rename the methods of a mixin class as if the whole class defined them."""
    for name, function in vars(part).items():
        if isinstance(function, FunctionType):
            function.__qualname__, function.__module__ = f"{whose.__name__}.{name}", whose.__module__


def _renamed(function: FunctionType, cls: type) -> FunctionType:
    code, cells = function.__code__, function.__closure__ or ()
    if "super" not in code.co_names:  # which needs the class that it is written in
        cells = tuple([
            CellType(cls) if name == "__class__" else cell for name, cell in zip(code.co_freevars, cells, strict=True)
        ])  # fmt: skip
    copy = FunctionType(code, function.__globals__, function.__name__, function.__defaults__, cells)
    copy.__dict__.update(function.__dict__)
    copy.__kwdefaults__, copy.__annotations__ = function.__kwdefaults__, function.__annotations__
    copy.__qualname__ = f"{cls.__name__}.{function.__name__}"
    return copy
