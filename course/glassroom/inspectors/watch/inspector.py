"""`%%watch` and `watch(function)`: code run statement by statement, and what each did to memory."""

from __future__ import annotations

import ast
import inspect
import linecache
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from types import CodeType
from typing import Any

from glassroom.drawing.canvas import NARROW
from glassroom.inspectors.base import Inspector
from glassroom.inspectors.watch.collector import CollectorPaused
from glassroom.inspectors.watch.following import files_of
from glassroom.inspectors.watch.recording import STEPS, Recorder
from glassroom.inspectors.watch.state import state_of
from glassroom.inspectors.watch.stepping import statements_of
from glassroom.inspectors.watch.story import Story
from glassroom.inspectors.watch.svg import svg_of_story
from glassroom.inspectors.watch.text import text_of_story
from glassroom.inspectors.watch.words import summary
from glassroom.reading.variables import names_in
from glassroom.translations.templates import as_is


class Watch(Inspector):
    """The record of code that was watched."""

    kind = as_is("watched cell")
    widths = (NARROW,)  # cards are narrower than half a window

    def __init__(self, story: Story) -> None:
        self.data: Story = story
        self.story = story

    def as_dict(self) -> dict[str, Any]:
        return {"inspector": self.kind, **self.story.as_dict()}

    @property
    def text(self) -> str:
        return text_of_story(self.story)

    @property
    def svg(self) -> str:
        return svg_of_story(self.story)

    @property
    def label(self) -> str:
        return summary(self.story)

    def state(self) -> dict[str, Any]:
        with CollectorPaused():
            return state_of(self.story)


def watch(
    function: Callable[..., object],
    *args: object,
    names: Iterable[str] = (),
    steps: int = STEPS,
    rest: bool = True,
    follow: Iterable[object] = (),
    **kwargs: object,
) -> Watch:
    """Call ``function(*args, **kwargs)`` statement by statement, and show what each statement did to memory.

    The function and others of its file are followed, and the code of `follow`: modules, classes, functions of other
    files and cells, and objects such as a network, which stand for their class. After each statement, the tensors of
    tensorglass, PyTorch, NumPy and CuPy in variables, containers, networks and objects are looked at. `names` restricts
    the variables, given as a list or as `"a,b"`. At most `steps` steps are shown; the rest is only counted, or, with
    `rest=False`, runs unwatched at full speed. The function's result is dropped; an error is passed on, with the steps
    up to it as a note. Raises TypeError for anything but a Python function, a partial of one, or an object whose call
    runs one, and for a `follow` that has no Python source.
    """
    __tracebackhide__ = True
    if sys.is_finalizing():
        return Watch.of_nothing()
    followed = _followed(function)
    code = followed.__code__
    source = "".join(linecache.getlines(code.co_filename))
    only = [name.strip() for name in names.split(",") if name.strip()] if isinstance(names, str) else names
    recorder = Recorder(followed.__globals__, names_in(code), only, steps, rest)
    try:
        recorder.run(lambda: function(*args, **kwargs), code.co_filename, statements_of(source), code, files_of(follow))
    except BaseException as error:
        error.add_note(text_of_story(_of_functions(recorder, source)))
        raise
    return Watch(_of_functions(recorder, source))


def _followed(function: Callable[..., object]) -> Any:
    """The function or method to follow: for a partial the one that it wraps, for an object the one that a call of it
    runs.
    """
    inner = inspect.unwrap(function)
    while isinstance(inner, partial):
        inner = inspect.unwrap(inner.func)
    for candidate in (inner, getattr(inner, "forward", None), vars(type(inner)).get("__call__")):
        if isinstance(getattr(candidate, "__code__", None), CodeType):
            return candidate
    raise TypeError(f"watch takes a function written in Python, and {function!r} is none: watch(lambda: …) wraps it")


def _of_functions(recorder: Recorder, source: str) -> Story:
    """The record, with the source of the functions that were followed."""
    story = recorder.story({})
    visited = {moment.statement.line for moment in story.moments if not moment.statement.file}
    shown: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
            if not visited.isdisjoint(lines):
                shown.update(lines)
    return replace(story, lines={n: line for n, line in enumerate(source.splitlines(), 1) if n in shown})
