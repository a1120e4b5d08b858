"""What the caller called its arguments: `show(a, b.t())` is to speak of `a` and `b.t()`."""

from __future__ import annotations

import ast
from types import FrameType

from executing import Source


def argument_names(frame: FrameType, values: tuple[object, ...]) -> list[str]:
    """A name for every positional argument of the call that `frame` is executing.

    The argument's own source where it can be found, else a variable of the caller that holds the very object, else
    `t0`, `t1`, … by position.
    """
    sources = _sources(frame, len(values))
    return [
        source or _variable(frame, value) or f"t{position}"
        for position, (source, value) in enumerate(zip(sources, values, strict=True))
    ]


def _sources(frame: FrameType, count: int) -> list[str | None]:
    call = Source.executing(frame).node
    if not isinstance(call, ast.Call) or len(call.args) != count:
        return [None] * count
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        return [None] * count
    return [ast.unparse(argument) for argument in call.args]


def _variable(frame: FrameType, value: object) -> str | None:
    return next((name for name, held in frame.f_locals.items() if held is value and not name.startswith("_")), None)
