"""The caller's names for its arguments: `show(a, b.t())` should show `a` and `b.t()`. Python knows the position in the
source of the instruction that a frame is executing; that piece of source is parsed, and the arguments are found in it.
"""

from __future__ import annotations

import ast
import linecache
from itertools import islice
from types import FrameType

from glassroom.reading.variables import locals_of


def argument_names(frame: FrameType, values: tuple[object, ...]) -> list[str]:
    """A name for every positional argument of the call that `frame` is executing.

    The argument's own source if it can be found, otherwise a variable of the caller that holds the same object,
    otherwise `t0`, `t1`, … by position.
    """
    written = _written_arguments(frame)
    if len(written) == len(values):
        return written
    return [_variable(frame, value) or f"t{position}" for position, value in enumerate(values)]


def _written_arguments(frame: FrameType) -> list[str]:
    """The source of each positional argument; empty if there is no source, or an argument is unpacked."""
    instruction = frame.f_lasti // 2
    first, last, start, end = next(islice(frame.f_code.co_positions(), instruction, None))
    if first is None or last is None or start is None or end is None:  # Python was started without position information
        return []
    lines = [
        linecache.getline(frame.f_code.co_filename, line, frame.f_globals).encode() for line in range(first, last + 1)
    ]
    if not all(lines):
        return []
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    try:
        call = ast.parse(b"".join(lines), mode="eval").body
    except SyntaxError:
        return []
    if not isinstance(call, ast.Call) or any(isinstance(argument, ast.Starred) for argument in call.args):
        return []
    return [ast.unparse(argument) for argument in call.args]


def _variable(frame: FrameType, value: object) -> str | None:
    names = (name for name, held in locals_of(frame).items() if held is value and not name.startswith("_"))
    return next(names, None)
