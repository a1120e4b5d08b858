"""The names of classes in Python's own error messages: PyTorch's, which begin with ``torch.``.

`'torch.dtype' object has no attribute 'x'` is Python's message, with the name that the class was created under. So a
class is created under PyTorch's name, and its `__name__` is the short one. A `__getattr__` that raises the same error
would make every attribute access slower: before Python 3.12 the interpreter reads attributes of such classes by a
slower path.
"""

from __future__ import annotations

from typing import Any

_made_with: Any = vars(type)["__name__"]


def name_in_messages(kind: type) -> str:
    """What Python calls a class in its own messages: torch.dtype, int."""
    made_with: str = _made_with.__get__(kind)
    return made_with


# Classes' flags. C knows a class that was written in Python by its name alone.
_MADE_WHEN_RUN, _CANNOT_BE_CHANGED = 1 << 9, 1 << 8


def type_name(argument: Any) -> str:
    """The name of an argument's type as it stands in PyTorch's messages: int, torch.dtype, numpy.ndarray."""
    kind = type(argument)
    is_written_in_python = kind.__flags__ & (_MADE_WHEN_RUN | _CANNOT_BE_CHANGED) == _MADE_WHEN_RUN
    if kind.__module__ != "builtins" and not is_written_in_python:
        return f"{kind.__module__}.{kind.__name__}"
    return name_in_messages(kind)


class Named(type):
    """The metaclass of ``class dtype(metaclass=Named, pytorchs="torch.dtype")``."""

    def __new__(
        cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], pytorchs: str | None = None
    ) -> Named:
        return super().__new__(cls, pytorchs or name, bases, namespace)

    def __init__(
        cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], pytorchs: str | None = None
    ) -> None:
        super().__init__(name, bases, namespace)

    @property
    def __name__(cls) -> str:  # type: ignore[override]  # a plain attribute in the stubs, which C code has made as well
        return name_in_messages(cls).rpartition(".")[2]
