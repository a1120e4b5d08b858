"""A page's own kernel: IPython's shell in the reader's browser, where Pyodide runs it in a worker.

What cells print, display, return and raise is published immediately, in the form in which a notebook stores it.
"""

from __future__ import annotations

import ast
import base64
import builtins
import json
import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from typing import Any

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.error import StdinNotImplementedError
from IPython.core.interactiveshell import InteractiveShell

from glassroom.translations.templates import as_is

Output = dict[str, Any]
MOST = 400_000  # characters that a cell may print: more would make the page slow


class _Stream(StringIO):
    """A stream that publishes printed text line by line, in order with the other outputs."""

    def __init__(self, name: str, publish: Callable[[Output], object]) -> None:
        super().__init__()
        self.name = name
        self.publish = publish
        self.held: list[str] = []
        self.left = MOST

    def write(self, text: str) -> int:
        if self.left > 0:
            self.held.append(text)
            self.left -= len(text)
            if self.left <= 0:
                self.held.append("\n… and more, which is not shown")
            if "\n" in text:
                self.flush()
        return len(text)

    def flush(self) -> None:
        text = "".join(self.held)
        self.held.clear()
        if text:
            self.publish({"output_type": "stream", "name": self.name, "text": text})


class _Published(DisplayPublisher):
    shell: Any

    def publish(
        self,
        data: Any,
        metadata: Any = None,
        *arguments: Any,
        transient: Any = None,
        update: bool = False,
        **others: Any,
    ) -> None:
        kind = "update_display_data" if update else "display_data"
        self.shell.give({**_bundle(kind, data, metadata), "transient": transient or {}})

    def clear_output(self, wait: bool = False) -> None:
        self.shell.give({"output_type": "clear_output", "wait": wait})


class _Returned(DisplayHook):
    shell: Any

    def write_output_prompt(self) -> None: ...

    def write_format_data(self, format_dict: Any, md_dict: Any = None) -> None:
        count = {"execution_count": self.prompt_count}
        self.shell.give({**_bundle("execute_result", format_dict, md_dict), **count})

    def finish_displayhook(self) -> None:
        self._is_active = False


class PageShell(InteractiveShell):
    """The shell of a page; `publish` is called with each output. `watched` says whether a person sees them. If
    `is_notebook` is False, examples may use names of glassroom, and tensorglass as `torch`, without imports.
    """

    def __init__(
        self, publish: Callable[[Output], object], watched: bool = True, is_notebook: bool = True, **others: Any
    ) -> None:
        self.publish = publish
        self.watched = watched
        self.running = ""
        self.is_notebook = is_notebook
        super().__init__(displayhook_class=_Returned, display_pub_class=_Published, **others)
        if self.history_manager is not None:
            self.history_manager.enabled = False

    def get_parent(self) -> Mapping[str, Any]:
        """The front end's request, in the form that Jupyter's kernels give it."""
        return {"content": {"code": self.running, "allow_stdin": self.watched}}

    def give(self, output: Output) -> None:
        """Publish an output, after what was printed before it."""
        sys.stdout.flush()
        sys.stderr.flush()
        self.publish(output)

    def run(self, code: str, every: bool = False) -> bool:
        """Run a cell; returns whether it raised nothing. With `every`, each expression is displayed, not only the
        last."""
        self.running = code
        self.ast_node_interactivity = "all" if every else "last_expr"
        if not self.is_notebook:
            self._take_for_granted(self._undefined(code))
        out, err = _Stream("stdout", self.publish), _Stream("stderr", self.publish)
        with redirect_stdout(out), redirect_stderr(err):
            try:
                return bool(self.run_cell(code, store_history=True).success)
            finally:
                out.flush()
                err.flush()

    def lacks(self, code: str) -> bool:
        """Whether the code reads a name that is not defined yet, so that the code above it must run first."""
        return bool(self._undefined(code))

    def _undefined(self, code: str) -> set[str]:
        try:
            names = [node for node in ast.walk(ast.parse(self.transform_cell(code))) if isinstance(node, ast.Name)]
        except SyntaxError:
            return set()
        own = {node.id for node in names if not isinstance(node.ctx, ast.Load)}
        return {node.id for node in names if not hasattr(builtins, node.id)} - own - self.user_ns.keys()

    def _take_for_granted(self, names: set[str]) -> None:
        import glassroom
        import tensorglass

        known = {"torch": tensorglass, "Tensor": tensorglass.Tensor}
        for name in names:
            if name in known or name in vars(glassroom)["__all__"]:
                self.user_ns[name] = known[name] if name in known else getattr(glassroom, name)

    def _showtraceback(self, etype: Any, evalue: Any, stb: Any) -> None:
        self.give(
            {"output_type": "error", "ename": etype.__name__, "evalue": str(evalue), "traceback": stb or [str(evalue)]}
        )


def begin(publish: Callable[[str], object], is_notebook: bool) -> PageShell:
    """Start the shell of a page that takes outputs as JSON; pages other than notebooks have the usual names
    predefined."""
    builtins.input = _refuse
    return PageShell.instance(publish=lambda output: publish(json.dumps(output, default=repr)), is_notebook=is_notebook)


def _bundle(kind: str, data: Mapping[str, Any], metadata: Any) -> Output:
    shown = {
        form: base64.b64encode(content).decode() if isinstance(content, bytes) else content
        for form, content in data.items()
    }
    return {"output_type": kind, "data": shown, "metadata": metadata or {}}


def _refuse(prompt: object = "") -> str:
    raise StdinNotImplementedError(as_is("raw_input was called, but this frontend does not support input requests."))
