"""What `watch` and `%%watch` show: text, picture, data, and that the cell runs as an ordinary cell does."""

from __future__ import annotations

import gc
import json
import re
import subprocess
import sys
from typing import Any
from xml.etree import ElementTree

import pytest
from course.inspectors.watch.watched import symbolic
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell

import glassroom
import tensorglass
from glassroom import watch
from tensorglass import memory

# --- forms -----------------------------------------------------------------------------------------------------------


def example() -> Any:
    def cell() -> Any:
        a = tensorglass.arange(6.0)
        b = a.view(2, 3)
        b[0] = 7
        del a
        return b.clone()

    return watch(cell)


def test_text_picture_and_data_are_the_same_on_every_run() -> None:
    for names in (["S0", "S1"], ["S9", "S10"]):  # boxes are as wide as the names
        shown = []
        for _ in range(2):
            memory.give_again(names)
            story = example()
            shown.append((story.text, story.svg, json.dumps(story.story.as_dict())))
        memory.give_again(())
        assert shown[0] == shown[1]
        assert set(re.findall(r"\bS\d+\b", shown[0][0])) == set(names)


def test_the_text_has_a_line_for_each_step_under_the_figures() -> None:
    lines = symbolic(example().text).splitlines()
    assert lines[0] == (
        "watch · 5 steps · 48 bytes allocated in 2 storages · 1 copy of 24 bytes · peak 48 bytes of tensors at step 5"
    )
    assert re.fullmatch(r"3  line \d+          b\[0\] = 7 +changed S0 cells 0–2, version 0 → 1", lines[3])
    assert len(lines) == 6


def drawn(state: Any, card: int) -> str:
    """A card as the live form puts it together."""

    def whole(part: Any) -> str:
        if isinstance(part, list):
            pieces, texts = state["pieces"][part[0]].split("\0"), part[1]
            return "".join([piece + text for piece, text in zip(pieces, [*texts, ""], strict=True)])
        return state["pieces"][part] if isinstance(part, int) else part

    return "".join([whole(part) for part in state["cards"][card]])


def test_the_live_form_tells_the_story_that_the_text_tells() -> None:
    story = example()
    state = story.state()
    ElementTree.fromstring(story.svg)
    assert len(state["frames"]) == len(story.story.moments)
    for frame, moment in zip(state["frames"], story.story.moments, strict=True):
        for change in moment.changes:
            assert change.words in frame["lines"]
            assert change.words in story.text
        for card in frame["cards"]:
            ElementTree.fromstring(drawn(state, card))
    assert state["frames"][2]["kinds"] == ["write"]
    assert {source.strip() for _, source, _ in state["code"]} >= {"b[0] = 7", "del a"}


def test_markup_in_names_and_sources_is_escaped() -> None:
    def cell() -> None:
        xs = {"<script>alert('&')</script>": tensorglass.zeros(2)}
        xs.clear()

    story = watch(cell)
    ElementTree.fromstring(story.svg)
    assert "<script>" not in story.svg
    assert "<script>alert" not in story.live
    state = story.state()
    assert "<script>alert" not in "".join([drawn(state, card) for card in range(len(state["cards"]))])


def test_a_script_prints_the_story(tmp_path: Any) -> None:
    script = tmp_path / "mine.py"
    script.write_text(
        "import tensorglass as torch\nfrom glassroom import watch\n"
        "def double(x):\n    y = x * 2\n    return y\nprint(watch(double, torch.ones(3)))\n"
    )
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    lines = ran.stdout.splitlines()
    assert lines[0].startswith("watch · 2 steps · 12 bytes allocated in 1 storage")
    assert lines[1].split() == ["1", "line", "4", "y", "=", "x", "*", "2", "y:", "new", "storage", "S0,", "12", "bytes"]


def test_what_is_no_python_function_is_refused() -> None:
    with pytest.raises(TypeError, match="watch takes a function written in Python"):
        watch(len)


# --- the magic -------------------------------------------------------------------------------------------------------


class Shown(DisplayPublisher):
    """Records what is displayed."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.data: list[Any] = []

    def publish(self, data: Any, *args: Any, **more: Any) -> None:
        self.data.append(data)


@pytest.fixture
def shell() -> Any:
    shell = InteractiveShell.instance()
    glassroom.load_ipython_extension(shell)
    shell.display_pub = Shown(parent=shell)
    yield shell
    shell.user_ns.clear()
    InteractiveShell.clear_instance()
    gc.collect()  # what the shell held should not end in another test


def run(shell: Any, cell: str, options: str = "") -> Any:
    return shell.run_cell(f"%%watch {options}\n{cell}", store_history=True)


def test_the_cell_runs_in_the_notebook_and_its_value_is_the_cell_s(shell: Any) -> None:
    result = run(shell, "import tensorglass as torch\nx = torch.ones(3)\nx.sum()\n")
    assert result.result.item() == 3
    assert shell.user_ns["x"].tolist() == [1, 1, 1]
    [data] = shell.display_pub.data
    assert data["text/plain"].startswith("watch · 3 steps")
    assert data["image/svg+xml"].startswith("<svg")


def test_a_cell_that_raises_shows_its_story_and_fails(shell: Any, capsys: Any) -> None:
    result = run(shell, "import tensorglass as torch\nx = torch.ones(3)\nx.view(2, 2)\ny = 1\n")
    assert isinstance(result.error_in_exec, RuntimeError)
    assert "raises RuntimeError" in shell.display_pub.data[0]["text/plain"].splitlines()[-1]
    assert "y" not in shell.user_ns
    printed = re.sub(r"\x1b\[[\d;]*m", "", capsys.readouterr().out)
    assert "In[1], line 3" in printed
    assert "x.view(2, 2)" in printed


def test_functions_of_a_cell_are_ordinary_functions_afterwards(shell: Any) -> None:
    run(shell, "def f(x):\n    return x * 2\n")
    run(shell, "import tensorglass as torch\ny = f(torch.ones(1))\n")
    # f is of another cell: it is not stepped into.
    assert len(shell.display_pub.data[1]["text/plain"].splitlines()) == 3


def test_magics_inside_the_cell_and_a_silencing_semicolon_work(shell: Any) -> None:
    result = run(shell, "import tensorglass as torch\n%precision 3\ntorch.ones(2);\n")
    assert result.success
    assert shell.display_pub.data


def test_a_function_of_another_cell_is_followed_where_the_cell_asks_for_it(shell: Any) -> None:
    shell.run_cell("def doubled(t):\n    made = t * 2\n    return made", store_history=True)
    story = "import tensorglass as torch\nx = torch.ones(3)\ny = doubled(x)"
    run(shell, story)
    run(shell, story, "--follow doubled")
    plain, followed = (data["text/plain"] for data in shell.display_pub.data)
    assert "made = t * 2" not in plain
    assert re.search(r"another cell, line 2 +made = t \* 2 +made in doubled\(\): new storage", followed)
    run(shell, story, "--follow nothing")
    assert len(shell.display_pub.data) == 2  # it is refused, in words


def test_options_choose_names_and_steps(shell: Any) -> None:
    code = "import tensorglass as torch\na = torch.ones(1)\nb = a + 1\nc = b + 1\n"
    run(shell, code, "--steps 3 --names b")
    text = shell.display_pub.data[0]["text/plain"]
    assert "b: new storage" in text
    assert "a: new storage" not in text
    assert text.splitlines()[-1].startswith("the watch ended after 3 steps")


def test_top_level_await_is_refused_in_words(shell: Any, capsys: Any) -> None:
    result = run(shell, "import asyncio\nawait asyncio.sleep(0)\n")
    assert not result.success
    assert "does not step through top-level await (line 2)" in "".join(capsys.readouterr())


def test_a_syntax_error_is_python_s_own(shell: Any) -> None:
    assert isinstance(run(shell, "x = = 1\n").error_in_exec, SyntaxError)


def test_the_facts_beneath_a_long_name_are_whole_lines() -> None:
    def cell() -> None:
        tensors_of_a_layer = {"weights_of_the_first_block_of_the_network": tensorglass.zeros(2)}
        del tensors_of_a_layer

    state = watch(cell).state()
    cards = [drawn(state, card) for card in range(len(state["cards"]))]
    assert any(">8 bytes on cpu · version 0</text>" in card for card in cards)
    moved = [card for card in cards if "storage of" in card]
    assert all(re.search(r'<text x="16" y="\d+" class="fact soft">8 bytes', card) for card in moved)
