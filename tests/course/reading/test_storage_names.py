"""Names of storages: a notebook's cell that is run again gives its storages the same names as before."""

from __future__ import annotations

import re
from importlib.util import find_spec

import nbformat
import pytest
from nbclient import NotebookClient

import tensorglass
from tensorglass import memory

SET_UP = "import {library} as torch\nfrom glassroom import aliases, show\n%load_ext glassroom"
CELLS = {
    "made": "a = torch.arange(3.)\nb = a.view(3, 1)\nprint(show(a, b))",
    "watched": "%%watch\nx = torch.zeros(3)\ny = a + x\nx[0] = 1",
    "both": "c = torch.ones(2)\nprint(show(a, c))",
    "all": "print(aliases())",
}


@pytest.mark.parametrize("library", ["tensorglass", "torch"])
def test_a_cell_that_is_run_again_gives_the_same_names(library: str) -> None:
    if find_spec(library) is None:
        pytest.skip("the oracle, PyTorch, is not installed (extra: parity)")
    order = ["made", "watched", "both", "all", "made", "watched", "both", "all", "watched", "watched", "both", "made"]
    sources = [SET_UP.format(library=library), *[CELLS[each] for each in order]]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(each) for each in sources])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    NotebookClient(notebook, timeout=120).execute()
    found: dict[str, list[list[str]]] = {}
    for name, cell in zip(order, notebook.cells[1:], strict=True):
        [output] = cell.outputs
        text = output.get("text") or output["data"]["text/plain"]
        found.setdefault(name, []).append(re.findall(r"(?:^|new storage |wrote )(S\d+)", text, re.MULTILINE))
    assert found["made"] == [["S0"]] * 3
    assert found["watched"] == [["S1", "S2", "S1"]] * 4
    assert found["both"] == [["S0", "S3"]] * 3
    assert [sorted(each) for each in found["all"]] == [["S0", "S1", "S2", "S3"]] * 2


def test_names_can_be_given_again_and_who_had_one_gets_another() -> None:
    memory.give_again(())
    one, other = tensorglass.ones(2).untyped_storage(), tensorglass.ones(2).untyped_storage()
    names = [one.name, other.name]
    assert memory.give_again(names[:1]) == names
    third = tensorglass.ones(2).untyped_storage()
    assert third.name == names[0]
    assert one.name not in names
    assert other.name == names[1]
