"""Run in Pyodide: a notebook's code cells one after the other, and each cell's outputs as one line of JSON.

The cells run in IPython's own shell, as in JupyterLite: what they print, display, return and raise is caught in the
form in which a notebook stores it.
"""

import json
import os
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Any

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell

outputs: list[dict[str, Any]] = []


class Stream(StringIO):
    """What is printed, in its place among the other outputs."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def write(self, text: str) -> int:
        outputs.append({"output_type": "stream", "name": self.name, "text": text})
        return len(text)


class Published(DisplayPublisher):
    def publish(self, data: Any, metadata: Any = None, *, update: bool = False, **ignored: Any) -> None:
        if not update:
            outputs.append({"output_type": "display_data", "data": data, "metadata": metadata or {}})


class Returned(DisplayHook):
    def write_output_prompt(self) -> None: ...

    def write_format_data(self, format_dict: Any, md_dict: Any = None) -> None:
        outputs.append({"output_type": "execute_result", "data": format_dict, "metadata": md_dict or {}})

    def finish_displayhook(self) -> None:
        self._is_active = False


class Shell(InteractiveShell):
    def showtraceback(self, exc_tuple: Any = None, *arguments: Any, **keywords: Any) -> None:
        kind, error = (exc_tuple or sys.exc_info())[:2]
        outputs.append({"output_type": "error", "ename": kind.__name__, "evalue": str(error), "traceback": []})

    def showsyntaxerror(self, *arguments: Any, **keywords: Any) -> None:
        self.showtraceback()


def main(place: str) -> None:
    path = Path("/checkout/notebooks") / place
    folder = Path("/home/course") / path.parent.name
    folder.mkdir(parents=True)
    for each in path.parent.iterdir():
        if each.is_file() and each.suffix != ".ipynb":
            (folder / each.name).write_bytes(each.read_bytes())
    os.chdir(folder)
    if find_spec("matplotlib"):
        import_module("matplotlib.font_manager")  # the first import on a machine says that it takes a moment
    shell = Shell(displayhook_class=Returned, display_pub_class=Published)
    Shell._instance = shell
    InteractiveShell._instance = shell
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        outputs.clear()
        began = time.perf_counter()
        with redirect_stdout(Stream("stdout")), redirect_stderr(Stream("stderr")):
            shell.run_cell("".join(cell["source"]), store_history=True)
        seconds = round(time.perf_counter() - began, 2)
        print(json.dumps({"id": cell["id"], "seconds": seconds, "outputs": outputs}, default=repr), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
