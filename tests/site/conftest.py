"""One site of three notebooks and all other pages, built once for all processes; each serves it to a Chromium."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from browser.jupyterlab import CHROMIUM

#: A folder with the packages of the extra `lite`, apart from the environment that JupyterLab runs in.
JUPYTERLITE = os.environ.get("JUPYTERLITE_DIST")
NOTEBOOKS = ("1_memory/00_start_here", "1_memory/05_strides_and_offset", "3_autograd/11_six_gradient_puzzles")


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site; SITE names another, such as one with every notebook, for a look at all of its pages."""
    if built := os.environ.get("SITE"):
        return Path(built)
    for module in ("sphinx", "myst_nb", "furo", "latex2mathml"):
        pytest.importorskip(module, reason="the site's tests need the extra: site")
    from glassroom.site.build import build

    pyodide = os.environ.get("PYODIDE_DIST") or None
    with pytest.MonkeyPatch.context() as patch, one_process_at_a_time(tmp_path_factory) as folder:
        if JUPYTERLITE:
            patch.setenv("PYTHONPATH", JUPYTERLITE, prepend=os.pathsep)
            patch.setenv("JUPYTER_PATH", f"{JUPYTERLITE}/share/jupyter", prepend=os.pathsep)
        lite = bool(pyodide and JUPYTERLITE)
        if not (folder / "out").exists():  # it is there once it is complete
            build(folder / "out", NOTEBOOKS, cache=folder / "cache", pyodide=pyodide, lite=lite)
    return folder / "out"


@contextmanager
def one_process_at_a_time(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder that all processes of this test run share, and that no two have at once; or a folder of its own for each
    process where no file can be locked.
    """
    if "PYTEST_XDIST_WORKER" not in os.environ or find_spec("fcntl") is None:
        yield tmp_path_factory.mktemp("site")
        return
    folder = tmp_path_factory.getbasetemp().parent / "site"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl = import_module("fcntl")
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder


class Isolated(Quiet):
    """A host that lets pages share memory with their workers, so that Stop interrupts as Ctrl+C does."""

    def end_headers(self) -> None:
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        super().end_headers()


@contextmanager
def served(folder: Path, handler: type[Quiet] = Quiet) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    with served(site) as url:
        yield url


@pytest.fixture(scope="session")
def isolated_address(site: Path) -> Iterator[str]:
    with served(site, Isolated) as url:
        yield url


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine: apt-get install chromium")
    sync_api = pytest.importorskip("playwright.sync_api", reason="the site's tests need playwright")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Any) -> Iterator[Any]:
    """A page of a light theme; what it asked for that failed, or that another host had, fails the test."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light")
    page = context.new_page()
    wrong: list[str] = []
    page.on(
        "request", lambda request: wrong.append(request.url) if not request.url.startswith("http://127.0.0.1") else None
    )
    page.on(
        "response",
        lambda response: wrong.append(f"{response.status} {response.url}") if response.status >= 400 else None,
    )
    page.on("pageerror", lambda error: wrong.append(str(error)))
    yield page
    context.close()
    assert not [address for address in wrong if not address.startswith(("data:", "blob:"))]
