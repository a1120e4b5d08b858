"""A running JupyterLab, with Notebook 7 beside it, for the browser tests and the screenshots of the documentation."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat

# The shell is Chromium without its window, menus and services: its pages are the same, in two thirds of the time.
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"))), None
)
ROOT = Path(__file__).parents[2]
TOKEN = secrets.token_hex(16)
START_SECONDS = 240  # on a machine that is busy with much else


@dataclass
class Watch:
    """What went wrong in a page, and which requests left the machine."""

    errors: list[str] = field(default_factory=list)
    from_elsewhere: list[str] = field(default_factory=list)

    def over(self, page: Any) -> None:
        page.on("pageerror", lambda error: self.errors.append(error.stack))
        page.on("console", lambda message: message.type == "error" and self.errors.append(message.text))
        page.on("request", self._note)

    def _note(self, request: Any) -> None:
        scheme, _, rest = request.url.partition(":")
        if scheme in ("http", "https", "ws", "wss") and not rest.startswith("//127.0.0.1"):
            self.from_elsewhere.append(request.url)


@dataclass
class Lab:
    """A running JupyterLab; `folder` is what it serves."""

    url: str
    folder: Path

    def notebook(self, name: str, *cells: str) -> Path:
        """Write a notebook of code cells into the served folder."""
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
        notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
        path = self.folder / name
        nbformat.write(notebook, path)
        return path

    def open(
        self, browser: Any, name: str, *, width: int = 1280, height: int = 1000, app: str = "lab"
    ) -> tuple[Any, Watch]:
        """A page with the notebook open and its kernel ready, and the watch over it; `app` is "lab" or "notebook"."""
        page = browser.new_page(viewport={"width": width, "height": height})
        watch = Watch()
        watch.over(page)
        self.visit(page, name, app)
        if app == "notebook":
            watch.errors.clear()  # Notebook 7 opens every notebook, an empty one too, with an error of its own
        return page, watch

    def visit(self, page: Any, name: str, app: str = "lab") -> None:
        place = f"lab/workspaces/{secrets.token_hex(4)}/tree" if app == "lab" else "notebooks"
        page.goto(f"{self.url}/{place}/{name}?token={TOKEN}")
        page.locator(".jp-Notebook").wait_for()
        page.wait_for_function("window.jupyterapp && window.jupyterapp.shell.currentWidget?.sessionContext?.isReady")

    def run_all(self, page: Any) -> None:
        page.evaluate("window.jupyterapp.commands.execute('notebook:run-all-cells')")

    def run_cell(self, page: Any, number: int) -> None:
        """Run one cell, counted from 0, and wait until the kernel has run it."""
        page.evaluate(
            """async number => {
                jupyterapp.shell.currentWidget.content.activeCellIndex = number;
                await jupyterapp.commands.execute('notebook:run-cell');
            }""",
            number,
        )

    def save(self, page: Any) -> None:
        page.evaluate("window.jupyterapp.commands.execute('docmanager:save')")


def set_theme(page: Any, theme: str) -> None:
    """Change JupyterLab's theme, if the page has another, and wait until the page wears it."""
    if page.evaluate("document.body.dataset.jpThemeName") != theme:
        page.evaluate("theme => jupyterapp.commands.execute('apputils:change-theme', { theme })", theme)
    page.wait_for_function("theme => document.body.dataset.jpThemeName === theme", arg=theme)
    light = "true" if theme.endswith("Light") else "false"
    page.wait_for_function("light => document.body.dataset.jpThemeLight === light", arg=light)
    page.locator("#jupyterlab-splash").wait_for(state="detached")


@contextmanager
def running_lab(base: Path) -> Iterator[Lab]:
    """Start JupyterLab with its files and settings in `base`; ends it at the end."""
    folder, settings = base / "course", base / "settings"
    folder.mkdir()
    notification = settings / "@jupyterlab" / "apputils-extension" / "notification.jupyterlab-settings"
    notification.parent.mkdir(parents=True)
    notification.write_text(json.dumps({"fetchNews": "false", "checkForUpdates": False}))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]  # JupyterLab takes another one if somebody has this one by then
    environment = {
        **os.environ,
        "JUPYTERLAB_SETTINGS_DIR": str(settings),
        "JUPYTER_CONFIG_DIR": str(base / "config"),
        "JUPYTER_RUNTIME_DIR": str(base / "runtime"),
        "IPYTHONDIR": str(base / "ipython"),
        "PYTHONPATH": os.pathsep.join([str(ROOT / folder) for folder in ("lib", "course", "tests")]),
    }
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1"]
    command += [f"--port={port}", f"--IdentityProvider.token={TOKEN}"]
    command += [f"--ServerApp.root_dir={folder}", "--LabApp.expose_app_in_browser=True"]
    command += ["--JupyterNotebookApp.expose_app_in_browser=True"]  # Notebook 7 is served beside it, if installed
    with (base / "log").open("w") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT)
        try:
            yield Lab(_address(server, base / "runtime", base / "log"), folder)
        finally:
            server.terminate()
            try:
                server.wait(timeout=60)  # it ends its kernels first
            except subprocess.TimeoutExpired:  # the tests are done: how long a busy machine takes is not their subject
                server.kill()
                server.wait()


def _address(server: subprocess.Popen[bytes], runtime: Path, log: Path) -> str:
    """Wait until a server answers; its port is in the file that Jupyter writes for each server that runs."""
    notes = runtime / f"jpserver-{server.pid}.json"
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        assert server.poll() is None, log.read_text()
        try:
            url = f"http://127.0.0.1:{json.loads(notes.read_text())['port']}"
            with urllib.request.urlopen(f"{url}/api?token={TOKEN}", timeout=2):
                return url
        except (OSError, json.JSONDecodeError):  # not written yet, or not answered yet
            time.sleep(0.1)
    raise AssertionError(f"JupyterLab did not answer: {log.read_text()}")
