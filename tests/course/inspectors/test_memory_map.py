"""show: names, forms, files, and what a notebook stores."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import nbformat
import numpy as np
import pytest

from glassroom.inspectors.memory_map.inspector import show
from glassroom.workspace.execution import execute

torch = pytest.importorskip("torch", reason="the memory map is drawn of PyTorch tensors")


def names(picture) -> list[str]:
    return [header.name for header in picture.snapshot.headers]


def test_tensors_are_called_what_the_caller_calls_them() -> None:
    a = torch.zeros(2, 3)
    xs = [a, a.t()]
    assert names(show(a, a.t(), xs, total=a + 1)) == ["a", "a.t()", "xs[0]", "xs[1]", "total"]


def test_unpacked_arguments_are_called_by_the_variables_that_hold_them() -> None:
    first = torch.zeros(1)
    pair = (first, torch.ones(1))
    assert names(show(*pair)) == ["first", "t1"]


def test_show_with_no_arguments_draws_every_tensor_variable() -> None:
    a = torch.zeros(2)
    b, number = a[1:], 3
    assert names(show()) == ["a", "b"]
    assert (b.storage_offset(), number) == (1, 3)


def test_two_variables_for_one_tensor_are_drawn_as_one_header() -> None:
    a = torch.zeros(2)
    same, twin = a, a.clone()
    assert names(show(a, same, twin)) == ["a, same", "twin"]
    assert names(show()) == ["a, same", "twin"]


def test_the_same_tensor_given_twice_is_drawn_once_for_each_name() -> None:
    a = torch.zeros(2)
    assert names(show(a, again=a)) == ["a", "again"]


def test_show_refuses_what_is_no_tensor() -> None:
    with pytest.raises(TypeError, match="tensorglass and PyTorch tensors"):
        show(3)


def test_the_bundle_outside_a_notebook_is_text_and_svg() -> None:
    picture = show(np.arange(3))
    assert picture._repr_mimebundle_() == {"text/plain": repr(picture), "image/svg+xml": picture.svg}


def test_a_notebook_that_runs_unattended_stores_text_and_svg_and_the_same_ones_every_time(tmp_path: Path) -> None:
    def outputs() -> list[dict[str, str]]:
        notebook = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell("import torch\nfrom glassroom import show\na = torch.arange(6.)\nshow(a)")]
        )
        notebook = execute(notebook, tmp_path, timeout=120)
        assert "widgets" not in notebook.metadata
        return [output["data"] for output in notebook.cells[0].outputs]

    first, second = outputs(), outputs()
    assert [set(data) for data in first] == [{"text/plain", "image/svg+xml"}]
    assert first == second


def test_pictures_are_saved_by_the_endings_of_their_names(tmp_path: Path) -> None:
    picture = show(torch.zeros(2))
    for ending, content in [("html", picture.html), ("svg", picture.svg), ("txt", picture.text)]:
        picture.save(tmp_path / f"map.{ending}")
        assert (tmp_path / f"map.{ending}").read_text(encoding="utf-8") == content
    with pytest.raises(ValueError, match=r"\.html, \.svg, .* but the name ends in '\.gif'"):
        picture.save(tmp_path / "map.gif")


def test_the_widget_is_a_bundle_of_three_with_a_deterministic_text() -> None:
    picture = show(torch.zeros(2))
    data, _ = picture.widget._repr_mimebundle_()
    assert set(data) == {"text/plain", "image/svg+xml", "application/vnd.jupyter.widget-view+json"}
    assert repr(picture.widget) == data["text/plain"] == picture.text


def test_state_cannot_break_out_of_the_script() -> None:
    live = show(**{"</script><b>": torch.zeros(1)}).live
    assert live.count("</script>") == 1
    start = live.index("const state = ") + len("const state = ")
    state, _ = json.JSONDecoder().raw_decode(live[start:])
    assert "&lt;/script&gt;" in state["svg"]


def test_without_anywidget_show_still_draws(tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['anywidget'] = None\n"
        "import numpy as np; from glassroom import show, explore_strides\n"
        "assert show(np.zeros(2)).html and explore_strides(4).svg\n"
        "try: show(np.zeros(2)).widget\n"
        "except ImportError: print('no widget')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stdout == "no widget\n"


def test_no_library_is_imported_to_draw_a_numpy_array(tmp_path: Path) -> None:
    program = (
        "import sys, numpy as np; from glassroom import show; show(np.zeros(2)).svg\n"
        "print({'torch', 'cupy', 'anywidget'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stdout == "set()\n"
