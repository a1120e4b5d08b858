"""Kernels that tests start listen at sockets in a folder of their own: no other kernel can have taken them."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat
import pytest

from glassroom.workspace.execution import execute

ASKS = "from ipykernel import get_connection_info\nprint(get_connection_info(unpack=True)['transport'])"
on_unix = pytest.mark.skipif(os.name == "nt", reason="ZeroMQ has no sockets in folders on Windows")


def notebook(told: str) -> nbformat.NotebookNode:
    """A notebook that says what its kernel is reached by, with a stored output that says `told`."""
    cell = nbformat.v4.new_code_cell(
        ASKS, execution_count=1, outputs=[nbformat.v4.new_output("stream", text=f"{told}\n")]
    )
    return nbformat.v4.new_notebook(cells=[cell])


@on_unix
def test_a_notebook_is_run_by_sockets_in_a_folder_that_is_gone_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:  # pytest's own can be too long for sockets
        monkeypatch.setattr(tempfile, "tempdir", folder)
        assert execute(notebook(""), Path(folder)).cells[0].outputs[0].text == "ipc\n"
        assert os.listdir(folder) == []


def test_where_the_folders_path_is_too_long_for_sockets_a_kernel_has_ports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tmp_path / ("long" * 30)
    deep.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    assert execute(notebook(""), tmp_path).cells[0].outputs[0].text == "tcp\n"


@on_unix
def test_nbvals_kernels_have_sockets_where_the_plugin_is_named(tmp_path: Path) -> None:
    nbformat.write(notebook("ipc"), tmp_path / "asks.ipynb")
    plugin = ("-p", "glassroom.testing.nbval_kernels")
    command = [sys.executable, "-m", "pytest", "--nbval", "--nbval-current-env", *plugin, "asks.ipynb"]
    environment = {**os.environ, "TMPDIR": "/tmp"}
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout
    assert "1 passed" in ran.stdout
