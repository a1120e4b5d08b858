"""device_map: devices side by side, storages in each, transfers in order; the same for both libraries on the host."""

from __future__ import annotations

import importlib
import json
import re
import weakref
from typing import Any
from xml.etree import ElementTree

import pytest

import tensorglass as torch
from glassroom import device_map, show
from glassroom.drawing.canvas import FACT_ADVANCE, NARROW, narrow
from glassroom.inspectors.devices.placement import MOST_HEADERS, MOST_MOVES, MOST_STORAGES
from tensorglass import memory, transfers

LIBRARIES = ("tensorglass", "torch")


@pytest.fixture(params=LIBRARIES)
def library(request: pytest.FixtureRequest) -> Any:
    if request.param == "torch":
        return pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")
    return importlib.import_module(request.param)


@pytest.fixture(autouse=True)
def fresh() -> None:
    device_map()  # what other tests moved is seen


def symbolic(text: str) -> str:
    """The text with its storages renamed by first appearance, whatever the session has seen before."""
    names: dict[str, str] = {}
    return re.sub(r"\bS\d+\b", lambda match: names.setdefault(match[0], f"S{len(names)}"), text)


def test_tensors_on_the_host_are_drawn_alike_on_both_libraries(library: Any) -> None:
    a = library.zeros(3, 4)
    b = a.t()
    w = library.ones(2, requires_grad=True, dtype=library.float64)
    assert symbolic(device_map(a, b, layers={"w": w}).text).splitlines() == [
        "cpu · the host's memory",
        "  S0 · 48 bytes",
        "    a · (3, 4) float32",
        "    b · (4, 3) float32",
        "  S1 · 16 bytes",
        "    layers['w'] · (2,) float64 · requires grad",
        "",
        "no transfers",
    ]


def test_facts_too_long_for_a_phone_go_to_a_line_of_their_own(library: Any) -> None:
    weights_of_layer = library.ones(128, 64, requires_grad=True, dtype=library.float64)
    with narrow():
        texts = list(ElementTree.fromstring(device_map(weights_of_layer).svg).iter("{http://www.w3.org/2000/svg}text"))
    ends = [float(text.get("x", 0)) + len("".join(text.itertext())) * FACT_ADVANCE for text in texts]
    assert "weights_of_layer" in ["".join(text.itertext()) for text in texts]
    assert max(ends) <= NARROW


def test_without_arguments_every_tensor_of_the_caller_is_drawn(library: Any) -> None:
    one, other = library.zeros(3), library.zeros(4)
    assert {header.name for storage in device_map().data.devices[0].storages for header in storage.headers} == {
        "one",
        "other",
    }
    assert one.shape != other.shape


def test_a_transfer_is_drawn_from_storage_to_storage_with_simulated_time() -> None:
    x = torch.ones(1000)
    y = x.to("sim")
    the_map = device_map(x, y)
    text = symbolic(the_map.text)
    assert " 1. cpu → sim:0 · S0 → S1 · 4,000 bytes · 10.7 µs simulated · pageable, the host waits" in text
    assert "sim:0 · a simulated accelerator · " in text
    [move] = the_map.data.moves
    assert (move.source, move.target, move.is_simulated, move.waited) == ("cpu", "sim:0", True, True)


def test_pinned_memory_is_marked_and_a_copy_out_of_it_lets_the_host_go_on() -> None:
    torch.sim.init()
    p = torch.ones(500).pin_memory()
    q = p.to("sim", non_blocking=True)
    text = device_map(p, q).text
    assert "2,000 bytes · pinned" in text
    assert "pinned, the host goes on" in text


def test_memory_that_other_processes_see_is_marked(library: Any) -> None:
    x = library.ones(10).share_memory_()
    assert "  S0 · 40 bytes · shared with other processes" in symbolic(device_map(x).text)


def test_values_that_python_reads_are_transfers_and_alike_ones_are_one_row() -> None:
    x = torch.ones(10, device="sim")
    device_map(x)
    for position in range(5):
        x[position].item()
    assert "Python reads it · 5 × 4 bytes · 50.0 µs simulated" in device_map(x).text


def test_copies_between_devices_go_directly() -> None:
    x = torch.ones(10, device="sim:0")
    device_map(x)
    y = x.to("sim:1")
    the_map = device_map(x, y)
    assert [device.name for device in the_map.data.devices] == ["cpu", "sim:0", "sim:1"]
    assert "sim:0 → sim:1" in the_map.text
    assert "direct, the host goes on" in the_map.text


def test_transfers_are_those_since_the_last_map_or_since_a_point() -> None:
    x = torch.ones(10)
    start = transfers.count()
    kept = [x.to("sim")]
    assert len(device_map(x).data.moves) == 1
    assert len(device_map(x).data.moves) == 0
    kept.append(x.to("sim"))
    assert sum(move.times for move in device_map(x, since=start).data.moves) == 2
    assert len(kept) == 2


def test_looking_moves_nothing_and_takes_no_simulated_time() -> None:
    x = torch.ones(10, device="sim")
    before = transfers.count(), torch.sim.now()
    device_map(x).svg  # noqa: B018  # drawn, and not looked at
    show(x).svg  # noqa: B018  # as above
    assert (transfers.count(), torch.sim.now()) == before


def test_a_map_keeps_nothing_alive_and_names_what_is_gone() -> None:
    x = torch.ones(10)
    y = x.to("sim")
    the_map = device_map(x, y)
    reference = weakref.ref(y.untyped_storage())
    del y
    assert reference() is None
    assert "sim:0" in the_map.svg
    assert "→ freed storage" in device_map(x, since=transfers.count() - 1).text


def test_many_storages_headers_and_transfers_are_cut() -> None:
    xs = [torch.ones(n + 1) for n in range(MOST_STORAGES + 3)]
    views = [xs[0].view(1) for _ in range(MOST_HEADERS)]
    device_map()
    moved = [x.to("sim") for x in xs]
    the_map = device_map(xs, views)
    assert len(moved) == len(xs)
    assert "and 3 more storages of" in the_map.text
    assert "and 1 more tensor" in the_map.text
    assert "after 3 earlier ones" in the_map.text
    assert len(the_map.data.moves) == MOST_MOVES
    ElementTree.fromstring(the_map.svg)


def test_arrows_of_the_picture_run_between_the_columns_of_their_devices() -> None:
    x = torch.ones(1000)
    y = x.to("sim")
    z = (y * 2).cpu()
    picture = ElementTree.fromstring(device_map(x, y, z).svg)
    ways = [element.get("d") for element in picture.iter() if (element.get("class") or "").startswith("way")]
    spans = [re.findall(r"[MH]([\d.]+)", way or "") for way in ways]
    assert len(spans) == 2
    assert float(spans[0][0]) < float(spans[0][1])
    assert float(spans[1][0]) > float(spans[1][1])
    on = [element.get("data-on") for element in picture.iter() if "holding" in (element.get("class") or "")]
    assert on == ["1-1", "2-2", "1-1"]


def test_text_and_picture_are_the_same_on_every_run() -> None:
    def draw(names: list[str]) -> tuple[str, str]:
        torch.sim.empty_cache()
        memory.give_again(names)
        x = torch.ones(1000)
        y = x.to("sim")
        the_map = device_map(x, y)
        memory.give_again(())
        assert set(re.findall(r"\bS\d+\b", the_map.text)) == set(names)
        return the_map.text, the_map.svg

    for names in (["S0", "S1"], ["S9", "S10"]):  # columns are as wide as the names
        assert draw(names) == draw(names)


def test_names_are_escaped_in_the_picture() -> None:
    the_map = device_map({"<script>&": torch.zeros(3)})
    assert "<script>" not in the_map.svg
    ElementTree.fromstring(the_map.svg)


def test_frames_of_the_live_form_follow_the_transfers() -> None:
    x = torch.ones(1000)
    y = x.to("sim")
    state = device_map(x, y).state()
    [frame] = state["frames"]
    assert frame["at"] == 1
    assert frame["lines"][0] == "1. cpu → sim:0: 4,000 bytes"
    json.dumps(state)


@pytest.mark.parametrize("bad", [3, "x", None, {"a": 1.0}])
def test_what_is_no_tensor_is_refused(bad: Any) -> None:
    with pytest.raises(TypeError, match="device_map takes tensorglass and PyTorch tensors"):
        device_map(bad)
