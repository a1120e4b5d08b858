"""`glassroom refresh`: outputs are the same on every run, and a cell that raises loses no file."""

import copy
import json
import signal
import subprocess
import sys
import time

import pytest

from glassroom.cli import app
from glassroom.cli.refresh import refresh
from glassroom.workspace.normalize import normalized
from glassroom.workspace.notebook_json import parse, serialise
from glassroom.workspace.problems import Exit


def code(source, **more):
    return {
        "cell_type": "code",
        "metadata": {},
        "source": source,
        "outputs": [],
        "execution_count": None,
        **more,
    }


def notebook(*cells):
    return {
        "cells": list(cells),
        "metadata": {"glassroom": {"title": "T"}},
        "nbformat": 4,
        "nbformat_minor": 4,
    }


@pytest.fixture
def write(tmp_path):
    def to_file(*cells):
        path = tmp_path / "n.ipynb"
        path.write_bytes(serialise(notebook(*cells)))
        return path

    return to_file


def test_outputs_are_stored_and_a_second_run_changes_nothing(write):
    path = write(code("print('a')\nprint('b')"), code(""), code("6 * 7"))
    assert refresh(path).changed
    cells = parse(path.read_bytes())["cells"]
    assert cells[0]["outputs"] == [{"output_type": "stream", "name": "stdout", "text": ["a\n", "b\n"]}]
    assert cells[2]["outputs"][0]["data"] == {"text/plain": ["42"]}
    assert [cell["execution_count"] for cell in cells] == [1, None, 2]
    stored = path.read_bytes()
    assert not refresh(path).changed
    assert path.read_bytes() == stored


def test_a_notebook_with_a_cell_that_raises_keeps_its_old_file_and_the_cell_is_named(write):
    path = write(code("1"), code("1 / 0"))
    before = path.read_bytes()
    outcome = refresh(path)
    assert outcome.failure == "cell 1: ZeroDivisionError: division by zero"
    assert path.read_bytes() == before


def test_a_cell_that_takes_its_kernel_with_it_is_named(write):
    outcome = refresh(write(code("import os; os._exit(1)")))
    assert outcome.failure == "cell 0: it ended the kernel"


def test_a_cell_that_is_meant_to_raise_is_stored_without_this_machines_paths(write, tmp_path):
    cell = code("import json\njson.loads('{')")
    cell["metadata"] = {"tags": ["raises-exception"]}
    path = write(cell)
    assert refresh(path).failure is None
    output = parse(path.read_bytes())["cells"][0]["outputs"][0]
    assert output["ename"] == "JSONDecodeError"
    assert json.__file__ not in json.dumps(output)


def test_check_changes_nothing_and_exits_with_1_when_something_would_change(write, capsys):
    path = write(code("6 * 7"))
    before = path.read_bytes()
    assert app.run(["refresh", "--check", str(path)]) == Exit.FAILED
    assert path.read_bytes() == before
    assert "differs" in capsys.readouterr().out
    assert app.run(["refresh", str(path)]) == Exit.OK
    assert app.run(["refresh", "--check", str(path)]) == Exit.OK


def test_a_damaged_notebook_is_named_and_the_others_are_refreshed(write, tmp_path, capsys):
    write(code("6 * 7"))
    (tmp_path / "bad.ipynb").write_text("{")
    assert app.run(["refresh", str(tmp_path)]) == Exit.FAILED
    said = capsys.readouterr().out
    assert "bad.ipynb" in said
    assert "2 notebooks: 1 changed, 1 failed" in said


def test_a_notebook_that_is_not_there_is_a_usage_error(tmp_path, capsys):
    assert app.run(["refresh", str(tmp_path / "none.ipynb")]) == Exit.USAGE
    assert "There is no notebook" in capsys.readouterr().err


def test_live_widgets_are_left_out_and_the_static_picture_stays():
    widget = {"application/vnd.jupyter.widget-view+json": {"model_id": "random"}}
    both = {"text/plain": "S0", "image/svg+xml": "<svg/>"} | widget
    outputs = [
        {"output_type": "display_data", "data": both, "metadata": {}},
        {"output_type": "display_data", "data": widget, "metadata": {}},
    ]
    (cell,) = normalized(notebook(code("show(a)", outputs=outputs)))["cells"]
    assert [output["data"] for output in cell["outputs"]] == [{"text/plain": ["S0"], "image/svg+xml": ["<svg/>"]}]


def test_cells_keep_their_ids_and_get_stable_ones_where_they_have_none():
    cells = [code("a", id="mine"), code("b"), code("b"), code("c", id="mine")]
    first = [cell["id"] for cell in normalized(notebook(*cells))["cells"]]
    assert first[0] == "mine"
    assert len(set(first)) == 4
    assert first == [cell["id"] for cell in normalized(notebook(*cells))["cells"]]


def test_normalizing_is_idempotent_and_leaves_its_argument_alone():
    source = notebook(code("1", metadata={"execution": {"time": "now"}, "tags": ["x"]}))
    before = copy.deepcopy(source)
    once = normalized(source)
    assert source == before
    assert normalized(once) == once
    assert once["cells"][0]["metadata"] == {"tags": ["x"]}


def test_ctrl_c_ends_the_notebooks_before_their_next_cell_and_they_keep_their_old_files(tmp_path):
    begun = code("import pathlib, time\npathlib.Path('begun').touch()\ntime.sleep(1)")
    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "n.ipynb").write_bytes(serialise(notebook(begun, code("pathlib.Path('next').touch()"))))
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.ipynb")}
    command = [sys.executable, "-m", "glassroom", "refresh", "--jobs", "1", str(tmp_path)]
    process = subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        text=True,
        # Ctrl-C reaches it even if the tests run in the background, where shells make it ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    while not (tmp_path / "a" / "begun").exists():
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    said = process.communicate()[1]
    assert process.returncode == Exit.INTERRUPTED
    assert said.endswith("\nglassroom: interrupted\n")
    assert "Traceback" not in said
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.ipynb")} == before
    assert {path.name for path in tmp_path.rglob("*") if path.is_file()} == {"n.ipynb", "begun"}
    assert not (tmp_path / "b" / "begun").exists()
