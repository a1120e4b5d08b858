"""Names of what is left out, which can be imported nevertheless: libraries import them to ask of things what they are.

Nothing is of such a class, and no object of it can be made; such a function can only be passed on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, Self

from tensorglass.core.errors import explained
from tensorglass.core.out_of_scope import about, tell_of_missing

__all__ = ["LeftOut", "left_out"]


class LeftOut:
    """Derive a class from this, directly, to have its name and nothing of it. Making an object of it is refused."""

    def __new__(cls, *_: Any, **__: Any) -> Self:
        kind = next(kind for kind in cls.__mro__ if LeftOut in kind.__bases__)
        raise _refusal(f"{kind.__module__.removeprefix('tensorglass.')}.{kind.__name__}")

    def __class_getitem__(cls, _: Any) -> type[Self]:
        """The class itself: programs derive from ``Kind[int]`` and write it in annotations."""
        return cls


def left_out(path: str) -> Callable[..., NoReturn]:
    """A function that refuses to be called, by its path: "fx.symbolic_trace"."""

    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise _refusal(path)

    refuse.__name__ = refuse.__qualname__ = path.rpartition(".")[2]
    return refuse


def _refusal(path: str) -> NotImplementedError:
    tell_of_missing(path)
    return explained(NotImplementedError(f"torch.{path} is a name here, and no more"), about(path) or "")
