"""Variables that a loop has left behind, which should not name what they hold. The one idea: Python keeps a loop's
variable after the loop. In `for row in rows: total = total + row`, `total` is the user's name for the result, while
`row` merely happens to hold the last row. Names that are bound only by loops are found in the source: of a function, of
a script, or of all cells of a notebook that have run.
"""

from __future__ import annotations

import ast
import linecache
import os
from collections.abc import Iterable, Iterator
from functools import lru_cache
from types import FrameType

_TERMINAL = "<ipython-input-"  # IPython's file name for a line typed in a terminal
_OWN_NAMES = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
_COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def left_by_loops(frame: FrameType) -> frozenset[str]:
    """The variables of a frame's code that only loops have bound, none of which is running now."""
    code = frame.f_code
    own = "".join(linecache.getlines(code.co_filename))
    is_module = code.co_name == "<module>"
    others = [source for source in _cells(code.co_filename) if source != own]
    by_loops: set[str] = set()
    otherwise: set[str] = set()
    for source in [own, *others] if is_module else [own]:
        scope = _scope(source, None if is_module else (code.co_name, code.co_firstlineno))
        line = frame.f_lineno if source == own else 0
        for name, lines in scope:
            if lines is None or line in lines:
                otherwise.add(name)
            else:
                by_loops.add(name)
    return frozenset(by_loops - otherwise - set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]))


def _cells(file: str) -> list[str]:
    """The cells of the notebook, or of the terminal's session, that `file` is one of. Python's linecache keeps their
    lines."""
    folder = os.path.dirname(file)
    if os.path.basename(folder).startswith("ipykernel_"):
        cells = [file for file in linecache.cache if os.path.dirname(file) == folder]
    elif file.startswith(_TERMINAL):
        cells = [name for name in linecache.cache if name.startswith(_TERMINAL)]
    else:
        return []
    return ["".join(linecache.getlines(cell)) for cell in cells]


Bound = tuple[str, range | None]  # a name, and the lines of the loop that binds it; None if something else does


@lru_cache(maxsize=1024)
def _scope(source: str, function: tuple[str, int] | None) -> tuple[Bound, ...]:
    """Each binding of a name in a module, or in the function of this name that begins at this line."""
    try:
        tree: ast.AST = ast.parse(source)
    except SyntaxError:
        return ()
    if function is None:
        return tuple(_bound(ast.iter_child_nodes(tree)))
    name, line = function
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
            first = min([node.lineno, *[decorator.lineno for decorator in node.decorator_list]])
            if first == line:
                return tuple(_bound(node.body))
    return ()


def _bound(nodes: Iterable[ast.AST]) -> Iterator[Bound]:
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.For | ast.AsyncFor):
            lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
            yield from ((part.id, lines) for part in ast.walk(node.target) if isinstance(part, ast.Name))
            waiting += [node.iter, *node.body, *node.orelse]
        elif isinstance(node, _OWN_NAMES):
            if not isinstance(node, ast.Lambda):
                yield node.name, None
        elif isinstance(node, _COMPREHENSIONS):
            continue  # its variables end with the function
        elif isinstance(node, ast.alias):
            yield (node.asname or node.name).partition(".")[0], None
        else:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id, None
            waiting += ast.iter_child_nodes(node)
