"""Every notebook again with real PyTorch in place of tensorglass: the outputs are the same.

A cell whose output differs says so, with the reason, in its metadata (`glassroom.differs`). A declared difference that
does not differ fails too, so that the declarations stay true.

Below the last cell the exercises' cells run once more: whoever goes back to an exercise runs its cell alone, with the
names as later cells have left them, and a right answer is still right.
"""

import difflib

import pytest

from glassroom.workspace.execution import execute
from glassroom.workspace.normalize import normalized
from glassroom.workspace.notebook_json import source

COMPARED = ("text/plain", "image/svg+xml")
IMPORTED = ("torch",)


def outputs(cell):
    """What a reader sees of a cell's outputs, as lines: what was printed, results as text and picture, errors."""
    lines = []
    for output in cell["outputs"]:
        if output["output_type"] == "stream":
            lines += "".join(output["text"]).splitlines()
        elif output["output_type"] == "error":
            lines += f"{output['ename']}: {output['evalue']}".splitlines()
        else:
            for mime in COMPARED:
                lines += "".join(output["data"].get(mime, "")).splitlines()
    return lines


def on_pytorch(notebook):
    """The notebook with the one line changed that imports the library."""
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["source"] = source(cell).replace("import tensorglass as torch", "import torch")
    return notebook


@pytest.mark.sweep(3)
@pytest.mark.usefixtures("kernels")
def test_a_notebook_prints_the_same_on_real_pytorch_and_accepts_its_answers_again_at_the_end(path, notebook):
    stored = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    expected = [outputs(cell) for cell in stored]
    again = [{**cell, "id": f"again-{cell['id']}"} for cell in stored if "### END SOLUTION" in source(cell)]
    notebook["cells"] += again
    ran = normalized(execute(on_pytorch(notebook), path.parent, allow_errors=True))
    shown = [cell for cell in ran["cells"] if cell["cell_type"] == "code"]
    complaints = []
    for cell, ours, theirs in zip(stored, expected, shown[: len(stored)], strict=True):
        declared = cell["metadata"].get("glassroom", {}).get("differs")
        difference = list(difflib.unified_diff(ours, outputs(theirs), "stored", "on PyTorch", lineterm="", n=0))
        if difference and not declared:
            complaints.append("\n".join([f"cell {cell['id']} differs:", *difference[2:20]]))
        elif declared and not difference:
            complaints.append(f"cell {cell['id']} is said to differ ({declared}), and does not")
    for cell in shown[len(stored) :]:
        told = outputs(cell)
        if "check(" in source(cell) and not any(line.startswith("✓") for line in told):
            complaints.append("\n".join([f"the right answer in cell {cell['id']}, at the end, is told", *told]))
    assert not complaints, "\n\n".join(["", *complaints])


def test_a_difference_is_declared_with_its_reason(notebook):
    declared = [cell["metadata"]["glassroom"] for cell in notebook["cells"] if "glassroom" in cell["metadata"]]
    reasons = [about["differs"] for about in declared if "differs" in about]
    assert all(isinstance(reason, str) and len(reason.split()) > 2 for reason in reasons)
