"""Where source code saves and writes a variable's tensor: found by reading the code, for errors in code that was not
watched."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from types import CodeType

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return)
_FUNCTIONS_OF = ("torch", "F", "functional", "init")  # modules whose functions write to their arguments
_CUTTING = re.compile(r"\b(?:no_grad|inference_mode)\(\)|\bset_grad_enabled\(False\)")
_SIGNS = {"mul": "*", "pow": "**", "mm": "@", "bmm": "@", "addmm": "@", "mv": "@", "dot": "@", "div": "/"}


def statements_of_code(source: str, code: CodeType, last: int) -> list[ast.stmt]:
    """The simple statements of a function, a file or a cell, up to a line, without those of nested functions."""
    statements: list[ast.stmt] = []
    waiting = list(ast.iter_child_nodes(_tree_of(source, code)))
    while waiting:
        node = waiting.pop()
        if isinstance(node, _SIMPLE) and node.lineno <= last:
            statements.append(node)
        elif not isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            waiting += ast.iter_child_nodes(node)
    return sorted(statements, key=position)


def position(statement: ast.stmt) -> tuple[int, int]:
    """Where a statement begins: several may share a line."""
    return statement.lineno, statement.col_offset


def loops_over(source: str, code: CodeType, names: Collection[str]) -> list[tuple[ast.For, set[str]]]:
    """The loops over containers of the variables, as `for p in net.parameters()` is for `net.weight`, each with the
    names of its loop variables.
    """
    held = {spelled(name) for name in names}
    loops = [node for node in ast.walk(_tree_of(source, code)) if isinstance(node, ast.For)]
    return [(loop, _names_in(loop.target)) for loop in loops if any(_leads_to(at, held) for at in _chains(loop.iter))]


def regions_without_graph(source: str, code: CodeType) -> list[ast.With]:
    """The `with` statements in which no graph is recorded: `no_grad()`, `inference_mode()`."""
    return [
        node
        for node in ast.walk(_tree_of(source, code))
        if isinstance(node, ast.With) and any(_CUTTING.search(ast.unparse(item.context_expr)) for item in node.items)
    ]


def spelled(name: str) -> str:
    """A path or an expression in one spelling: `net.0.weight` for `net[0].weight`, `h.loss` for `h['loss']`."""
    return re.sub(r"""\[(['"]?)(\w+)\1\]""", r".\2", name)


def _names_in(expression: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(expression) if isinstance(node, ast.Name)}


def _chains(expression: ast.AST) -> Iterator[str]:
    """The paths that an expression reads, each at its full length: `net.head` of `chain(net.head.parameters(),
    more)`."""
    if isinstance(expression, ast.Call):
        if isinstance(expression.func, ast.Attribute):
            yield from _chains(expression.func.value)
        for child in (*expression.args, *expression.keywords):
            yield from _chains(child)
    elif isinstance(expression, ast.Subscript) and not isinstance(expression.slice, ast.Constant):
        yield from _chains(expression.value)
    elif isinstance(expression, ast.Name | ast.Attribute | ast.Subscript):
        yield spelled(ast.unparse(expression))
    else:
        for child in ast.iter_child_nodes(expression):
            yield from _chains(child)


def _leads_to(path: str, names: Collection[str]) -> bool:
    return any(name == path or name.startswith((f"{path}.", f"{path}[")) for name in names)


def _tree_of(source: str, code: CodeType) -> ast.AST:
    """The syntax tree of a function, or of a whole file or cell; None if it is not Python, such as a template."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return ast.Module([], [])
    if code.co_name == "<module>":
        return tree
    if code.co_name == "<lambda>":
        lambdas = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda)]
        bodies = [statement.body for statement in lambdas if statement.lineno == code.co_firstlineno]
        return ast.Module([ast.copy_location(ast.Expr(body), body) for body in bodies[:1]], [])
    functions = (node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS) and _begins(node, code))
    return next(functions, ast.Module([], []))


def _begins(function: ast.FunctionDef | ast.AsyncFunctionDef, code: CodeType) -> bool:
    lines = [function.lineno, *[decorator.lineno for decorator in function.decorator_list]]
    return function.name == code.co_name and code.co_firstlineno in lines


def writes_to(statement: ast.stmt, names: Collection[str], is_parameter: bool) -> bool:
    """Whether a statement writes in place to a variable: `y += 1`, `y[0] = 2`, `y.add_(1)`, `out=y`.

    To a parameter an optimizer's `step()` writes as well.
    """
    held = {spelled(name) for name in names}
    targets: list[ast.expr] = []
    if isinstance(statement, ast.AugAssign):
        targets = [statement.target]
    elif isinstance(statement, ast.Assign):
        targets = [target for target in statement.targets if isinstance(target, ast.Subscript)]
    for call in (node for node in ast.walk(statement) if isinstance(node, ast.Call)):
        if isinstance(call.func, ast.Attribute):
            method = call.func.attr
            if method.endswith("_") and not method.endswith("__"):
                targets.append(call.func.value)
                if ast.unparse(call.func.value).rpartition(".")[2] in _FUNCTIONS_OF:  # `init.normal_(w)`
                    targets += call.args[:1]
            if is_parameter and method == "step":
                return True
        targets += [keyword.value for keyword in call.keywords if keyword.arg == "out"]
        if any(keyword.arg == "inplace" and getattr(keyword.value, "value", None) is True for keyword in call.keywords):
            targets += call.args[:1]  # `F.relu(y, inplace=True)`
    return any(spelled(ast.unparse(part)) in held for target in targets for part in _parts(target))


def _parts(target: ast.expr) -> Iterator[ast.expr]:
    """What a target is a part or a view of: for `y[0].T` also `y[0]` and `y`."""
    while True:
        yield target
        if isinstance(target, ast.Subscript | ast.Attribute | ast.Starred):
            target = target.value
        elif isinstance(target, ast.Call) and isinstance(target.func, ast.Attribute):
            target = target.func.value
        else:
            return


def saves(statement: ast.stmt, operator: str, names: Collection[str]) -> bool:
    """Whether a statement calls the operator with a variable as an argument, or as a method of one."""
    text = ast.unparse(statement)
    mentioned = expressions_in(statement)
    sign = _SIGNS.get(operator)
    calls = re.search(rf"\b{re.escape(operator)}_?\(", text) is not None or (sign is not None and sign in text)
    return calls and not mentioned.isdisjoint(map(spelled, names))


def expressions_in(statement: ast.stmt) -> set[str]:
    """The variables, attributes and items that a statement mentions, in one spelling."""
    parts = (node for node in ast.walk(statement) if isinstance(node, ast.Name | ast.Attribute | ast.Subscript))
    return {spelled(ast.unparse(part)) for part in parts}
