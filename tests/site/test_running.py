"""Code that runs in the page: nothing before the press, the page's lines and changed ones, errors, Stop, themes."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import zipfile
from pathlib import Path

import pytest
from browser import axe

JUPYTERLITE = os.environ.get("JUPYTERLITE_DIST")
NOTEBOOK = "notebooks/1_memory/05_strides_and_offset.html"
TOUR = "gallery.html"
START = 240_000  # milliseconds that Python may take to load on a busy machine

needs_pyodide = pytest.mark.skipif(
    not os.environ.get("PYODIDE_DIST"),
    reason="no Pyodide: python tests/wasm/fetch.py FOLDER fetches one, PYODIDE_DIST=FOLDER names it",
)


class Cell:
    """A cell of a page that can run; `number` counts from 0."""

    def __init__(self, page, number):
        self.page = page
        self.row = page.locator(".run-row").nth(number)
        self.says = self.row.locator(".run-says")

    def press(self, name):
        self.row.get_by_role("button", name=name).click()

    def finished(self):
        """Wait until it has run, and return what it says then."""
        self.row.locator("button:disabled").first.wait_for(state="detached", timeout=START)
        return self.says.inner_text()

    def type(self, text):
        """Write into the cell by keys alone."""
        self.press("Edit")
        self.page.keyboard.press("Control+A")
        self.page.keyboard.press("Delete")
        self.page.keyboard.insert_text(text)
        self.page.keyboard.press("Control+Enter")
        return self.finished()


def test_a_page_loads_nothing_to_run_before_run_is_pressed_and_says_what_cannot_be_loaded(page, address):
    asked = []
    page = page.context.new_page()  # which may ask another host for Python, once Run is pressed
    page.on("request", lambda request: asked.append(request.url))
    page.route("**/pyodide.mjs", lambda route: route.abort())
    page.goto(f"{address}/{TOUR}")
    page.locator(".run-row").first.wait_for()
    assert not [each for each in asked if "pyodide" in each or "worker" in each or ".whl" in each]
    assert all(each.startswith((address, "data:", "blob:")) for each in asked)
    page.locator(".run-row button").first.click()
    page.locator(".run-says", has_text="could not be loaded").wait_for()
    assert page.locator(".run-row button").first.is_enabled()


def test_every_page_has_lines_of_ones_own_at_its_end(site):
    pages = [path for path in site.rglob("*.html") if "<article" in path.read_text("utf-8")]
    assert len(pages) > 50
    assert all("run.js" in path.read_text("utf-8") for path in pages)


def add_to_the_distribution(page, name):
    """Let the page find one more package in its distribution of Pyodide: a module of this name that is empty."""
    folder = Path(os.environ["PYODIDE_DIST"])
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as wheel:
        wheel.writestr(f"{name}.py", "")
        wheel.writestr(f"{name}-1.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
        wheel.writestr(f"{name}-1.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    lock = json.loads((folder / "pyodide-lock.json").read_text("utf-8"))
    lock["packages"][name.replace("_", "-")] = {
        "name": name,
        "version": "1",
        "file_name": f"{name}-1-py3-none-any.whl",
        "install_dir": "site",
        "imports": [name],
        "depends": [],
        "package_type": "package",
        "unvendored_tests": False,
        "sha256": hashlib.sha256(packed.getvalue()).hexdigest(),
    }
    page.route("**/pyodide-lock.json", lambda route: route.fulfill(json=lock))
    page.route(f"**/{name}-1-py3-none-any.whl", lambda route: route.fulfill(body=packed.getvalue()))


@needs_pyodide
def test_the_first_pages_lines_run_and_so_does_a_changed_one(page, address):
    add_to_the_distribution(page, "ml_dtypes")
    page.goto(f"{address}/index.html")
    cell = Cell(page, 0)
    cell.press("Run")
    cell.press("Stop")
    assert "Stopped" in cell.finished()
    page.evaluate("document.querySelector('.ran').replaceChildren()")
    cell.press("Run")
    assert "Ran in" in cell.finished()
    picture = page.locator(".ran")
    assert "30" in picture.inner_text()
    before = page.locator(".ran .gr-status").inner_text()
    picture.locator(".tensor .cell").first.hover()
    page.wait_for_function("before => document.querySelector('.ran .gr-status').innerText !== before", arg=before)
    code = page.locator(".first-code pre").inner_text().replace("row[0] = 30", "row[0] = 77")
    assert "Ran in" in cell.type(code)
    assert "77" in picture.inner_text()
    assert "30" not in picture.locator("svg").first.text_content()
    own = Cell(page, page.locator(".run-row").count() - 1)
    page.locator(".run-own textarea").focus()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text("print('\\x1b[31mred\\x1b[0m')\nrow.sum() / nothing")
    page.keyboard.press("Control+Enter")
    assert "An error stopped it" in own.finished()
    said = page.locator(".run-own .cell_output")
    assert said.locator(".ansi-red").first.inner_text() == "red"
    assert "NameError: name 'nothing' is not defined" in said.inner_text()
    assert "Cell In[" in said.inner_text()
    for line, seen in {"print(spec)": "None", "print(spec.name, 'has bfloat16')": "ml_dtypes has bfloat16"}.items():
        page.locator(".run-own textarea").focus()
        page.keyboard.press("Control+A")
        page.keyboard.insert_text(f"from importlib.util import find_spec\nspec = find_spec('ml_dtypes')\n{line}")
        page.keyboard.press("Control+Enter")
        own.finished()
        assert said.inner_text().strip() == seen
    page.set_viewport_size({"width": 390, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert axe.faults(page, "article") == []


@needs_pyodide
def test_a_notebooks_cell_runs_what_stands_above_it_and_stop_interrupts_it(page, isolated_address):
    page.goto(f"{isolated_address}/{NOTEBOOK}")
    page.locator(".run-row").first.wait_for()
    number = page.locator(".run-row").count() - 1
    own = Cell(page, number)
    page.locator(".run-own textarea").focus()
    page.keyboard.insert_text("header(torch.ones(2, 3))")
    page.keyboard.press("Shift+Enter")
    assert "Ran in" in own.finished()
    assert page.locator(".run-own .cell_output").inner_text().strip() == "((2, 3), (3, 1), 0)"
    assert "Ran in" in Cell(page, 0).says.inner_text()
    page.locator(".run-own textarea").focus()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text("print('on it')\nwhile True: pass")
    page.keyboard.press("Control+Enter")
    page.locator(".run-own .run-stdout", has_text="on it").wait_for(timeout=START)
    own.press("Stop")
    own.finished()
    assert "KeyboardInterrupt" in page.locator(".run-own .cell_output").inner_text()
    page.locator(".run-own textarea").focus()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text("header(torch.ones(2))")
    page.keyboard.press("Control+Enter")
    own.finished()
    assert page.locator(".run-own .cell_output").inner_text().strip() == "((2,), (1,), 0)"


def test_a_folder_of_pyodide_that_is_none_is_named_and_nothing_is_written(tmp_path):
    from glassroom.site.running import pyodide
    from glassroom.workspace.problems import Problem

    with pytest.raises(Problem, match="There is no folder"):
        pyodide(str(tmp_path / "nowhere"))
    with pytest.raises(Problem, match=r"lacks pyodide\.mjs, pyodide\.asm\.wasm"):
        pyodide(str(tmp_path))
    with pytest.raises(Problem, match="no address of Pyodide"):
        pyodide("ftp://example.org/pyodide")
    for name in ("pyodide.mjs", "pyodide.asm.wasm", "python_stdlib.zip"):
        (tmp_path / name).touch()
    (tmp_path / "pyodide-lock.json").write_text("[]")
    with pytest.raises(Problem, match=r"pyodide-lock\.json cannot be read"):
        pyodide(str(tmp_path))
    numpy = {"file_name": "numpy.whl", "depends": ["Open_BLAS"]}
    (tmp_path / "pyodide-lock.json").write_text(json.dumps({"packages": {"numpy": numpy}}))
    with pytest.raises(Problem, match="lacks the packages ipython, numpy, open-blas"):
        pyodide(str(tmp_path))
    assert pyodide("https://example.org/pyodide").address == "https://example.org/pyodide/"


@pytest.mark.sweep
@pytest.mark.parametrize("asked", [None, "https://files.example.org/python"])
def test_pages_and_jupyterlite_load_python_from_the_host_that_is_asked_for_and_no_other(tmp_path, monkeypatch, asked):
    from glassroom.site.lite import write_lite
    from glassroom.site.running import PUBLIC, pyodide, write_scripts
    from glassroom.workspace.sources import notebooks_folder

    address = PUBLIC if asked is None else f"{asked}/"
    static = tmp_path / "_static"
    static.mkdir()
    write_scripts(static, notebooks_folder(), pyodide(asked), lite=True)
    told = [path.read_text("utf-8") for path in static.glob("*.js")]
    if JUPYTERLITE:
        monkeypatch.setenv("PYTHONPATH", JUPYTERLITE, prepend=os.pathsep)
        monkeypatch.setenv("JUPYTER_PATH", f"{JUPYTERLITE}/share/jupyter", prepend=os.pathsep)
        write_lite(tmp_path, notebooks_folder(), pyodide(asked))
        told += [path.read_text("utf-8") for path in (tmp_path / "lite").rglob("jupyter-lite.json")]
        (constants,) = Path(JUPYTERLITE).glob("jupyterlite_pyodide_kernel/constants.py")
        version = re.search(r'PYODIDE_VERSION = "(\d+\.\d+)\.', constants.read_text("utf-8"))[1]
        assert f"/v{version}." in PUBLIC  # the kernel goes with this series
    hosts = set(re.findall(r'"pyodide(?:Url)?": "(https?://[^"]*/)', "".join(told)))
    assert hosts == {address}
    assert "".join(told).count(f'"{address}pyodide.js"') == (1 if JUPYTERLITE else 0)


def test_the_shell_of_a_page_publishes_what_a_cell_prints_displays_returns_and_raises():
    from glassroom.site.page_shell import PageShell

    given = []
    shell = PageShell.instance(publish=given.append, is_notebook=False)
    try:
        assert shell.lacks("x = y + len([])")
        assert not shell.lacks("z = 1\nz")
        assert not shell.lacks("this is no Python")
        assert shell.run("print('a', end='')\ndisplay(1)\ntorch.ones(2)")
        assert not shell.run("1 / 0")
        assert shell.run("show(torch.arange(2))")
        assert shell.run("1\n2", every=True)
        assert shell.run("for i in range(100_000): print(i)")
    finally:
        PageShell.clear_instance()
    kinds = [(output["output_type"], output.get("text", "")) for output in given]
    assert kinds[:3] == [("stream", "a"), ("display_data", ""), ("execute_result", "")]
    assert given[2]["data"] == {"text/plain": "tensor([1., 1.])"}
    assert (given[3]["ename"], given[3]["evalue"]) == ("ZeroDivisionError", "division by zero")
    assert "Cell In[2], line 1" in re.sub(r"\x1b\[[\d;]*m", "", "".join(given[3]["traceback"]))
    assert "<script>" in given[4]["data"]["text/html"]
    assert [output["data"] for output in given[5:7]] == [{"text/plain": "1"}, {"text/plain": "2"}]
    printed = "".join(text for _, text in kinds[7:])
    assert printed.startswith("0\n1\n2\n")
    assert len(printed) < 500_000
    assert printed.endswith("which is not shown")
