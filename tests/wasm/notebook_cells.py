"""Run in Pyodide: a notebook's code cells one after the other, and each cell's outputs as one line of JSON.

The cells run in the shell that the web site's pages have. With the outputs comes the processor's time that Node took.
"""

import json
import os
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from glassroom.site.page_shell import PageShell


def main(place: str) -> None:
    path = Path("/checkout/notebooks") / place
    folder = Path("/home/course") / path.parent.name
    folder.mkdir(parents=True)
    for entry in path.parent.iterdir():
        if entry.is_file() and entry.suffix != ".ipynb":
            (folder / entry.name).write_bytes(entry.read_bytes())
    os.chdir(folder)
    if find_spec("matplotlib"):
        import_module("matplotlib.font_manager")  # the first import on a machine says that it takes a moment
    outputs: list[dict[str, Any]] = []
    process = import_module("js").process
    shell = PageShell.instance(publish=outputs.append, watched=False)
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        outputs.clear()
        before = process.cpuUsage()
        shell.run("".join(cell["source"]))
        used = process.cpuUsage(before)
        seconds = (used.user + used.system) / 1e6
        print(json.dumps({"id": cell["id"], "seconds": seconds, "outputs": outputs}, default=repr), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
