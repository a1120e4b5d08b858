"""The code outside its own file that a watch steps into: that of modules, classes, functions and objects."""

from __future__ import annotations

import inspect
import linecache
from collections.abc import Iterable
from dataclasses import replace
from types import CodeType, ModuleType

from glassroom.inspectors.watch.stepping import Statement, statements_of
from glassroom.reading.source_lines import file_called


def files_of(follow: Iterable[object]) -> dict[str, dict[int, Statement]]:
    """The statements of the files that contain the code, by file name and by line. Raises TypeError for objects without
    Python source.
    """
    statements_by_file: dict[str, dict[int, Statement]] = {}
    for target in follow:
        file = _file_of(target)
        lines = [] if file is None else linecache.getlines(file)
        if file is None or not lines:
            raise TypeError(f"watch follows modules, classes and functions written in Python, and {target!r} is none")
        name = file_called(file)
        statements = statements_of("".join(lines))
        texts = {line: lines[line - 1].rstrip() for line in {statement.line for statement in statements.values()}}
        statements_by_file[file] = {
            line: replace(statement, file=name, source=texts[statement.line]) for line, statement in statements.items()
        }
    return statements_by_file


def _file_of(code: object) -> str | None:
    if isinstance(code, ModuleType):
        return getattr(code, "__file__", None)
    if inspect.isroutine(code):
        held = getattr(inspect.unwrap(code), "__code__", None)
        return held.co_filename if isinstance(held, CodeType) else None
    kind = code if isinstance(code, type) else type(code)
    methods = (getattr(method, "__code__", None) for method in vars(kind).values())
    return next((code.co_filename for code in methods if isinstance(code, CodeType)), None)
