"""Names of what is left out, which can be imported nevertheless: libraries import them to ask of things what they are.

Nothing is of such a class, and no object of it can be made; such a function can only be passed on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, Self

from tensorglass.core.errors import explained
from tensorglass.core.out_of_scope import about, tell_of_missing

__all__ = ["LeftOut", "LeftOutValue", "is_left_out", "left_out"]


class LeftOut:
    """Derive a class from this, directly, to have its name and nothing of it. Making an object of it is refused."""

    def __new__(cls, *_: Any, **__: Any) -> Self:
        kind = next(kind for kind in cls.__mro__ if LeftOut in kind.__bases__)
        raise _refusal(f"{kind.__module__.removeprefix('tensorglass.')}.{kind.__name__}")

    def __class_getitem__(cls, _: Any) -> type[Self]:
        """The class itself: programs derive from ``Kind[int]`` and write it in annotations."""
        return cls


class LeftOutValue:
    """An object that has a name and nothing else, by its path: "per_tensor_affine". Compare it with ``is``."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __repr__(self) -> str:
        return f"torch.{self._path}"

    def __reduce__(self) -> str:
        return self._path


def left_out(path: str) -> Callable[..., NoReturn]:
    """A function that refuses to be called, by its path: "fx.symbolic_trace"."""

    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise _refusal(path)

    refuse.is_left_out = True  # type: ignore[attr-defined]  # a mark
    refuse.__name__ = refuse.__qualname__ = path.rpartition(".")[2]
    return refuse


def is_left_out(thing: Any) -> bool:
    """Whether this is one of the names that programs can ask for, and no more."""
    if isinstance(thing, type):
        return issubclass(thing, LeftOut)
    return isinstance(thing, LeftOutValue) or getattr(thing, "is_left_out", False) is True


def _refusal(path: str) -> NotImplementedError:
    tell_of_missing(path)
    note = about(path) or "Instead, compose it of what there is, or compute it with PyTorch."
    return explained(NotImplementedError(f"torch.{path} is a name here, and no more"), note)
