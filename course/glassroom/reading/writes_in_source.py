"""Where source code saves and writes a variable's tensor: read from the code, for errors that nobody watched."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from types import CodeType

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return)
_SIGNS = {"mul": "*", "pow": "**", "mm": "@", "bmm": "@", "addmm": "@", "mv": "@", "dot": "@", "div": "/"}


def statements_of_code(source: str, code: CodeType, last: int) -> list[ast.stmt]:
    """The simple statements of a function, or of a file or a cell, up to a line; not those of functions in it."""
    try:
        tree: ast.AST = ast.parse(source)
    except SyntaxError:  # no Python: a template, say
        return []
    if code.co_name != "<module>":
        functions = (each for each in ast.walk(tree) if isinstance(each, _FUNCTIONS) and _begins(each, code))
        tree = next(functions, ast.Module([], []))
    found: list[ast.stmt] = []
    waiting = list(ast.iter_child_nodes(tree))
    while waiting:
        node = waiting.pop()
        if isinstance(node, _SIMPLE) and node.lineno <= last:
            found.append(node)
        elif not isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            waiting += ast.iter_child_nodes(node)
    return sorted(found, key=lambda each: each.lineno)


def _begins(function: ast.FunctionDef | ast.AsyncFunctionDef, code: CodeType) -> bool:
    lines = [function.lineno, *[each.lineno for each in function.decorator_list]]
    return function.name == code.co_name and code.co_firstlineno in lines


def writes_to(statement: ast.stmt, names: Collection[str], is_parameter: bool) -> bool:
    """Whether a statement writes in place to a variable: `y += 1`, `y[0] = 2`, `y.add_(1)`, `out=y`.

    To a parameter an optimizer's `step()` writes as well.
    """
    targets: list[ast.expr] = []
    if isinstance(statement, ast.AugAssign):
        targets = [statement.target]
    elif isinstance(statement, ast.Assign):
        targets = [each for each in statement.targets if isinstance(each, ast.Subscript)]
    for call in (each for each in ast.walk(statement) if isinstance(each, ast.Call)):
        if isinstance(call.func, ast.Attribute):
            method = call.func.attr
            if method.endswith("_") and not method.endswith("__"):
                targets.append(call.func.value)
            if is_parameter and method == "step":
                return True
        targets += [keyword.value for keyword in call.keywords if keyword.arg == "out"]
    return any(ast.unparse(part) in names for target in targets for part in _parts(target))


def _parts(target: ast.expr) -> Iterator[ast.expr]:
    """What a target is a part or a view of: of `y[0].T` also `y[0]` and `y`."""
    while True:
        yield target
        if isinstance(target, ast.Subscript | ast.Attribute | ast.Starred):
            target = target.value
        elif isinstance(target, ast.Call) and isinstance(target.func, ast.Attribute):
            target = target.func.value
        else:
            return


def saves(statement: ast.stmt, operator: str, names: Collection[str]) -> bool:
    """Whether a statement calls the operator with a variable, or for one."""
    text = ast.unparse(statement)
    mentioned = {ast.unparse(each) for each in ast.walk(statement) if isinstance(each, ast.Name | ast.Attribute)}
    sign = _SIGNS.get(operator)
    calls = re.search(rf"\b{re.escape(operator)}_?\(", text) is not None or (sign is not None and sign in text)
    return calls and not mentioned.isdisjoint(names)
