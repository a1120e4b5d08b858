"""`%load_ext glassroom`, then `%%watch`: the cell runs like any other, and what it did to memory is shown above its
output. The cell's code is compiled as IPython would compile it and runs in the notebook's namespace. The value of its
last expression is returned to IPython, which displays it; errors propagate.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, cell_magic, magics_class, output_can_be_silenced
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring
from IPython.display import display

from glassroom.inspectors.watch.following import files_of
from glassroom.inspectors.watch.inspector import Watch
from glassroom.inspectors.watch.recording import STEPS, Recorder
from glassroom.inspectors.watch.stepping import statements_of
from glassroom.inspectors.watch.watched_names import mentioned


def load_ipython_extension(shell: Any) -> None:
    """What `%load_ext glassroom` calls."""
    shell.register_magics(WatchMagics)


@magics_class
class WatchMagics(Magics):
    """The magics of glassroom."""

    @output_can_be_silenced
    @cell_magic
    @magic_arguments()
    @argument("--steps", type=int, default=STEPS, help=f"the watch ends after so many steps ({STEPS})")
    @argument("--no-rest", action="store_true", help="what comes after them runs unwatched, at its own pace")
    @argument("--follow", default="", help="step into the code of these modules, classes and functions as well: a,b")
    @argument("--names", default="", help="look at these variables only: a,b")
    def watch(self, line: str, cell: str) -> Any:
        """Run the cell statement by statement, and show what each did to the memory of tensors."""
        __tracebackhide__ = True
        options = parse_argstring(self.watch, line)
        shell: Any = self.shell
        source = shell.transform_cell(cell)
        tree = shell.transform_ast(shell.compile.ast_parse(source))
        _refuse_await(tree)
        filename = shell.compile.cache(source, _number_of_the_cell(shell), raw_code=cell)
        only = [name.strip() for name in options.names.split(",") if name.strip()]
        follow = [name.strip() for name in options.follow.split(",") if name.strip()]
        unknown = [name for name in follow if name not in shell.user_ns]
        if unknown:
            raise UsageError(f"--follow takes variables of the notebook, and there is no {unknown[0]}")
        others = files_of(shell.user_ns[name] for name in follow)
        recorder = Recorder(shell.user_ns, mentioned(source), only, options.steps, not options.no_rest)
        call = _compiled(shell, tree, filename)
        try:
            return recorder.run(call, filename, statements_of(source), others=others)
        finally:
            display(Watch(recorder.story(dict(enumerate(cell.splitlines(), 1)))))


def _number_of_the_cell(shell: Any) -> int:
    """The number of the running cell, which tracebacks use to refer to this code."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        name = shell.compile.format_code_name(frame.f_code.co_filename)
        if name is not None and (digits := re.search(r"\d+", name[1])):
            return int(digits[0])
        frame = frame.f_back
    return int(shell.execution_count)


def _compiled(shell: Any, tree: ast.Module, filename: str) -> Callable[[], object]:
    """A function that runs the cell and returns the value of its last expression."""
    body = tree.body
    last = body[-1] if body and isinstance(body[-1], ast.Expr) and shell.ast_node_interactivity != "none" else None
    first = shell.compile(ast.Module(body[:-1] if last else body, []), filename, "exec")
    final = shell.compile(ast.Expression(last.value), filename, "eval") if last else None
    namespace = shell.user_ns

    def call() -> object:
        __tracebackhide__ = True
        exec(first, namespace)
        return None if final is None else eval(final, namespace)

    return call


def _refuse_await(tree: ast.Module) -> None:
    """Raise UsageError if the cell uses await at its top level, outside of functions."""
    waiting = list[ast.AST](tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Await | ast.AsyncFor | ast.AsyncWith):
            raise UsageError(
                f"%%watch does not step through top-level await (line {node.lineno}): await it in a cell before, "
                "and watch what comes after"
            )
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)
