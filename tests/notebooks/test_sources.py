"""What holds for the source notebooks as they are stored: complete outputs, nothing of this machine, few exemptions."""

import ast
import base64
import io
import re

from glassroom.workspace.normalize import normalized
from glassroom.workspace.notebook_json import parse, serialise, source
from glassroom.workspace.sources import course_notebooks, notebooks_folder

EXEMPT = {"nbval-ignore-output", "nbval-skip", "NBVAL_IGNORE_OUTPUT", "NBVAL_SKIP"}


def code_cells(notebook):
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def exempt(cell):
    """Whether nbval ignores the cell's output, by a tag or by a comment."""
    words = set(re.findall(r"^# *(\w+)", source(cell), re.MULTILINE))
    return bool(EXEMPT & (words | set(cell["metadata"].get("tags", []))))


def test_a_notebook_is_stored_in_its_normal_form(path, notebook):
    assert path.read_bytes() == serialise(normalized(notebook)), f"run: glassroom refresh {path.name}"


def test_every_cell_was_run_in_order(notebook):
    counts = [cell["execution_count"] for cell in code_cells(notebook) if source(cell).strip()]
    assert counts == list(range(1, len(counts) + 1))


def test_no_cell_ends_in_an_error_that_was_not_meant(notebook):
    for cell in code_cells(notebook):
        raised = any(output["output_type"] == "error" for output in cell["outputs"])
        assert not raised or "raises-exception" in cell["metadata"].get("tags", [])


def test_at_most_one_cell_in_ten_is_exempt_from_comparison(notebook):
    cells = code_cells(notebook)
    assert sum(map(exempt, cells)) <= len(cells) / 10


def test_figures_have_no_background_and_ask_for_none(notebook):
    """So they suit the light and the dark theme: `plt.style.use("glassroom.figures")`."""
    from matplotlib.image import imread

    for cell in code_cells(notebook):
        for output in cell["outputs"]:
            if "image/png" in output.get("data", {}):
                png = base64.b64decode("".join(output["data"]["image/png"]))
                assert imread(io.BytesIO(png))[0, 0, 3] == 0, f"{source(cell)}\nhas a background"
                assert "needs_background" not in output["metadata"], (
                    f"{source(cell)}\nshows tick labels on one axis only, for which JupyterLab gets a background"
                )


def test_maps_of_numbers_keep_the_colors_of_the_style_which_are_neither_white_nor_black(notebook):
    """Scans on paper, `gray_r`, are pictures and not maps."""
    named = {name for cell in code_cells(notebook) for name in re.findall(r'cmap="(\w+)"', source(cell))}
    assert named <= {"gray_r"}


def test_outputs_hold_no_addresses_and_no_folders_of_this_machine(notebook):
    for cell in code_cells(notebook):
        told = [{**output, "data": {**output.get("data", {}), "image/png": ""}} for output in cell["outputs"]]
        text = "".join(map(str, told))  # without bitmaps, whose letters are chance
        assert not re.search(r"0x[0-9a-f]{6,}|/home/|/root/|site-packages|/tmp/", text), source(cell)


def test_a_prediction_whose_answer_is_a_word_or_true_or_false_offers_what_to_choose_among(notebook):
    for cell in code_cells(notebook):
        if "predict(" not in source(cell):
            continue
        calls = [node for node in ast.walk(ast.parse(source(cell))) if isinstance(node, ast.Call)]
        for call in calls:
            if getattr(call.func, "id", "") == "predict":
                given = [answer.value for answer in call.keywords if answer.arg == "value"]
                values = [answer.value for answer in given if isinstance(answer, ast.Constant)]
                is_chosen = any(isinstance(value, (bool, str)) for value in values)
                among = [choice for choices in call.args[1:] for choice in ast.literal_eval(choices)]
                assert bool(among) == is_chosen, ast.unparse(call)
                assert not among or values[0] in among, ast.unparse(call)


def test_the_trap_of_comparing_storages_by_id_is_shown_once_in_the_course():
    folder = notebooks_folder()
    notebooks = [parse((folder / name).read_bytes()) for name in course_notebooks(folder)]
    cells = [cell for notebook in notebooks for cell in code_cells(notebook)]
    showing = [source(cell) for cell in cells if re.search(r"\bid\(\w+\.(untyped_)?storage\(\)\) *==", source(cell))]
    assert len(showing) <= 1


def test_no_cells_id_is_its_position_and_none_is_anothers(notebook):
    ids = [cell["id"] for cell in notebook["cells"]]
    assert [id for id in ids if re.fullmatch(r"[a-z]?\d{0,2}-?\d{1,3}[a-z]?", id)] == []
    assert len(set(ids)) == len(ids)
