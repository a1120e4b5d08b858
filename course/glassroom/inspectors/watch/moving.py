"""Statements that only move elements: `b = a[[0, 1]]`, `b = a.T.ravel()`, `b = np.concatenate([a, c])`.

The one idea: NumPy does not report its copies, and equal values do not prove one, since computing something twice gives
equal values too. But a new storage that results from indexing, reshaping or joining existing arrays is a copy.
"""

from __future__ import annotations

import ast

VIEWING = frozenset({"transpose", "swapaxes", "squeeze", "view", "detach", "numpy"})  # methods that copy nothing
FACTS = frozenset({"shape", "size", "dtype", "ndim", "strides"})  # attributes that hold none of an array's elements
MOVING = frozenset({
    "copy", "astype", "ravel", "flatten", "reshape", "take", "compress", "repeat", "tile", "concatenate", "stack",
    "hstack", "vstack", "dstack", "column_stack", "block", "append", "insert", "delete", "roll", "pad", "resize",
    "array", "asarray", "ascontiguousarray", "asfortranarray",
})  # fmt: skip


def moved_by(statement: ast.AST) -> tuple[str, ...]:
    """The variables, at least one of them an array, whose elements a statement moves; empty if it may do more than
    that."""
    if not isinstance(statement, ast.Assign | ast.AnnAssign | ast.Return | ast.Expr):
        return ()
    value = statement.value
    if isinstance(value, ast.Subscript):
        operands: list[ast.expr] = [value.value]
    elif isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in MOVING:
        operands = [value.func.value]
        if isinstance(value.func.value, ast.Name):  # a module, as in `np.take(a, places)`, or an array
            operands += value.args[:1]
    else:
        return ()
    return tuple([root for root in map(_root, operands) if root is not None])


def _root(node: ast.expr) -> str | None:
    """The variable that an expression is a part or a view of."""
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Attribute) and node.attr in FACTS:
            return None
        if isinstance(node, ast.Subscript | ast.Attribute | ast.Starred):
            node = node.value
        elif isinstance(node, ast.List | ast.Tuple) and node.elts:
            node = node.elts[0]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in VIEWING | MOVING:
            node = node.func.value
        else:
            return None
    return node.id
