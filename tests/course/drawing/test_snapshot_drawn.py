"""Text and SVG of a snapshot: deterministic, the same for every library, escaped, and of bounded size."""

from __future__ import annotations

import re
from collections import Counter
from itertools import product
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import tensorglass
from glassroom.drawing.canvas import NARROW, narrow
from glassroom.drawing.snapshot.lanes import reached
from glassroom.drawing.snapshot.svg import svg_of
from glassroom.drawing.snapshot.text import text_of
from glassroom.drawing.words import written
from glassroom.reading.snapshot import snapshot
from glassroom.records.snapshot import Snapshot

torch = pytest.importorskip("torch", reason="the pictures of real PyTorch tensors need PyTorch")

SVG = "{http://www.w3.org/2000/svg}"


def unnamed(form: str) -> str:
    """A picture with its storages numbered from 0."""
    names = list(dict.fromkeys(re.findall(r"\bS\d+\b", form)))
    return re.sub(r"\bS\d+\b", lambda match: f"S{names.index(match[0])}", form)


def some_tensors(lib) -> dict[str, object]:
    a = lib.arange(12.0).reshape(3, 4)
    return {
        "a": a,
        "t": a.t(),
        "column": a.select(1, 1),
        "wide": lib.arange(3).unsqueeze(1).expand(3, 4),
        "cube": lib.arange(24, dtype=lib.uint8).reshape(2, 3, 4),
        "scalar": lib.tensor(2.5),
        "empty": lib.zeros(0, 3),
        "mask": lib.tensor([True, False]),
        "short": lib.tensor([1, 2**16 - 1], dtype=lib.uint16),
        "unsigned": lib.tensor([1, 2**64 - 1], dtype=lib.uint64),
        "long": lib.arange(1000),
        "huge": lib.zeros(1).expand(10**9),
    }


@pytest.mark.parametrize("render", [text_of, svg_of])
def test_tensorglass_and_torch_draw_the_same(render) -> None:
    pictures = []
    for lib in (tensorglass, torch):
        tensors = some_tensors(lib)
        tensorglass.memory.give_again([f"S{number}" for number in range(len(tensors))])  # S9 is narrower than S10
        pictures.append(unnamed(render(snapshot(tensors))))
    tensorglass.memory.give_again(())
    assert pictures[0] == pictures[1]


@pytest.mark.parametrize("render", [text_of, svg_of])
def test_a_picture_is_the_same_every_time(render) -> None:
    tensors = some_tensors(torch)
    assert render(snapshot(tensors)) == render(snapshot(tensors))


def test_text_says_where_every_value_lies() -> None:
    a = torch.arange(6.0)
    text = unnamed(text_of(snapshot({"a": a, "b": a.view(2, 3).t()})))
    lines = text.splitlines()
    assert lines[0] == "S0 · 24 bytes on cpu · 6 cells of 4 bytes · shared by a and b"
    heading = "b · view of a · size (3, 2) · stride (1, 3) · offset 0 · float32 · not contiguous · bytes 0–23"
    grid = lines[lines.index(heading) + 1 :]
    assert [re.findall(r"(\S+) \[(\d+)\]", line) for line in grid] == [
        [(f"{a.view(2, 3).t()[row, column].item():.0f}.", str(row + 3 * column)) for column in range(2)]
        for row in range(3)
    ]


def test_text_marks_cells_that_a_tensor_reaches_more_than_once() -> None:
    wide = torch.arange(2).unsqueeze(1).expand(2, 3)
    assert text_of(snapshot({"wide": wide})).splitlines()[3].split() == ["wide", "×3", "×3"]
    huge = torch.zeros(1).expand(10**9)
    assert text_of(snapshot({"huge": huge})).splitlines()[3].split() == ["huge", "×9999+"]


@settings(max_examples=150, deadline=None)
@given(
    size=st.lists(st.sampled_from([1, 2, 3, 20]), max_size=3),
    stride=st.lists(st.sampled_from([0, 1, 2, 5]), min_size=3, max_size=3),
    offset=st.integers(0, 4),
)
def test_a_lane_counts_every_element_on_a_storage_cell_drawn_or_not(size, stride, offset) -> None:
    stride = stride[: len(size)]
    places = [offset + sum(i * s for i, s in zip(index, stride, strict=True)) for index in product(*map(range, size))]
    assume(max(places) < 64)
    line = torch.arange(64)
    over = snapshot({"line": line, "view": line.as_strided(size, stride, offset)})
    assert reached(over.headers[1], over.storages[0]) == Counter(places)


def test_a_lane_counts_arrays_that_walk_backwards() -> None:
    array = np.arange(40)
    over = snapshot({"array": array, "back": array[::-2]})
    assert reached(over.headers[1], over.storages[0]) == Counter(range(1, 40, 2))


def test_counting_stops_where_it_would_take_long() -> None:
    line = torch.arange(4000)
    tangled = line.as_strided((1000, 1000, 1000), (1, 1, 1))
    assert "×…" in text_of(snapshot({"tangled": tangled}))


def test_what_is_drawn_in_part_says_so() -> None:
    assert "48 of 1,000,000 elements drawn" in text_of(snapshot({"table": torch.zeros(1000).expand(1000, 1000)}))
    assert "drawn" not in text_of(snapshot({"small": torch.zeros(16)}))


def test_text_shows_both_ends_of_what_is_long() -> None:
    text = text_of(snapshot({"long": torch.arange(1000)}))
    shown = {mark for mark in ("[0]", "⋯", "[500]", "[999]") if mark in text}
    assert shown == {"[0]", "⋯", "[999]"}


def test_dots_stand_where_matrices_of_a_tensor_are_left_out() -> None:
    shown = snapshot({"narrow": tensorglass.zeros(9, 2, 2), "wide": tensorglass.zeros(9, 9, 9)})
    for lines in text_of(shown).split("\n\n")[1::2]:
        labels = [line.strip() for line in lines.splitlines() if ":, :]" in line or line.strip() == "⋮"]
        assert labels == ["[0, :, :]", "[1, :, :]", "⋮", "[7, :, :]", "[8, :, :]"]
    narrow, wide = [
        part for part in ElementTree.fromstring(svg_of(shown)).iter(f"{SVG}g") if "data-size" in part.attrib
    ]
    assert [dots for dots in narrow.itertext() if dots in "⋯⋮"] == ["⋯"]  # one row of four matrices
    assert "".join(dots for dots in wide.itertext() if dots == "⋮") == "⋮" * 5  # a row each, with dots of its own
    assert "⋮" not in text_of(snapshot({"all of it": tensorglass.zeros(4, 2, 2)}))


def test_what_reaches_outside_its_storage_is_said_and_crossed_out() -> None:
    t = torch.ones(4)
    t.untyped_storage().resize_(8)
    seen = snapshot({"t": t})
    assert "t reaches bytes 0–15: outside" in text_of(seen)
    assert text_of(seen).count("✕") == 2
    assert svg_of(seen).count('class="cell lost"') == 2


def test_arrays_are_marked_as_numpy_and_keep_their_negative_strides() -> None:
    text = text_of(snapshot({"back": np.arange(4, dtype=np.int16)[::-1]}))
    assert "size (4,) · stride (-1,) · offset 3 · NumPy · int16" in text


def test_hostile_names_are_escaped() -> None:
    name = '"><script>alert(1)</script>&'
    svg = svg_of(snapshot({name: {name: torch.zeros(1)}}))
    root = ElementTree.fromstring(svg)
    assert root.find(f".//{SVG}script") is None
    assert root.find(f".//{SVG}g[@class='tensor hue0']").get("data-name").startswith(name)


def test_the_svg_holds_no_identifier_and_fetches_nothing() -> None:
    root = ElementTree.fromstring(svg_of(snapshot(some_tensors(torch))))
    for element in root.iter():
        assert "id" not in element.attrib
        assert not any(attribute.endswith(("href", "src")) for attribute in element.attrib)


def test_every_visible_cell_of_the_svg_carries_its_value_and_its_storage_cell() -> None:
    seen = snapshot({"a": torch.arange(6.0).view(2, 3)})
    root = ElementTree.fromstring(svg_of(seen))
    [header], [storage] = seen.headers, seen.storages
    drawn = {
        cell.get("data-i"): [text.text for text in cell.iter(f"{SVG}text")]
        for cell in root.findall(f".//{SVG}g[@class='tensor hue0']/{SVG}g")
    }
    assert drawn == {
        ",".join(map(str, cell.index)): [written(cell.value), f"{storage.name}[{cell.byte // 4}]"]
        for cell in header.cells
    }


def test_nothing_is_drawn_outside_the_picture() -> None:
    root = ElementTree.fromstring(svg_of(snapshot(some_tensors(torch))))
    width, height = float(root.get("width")), float(root.get("height"))
    for box in root.iter(f"{SVG}rect"):
        assert float(box.get("x")) + float(box.get("width")) <= width
        assert float(box.get("y")) + float(box.get("height")) <= height
    for text in root.iter(f"{SVG}text"):
        assert 0 <= float(text.get("x")) < width
        assert 0 < float(text.get("y")) < height


def test_a_picture_of_huge_tensors_is_small() -> None:
    huge = {
        "e": torch.zeros(1).expand(10**9),
        "n": np.broadcast_to(np.zeros(1), (10**4, 10**5)),
        "m": torch.zeros(10**6),
    }
    assert len(svg_of(snapshot(huge))) < 60_000
    assert len(text_of(snapshot(huge))) < 10_000


def test_no_tensors_is_a_picture_too() -> None:
    assert text_of(Snapshot((), ())) == "no tensors"
    ElementTree.fromstring(svg_of(Snapshot((), ())))


@pytest.mark.parametrize(
    ("value", "short"),
    [
        (True, "True"),
        (-3, "-3"),
        (10**12, "1.00e12"),
        (2.0, "2."),
        (0.1, "0.1"),
        (1 / 3, "0.3333"),
        (1e-7, "1e-7"),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (1 - 2j, "1.-2.j"),
        (None, "✕"),
    ],
)
def test_values_are_written_briefly(value, short: str) -> None:
    assert written(value) == short


def test_on_a_phone_a_picture_is_as_wide_as_one() -> None:
    wide = tensorglass.arange(400.0).view(4, 100)
    named = {"a": wide, "t": wide.t(), "row": wide[0]}
    for seen in (snapshot(named), snapshot({"a_tensor_with_a_very_long_name_that_says_what_it_is": wide})):
        on_a_page = ElementTree.fromstring(svg_of(seen))
        with narrow():
            on_a_phone = ElementTree.fromstring(svg_of(seen))
        assert int(on_a_phone.attrib["width"]) <= NARROW < int(on_a_page.attrib["width"])
