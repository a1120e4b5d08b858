"""Whoever has reached the end of a notebook and goes back to an earlier cell finds it working, and judged as before."""

import nbformat
import pytest
from stored_notebooks import FOLDER, NOTEBOOKS

from glassroom.workspace.execution import execute

NAMED = ("2_tensors/06", "3_autograd/01", "5_networks/06")
WALKED = [place for place in NOTEBOOKS if str(place).startswith(NAMED)]


@pytest.mark.timeout(300)
@pytest.mark.parametrize("place", WALKED, ids=str)
def test_after_the_last_cell_each_earlier_one_runs_and_accepts_the_same_answers(place):
    """They run again from the last to the first, so that each finds what all cells below it have left behind."""
    stored = nbformat.read(FOLDER / place, as_version=4)
    sources = [cell.source for cell in stored.cells if cell.cell_type == "code"]
    notebook = nbformat.v4.new_notebook(metadata=stored.metadata)
    notebook.cells = [nbformat.v4.new_code_cell(each) for each in (*sources, *reversed(sources))]
    for cell in execute(notebook, (FOLDER / place).parent, timeout=120).cells:
        told = "".join(output.get("text", "") for output in cell.outputs)
        assert "✗" not in told, f"{cell.source}\n{told}"
        assert "Not yet" not in told, f"{cell.source}\n{told}"
