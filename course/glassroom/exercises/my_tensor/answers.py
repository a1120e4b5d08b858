"""The lines in which a learner wrote a function in a notebook, with what they need: helpers, imports, plain values."""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
import symtable
import sys
from collections.abc import Collection
from types import CodeType, FunctionType, ModuleType
from typing import Any

from glassroom.translations.templates import as_is


class NotFound(Exception):
    """Why the lines of a function cannot be written down, as a half sentence."""


def lines_of(name: str, value: Any, known: Collection[str]) -> str:
    """The code that makes a function under this name, and before it what it uses of the notebook's.

    Names that are `known` are there already. Raises `NotFound`.
    """
    needed: dict[str, str] = {}
    _collect(name, value, set(known), needed)
    imports = [code for code in needed.values() if "\n" not in code and code.startswith(("import ", "from "))]
    others = [code for code in needed.values() if code not in imports]
    return "\n\n\n".join(filter(None, ["\n".join(imports), *others]))


def _collect(name: str, value: Any, known: set[str], needed: dict[str, str]) -> None:
    """Put the code for a name, behind that for the names that it uses, into `needed`."""
    known.add(name)
    function = inspect.unwrap(value)
    if not isinstance(function, FunctionType):
        raise NotFound(f"`{name}` is no function that `def` made")
    statement, code = _statement(function)
    for needed_name in sorted(_global_names(code) - known - vars(builtins).keys()):
        if needed_name in function.__globals__:
            needed_code = _made(needed_name, function.__globals__[needed_name], known, needed)
            if needed_code:
                needed[needed_name] = needed_code
    own = getattr(statement, "name", name)
    needed[name] = code if own == name else f"{code}\n\n\n{name} = {own}"


def _made(name: str, value: Any, known: set[str], needed: dict[str, str]) -> str:
    """The code for a name that a function uses; nothing where that is put down already, or cannot be."""
    if isinstance(value, ModuleType):
        known.add(name)
        return (
            as_is(f"import {value.__name__}") if value.__name__ == name else as_is(f"import {value.__name__} as {name}")
        )
    home = sys.modules.get(getattr(value, "__module__", None) or "")
    own_name = getattr(value, "__name__", "")
    if home is not None and home.__name__ != "__main__" and getattr(home, own_name, None) is value:
        known.add(name)
        renamed = "" if own_name == name else as_is(f" as {name}")
        return as_is(f"from {home.__name__} import {own_name}{renamed}")
    if isinstance(value, FunctionType):
        _collect(name, value, known, needed)
        return ""
    try:
        is_plain = ast.literal_eval(repr(value)) == value
    except (ValueError, SyntaxError, TypeError):
        return ""
    known.add(name)
    return f"{name} = {value!r}" if is_plain else ""


def _global_names(code: str) -> set[str]:
    """The names that a statement takes from the notebook around it."""
    top = symtable.symtable(code, "cell", "exec")
    scopes, names = [top], set()
    while scopes:
        scope = scopes.pop()
        scopes += scope.get_children()
        symbols = [symbol for symbol in scope.get_symbols() if symbol.is_referenced()]
        names |= {symbol.get_name() for symbol in symbols if scope is top or symbol.is_global()}
    return names


def _statement(function: FunctionType) -> tuple[ast.stmt, str]:
    """The statement at the top of a cell that makes the function, and its lines."""
    code: CodeType = function.__code__
    lines = linecache.getlines(code.co_filename)
    try:
        tree = ast.parse("".join(lines))
    except (SyntaxError, ValueError) as error:
        raise NotFound("its lines cannot be found") from error
    for statement in tree.body:
        if code.co_firstlineno in _lines(statement) and _makes(statement, function):
            first, last = _lines(statement)[0], _lines(statement)[-1]
            return statement, "".join(lines[first - 1 : last]).rstrip()
    raise NotFound("it is made within something else")


def _lines(statement: ast.stmt) -> range:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    first = min([statement.lineno, *(decorator.lineno for decorator in decorators)])
    return range(first, (statement.end_lineno or statement.lineno) + 1)


def _makes(statement: ast.stmt, function: FunctionType) -> bool:
    if isinstance(statement, ast.FunctionDef):
        return statement.name == function.__name__
    is_lambda = isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Lambda)
    return is_lambda and function.__name__ == "<lambda>"
