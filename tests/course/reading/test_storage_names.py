"""Names of storages: a notebook's cell that is run again gives its storages the same names as before."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import nbformat
import pytest
from stored_notebooks import NOTEBOOKS

import tensorglass
from glassroom import explore_broadcast, explore_index, memory_timeline, model_map, show, step_backward, watch
from glassroom.inspectors.base import Inspector
from glassroom.workspace.execution import execute
from tensorglass import memory, nn

SET_UP = "import {library} as torch\nfrom glassroom import aliases, show\n%load_ext glassroom"
CELLS = {
    "made": "a = torch.arange(3.)\nb = a.view(3, 1)\nprint(show(a, b))",
    "watched": "%%watch\nx = torch.zeros(3)\ny = a + x\nx[0] = 1",
    "both": "c = torch.ones(2)\nprint(show(a, c))",
    "all": "print(aliases())",
}


@pytest.mark.parametrize("library", ["tensorglass", "torch"])
def test_a_cell_that_is_run_again_gives_the_same_names(library: str, tmp_path: Path) -> None:
    if find_spec(library) is None:
        pytest.skip("the oracle, PyTorch, is not installed (extra: parity)")
    order = ["made", "watched", "both", "all", "made", "watched", "both", "all", "watched", "watched", "both", "made"]
    sources = [SET_UP.format(library=library), *[CELLS[name] for name in order]]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = execute(notebook, tmp_path, timeout=120)
    by_cell: dict[str, list[list[str]]] = {}
    for name, cell in zip(order, notebook.cells[1:], strict=True):
        # What a cell prints arrives in several outputs if the machine is busy.
        text = "".join(output.get("text") or output["data"]["text/plain"] for output in cell.outputs)
        by_cell.setdefault(name, []).append(re.findall(r"(?:^|new storage |changed )(S\d+)", text, re.MULTILINE))
    assert by_cell["made"] == [["S0"]] * 3
    assert by_cell["watched"] == [["S1", "S2", "S1"]] * 4
    assert by_cell["both"] == [["S0", "S3"]] * 3
    assert [sorted(names) for names in by_cell["all"]] == [["S0", "S1", "S2", "S3"]] * 2


def test_names_can_be_given_again_and_who_had_one_gets_another() -> None:
    memory.give_again(())
    one, other = tensorglass.ones(2).untyped_storage(), tensorglass.ones(2).untyped_storage()
    names = [one.name, other.name]
    assert memory.give_again(names[:1]) == names
    third = tensorglass.ones(2).untyped_storage()
    assert third.name == names[0]
    assert one.name not in names
    assert other.name == names[1]


@pytest.mark.parametrize("place", NOTEBOOKS)
def test_in_a_notebook_the_numbers_appear_in_their_order_and_none_is_left_out(place: str) -> None:
    named: dict[int, None] = {}
    for cell in NOTEBOOKS[place]["cells"]:
        for output in cell.get("outputs", ()):
            shown = output.get("data", {"text/plain": output.get("text", "")})
            text = "".join("".join(shown.get(kind, "")) for kind in ("text/plain", "image/svg+xml"))
            named |= dict.fromkeys(map(int, re.findall(r"(?<!\w)S(\d+)\b(?![.\w])", text)))
    assert list(named) == list(range(len(named)))


def next_number() -> int:
    return int(memory.next_name()[1:]) + 1


def numbers(picture: Inspector) -> set[int]:
    return {int(number) for number in re.findall(r"\bS(\d+)\b", picture.text + picture.svg)}


def test_storages_that_a_picture_does_not_name_get_no_number() -> None:
    memory.give_again(())
    w, spare = tensorglass.ones(3, requires_grad=True), tensorglass.zeros(2)
    first = next_number()
    explore_broadcast(w, spare[:1])
    explore_index(spare, "1")
    assert numbers(watch(lambda: w.detach() + 1, names="none")) == {first}  # of the result
    assert numbers(show(spare)) == {first + 1}
    block = nn.Sequential(*[nn.Linear(2, 2) for _ in range(3)])
    assert numbers(model_map(block)) == {first + 2, first + 3}  # one of three alike is shown
    assert numbers(show(tensorglass.ones(1))) == {first + 4}


def test_what_a_live_form_alone_shows_is_called_by_its_holder() -> None:
    memory.give_again(())
    w = tensorglass.ones(3, requires_grad=True)
    first = next_number()
    backward = step_backward((w + 1).sum())
    assert numbers(backward) == {first}  # of w; that of its gradient is on the map beside the graph
    assert "storage of w.grad" in backward.live
    assert not re.search("[\ue000-\uf8ff\U000f0000-\U0010ffff]", backward.live)  # marks
    assert numbers(show(w.grad)) == {first + 1}


def test_numbers_follow_the_picture_also_where_a_long_name_leaves_little_room() -> None:
    for more in (1, 1_200):  # the number of storages that are read before
        memory.give_again(["S0", "S1"])
        with memory_timeline() as timeline:
            abcdefghijk = tensorglass.ones(3)
            short = tensorglass.ones(4)
        assert re.findall(r"\w+ \(S\d+\)", timeline.text) == ["abcdefghijk (S0)", "short (S1)"]
        memory.give_again(())
        with memory_timeline():
            tensors = [tensorglass.ones(1) for _ in range(more)]
        assert len(tensors) == more
    assert abcdefghijk.shape < short.shape


def test_what_is_shown_while_code_is_watched_has_one_number_in_both_pictures() -> None:
    pictures = []

    def double(x: tensorglass.Tensor) -> None:
        y = x * 2
        pictures.append(show(y))
        y += 1

    story = watch(double, tensorglass.ones(3))
    assert numbers(pictures[0]) < numbers(story)
