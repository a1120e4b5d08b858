"""memory_timeline: every birth, end and copy of a block, in order, the same on every run, keeping nothing alive."""

from __future__ import annotations

import gc
import json
import re
import sys
import weakref
from copy import deepcopy
from typing import Any
from xml.etree import ElementTree

import pytest

import tensorglass as torch
from glassroom import memory_timeline
from glassroom.drawing.canvas import MIDDLE, NARROW, narrow
from glassroom.inspectors.timeline.recorder import Recorder
from glassroom.inspectors.timeline.timeline import MOST_ROWS, Curve
from tensorglass import memory


def symbolic(text: str) -> str:
    """The text with its storages renamed by first appearance, whatever the session has seen before."""
    names: dict[str, str] = {}
    return re.sub(r"\bS\d+\b", lambda match: names.setdefault(match[0], f"S{len(names)}"), text)


def curve(timeline: Any, device: str = "cpu") -> Curve:
    [curve] = [curve for curve in timeline.data.curves if curve.device == device]
    return curve


def test_births_ends_and_the_peak_are_in_order() -> None:
    with memory_timeline() as timeline:
        a = torch.zeros(1000)
        b = torch.zeros(500)
        del a
        c = torch.zeros(10)
    data = timeline.data
    assert [(step.kind, step.nbytes) for step in data.steps] == [
        ("made", 4000), ("made", 2000), ("freed", 4000), ("made", 40)
    ]  # fmt: skip
    assert curve(timeline).levels == (0, 4000, 6000, 2000, 2040)
    assert (curve(timeline).peak, curve(timeline).peak_at, curve(timeline).kept) == (6000, 2, 2040)
    assert [symbolic(life.name) for life in data.lives] == ["t1", "b (S0)", "c (S0)"]
    assert [(life.born, life.ended) for life in data.lives] == [(1, 3), (2, None), (4, None)]
    assert b.shape == (500,)
    assert c.shape == (10,)


def test_it_agrees_with_the_report_of_the_same_block() -> None:
    gc.collect()  # what other tests have left must not be freed within the block
    x = torch.rand(50, 40)
    with memory.track() as report, memory_timeline() as timeline:
        y = (x @ x.t()).relu().t().contiguous()
        z = y[y > 1].exp().sum()
    assert z.ndim == 0
    copies = [step.nbytes for step in timeline.data.steps if step.kind == "copied"]
    assert (len(copies), sum(copies)) == (report.copies, report.copied_bytes)
    assert len(timeline.data.lives) == report.allocations
    assert sum(life.nbytes for life in timeline.data.lives) == report.allocated_bytes
    assert curve(timeline).peak == report.peak_bytes
    assert curve(timeline).kept == report.kept_bytes


def test_a_storage_says_which_line_made_it_and_who_holds_it() -> None:
    def helper() -> Any:
        return torch.ones(3) * 2

    with memory_timeline() as timeline:
        kept = [helper()]
    temporary, result = timeline.data.lives
    assert temporary.where == result.where
    assert temporary.where.source == "return torch.ones(3) * 2"
    assert re.fullmatch(r"line \d+", result.where.label)
    assert result.fate == "alive, held by kept[0]"
    assert kept[0].tolist() == [2, 2, 2]


def test_a_line_of_another_file_is_named_with_its_file() -> None:
    code = compile("import tensorglass\nmade = tensorglass.zeros(7)", "/somewhere/else/mine.py", "exec")
    names: dict[str, Any] = {}
    with memory_timeline() as timeline:
        exec(code, names)
    assert timeline.data.lives[0].where.label == "mine.py line 2"


@pytest.mark.parametrize("library", ["tensorglass", "torch"])
def test_a_deep_copy_is_made_by_the_line_that_asked_for_it(library: Any) -> None:
    library = pytest.importorskip(library, reason="the oracle, PyTorch, is not installed (extra: parity)")
    x, net = library.ones(3), library.nn.Linear(4, 5)
    with memory_timeline() as timeline:
        y = deepcopy(x)
        other = deepcopy(net)
        both = deepcopy([x, {"again": x}])
        vector = library.tensor([1.0, 2.0])
    made_by = {name.partition(" ")[0]: source for name, source in sources(timeline).items()}
    assert made_by == {
        "y": "y = deepcopy(x)",
        "other.weight": "other = deepcopy(net)",
        "other.bias": "other = deepcopy(net)",
        "both[0]": 'both = deepcopy([x, {"again": x}])',
        "vector": "vector = library.tensor([1.0, 2.0])",
    }
    assert [other.in_features, len(both), y.shape, vector.shape] == [4, 2, (3,), (2,)]


def sources(timeline: Any) -> dict[str, str]:
    """The line that made each storage that is still there, by the storage's name."""
    return {life.name: life.where.source for life in timeline.data.lives if life.born and life.ended is None}


def test_what_lives_without_a_variable_is_said_to() -> None:
    w = torch.ones(4, requires_grad=True)
    with memory_timeline() as timeline:
        loss = w.exp().sin().sum()
        out_of_sight = (lambda held: lambda: held)(w.detach() * 2)
    assert loss.requires_grad
    assert callable(out_of_sight)
    assert "alive, held by loss → SinBackward0.self, loss → ExpBackward0.result" in [
        life.fate for life in timeline.data.lives
    ]
    assert "saved by a graph" in timeline.svg
    kept = timeline.data.lives[-1]
    assert kept.fate == "alive, held by out_of_sight closure"
    assert not kept.is_saved


def test_a_gradient_is_named_by_its_leaf() -> None:
    w = torch.ones(4, requires_grad=True)
    with memory_timeline() as timeline:
        (w * w).sum().backward()
    assert "w.grad (S" in timeline.text


def test_freeing_what_was_there_before_goes_below_the_start() -> None:
    before = [torch.zeros(100)]
    with memory_timeline() as timeline:
        before.clear()
    assert curve(timeline).levels == (0, -400)
    assert "never above the start · 400 bytes fewer at the end" in timeline.text
    assert timeline.text.splitlines()[-1].endswith("  before[0] 400 B <·   there before the block")
    assert "before[0] is freed: 400 bytes on cpu" in timeline.state()["frames"][0]["lines"][0]
    ElementTree.fromstring(timeline.svg)


def test_a_resize_counts_what_is_held_afterwards() -> None:
    with memory_timeline() as timeline:
        x = torch.zeros(10)
        x.resize_(100)
    assert [step.kind for step in timeline.data.steps] == ["made", "resized"]
    assert curve(timeline).levels == (0, 40, 400)
    assert timeline.data.lives[0].nbytes == 400


def test_a_block_that_only_copies_shows_its_copies() -> None:
    x, y = torch.ones(100), torch.zeros(100)
    with memory_timeline() as timeline:
        y.copy_(x)
    assert timeline.text.splitlines()[0] == "memory timeline · 1 event · 0 storages made, 0 freed · 1 copy of 400 bytes"
    assert 'class="mark"' in timeline.svg


def test_memory_of_numpy_counts_no_bytes() -> None:
    import numpy

    array = numpy.zeros(100)
    with memory_timeline() as timeline:
        x = torch.from_numpy(array)
    assert x.shape == (100,)
    assert curve(timeline).peak == 0
    assert "NumPy's memory" in timeline.svg


def test_nothing_is_kept_alive_and_nobody_watches_afterwards() -> None:
    gc.disable()
    try:
        with memory_timeline() as timeline:
            x = torch.zeros(10)
            storage = weakref.ref(x.untyped_storage())
            del x
            assert storage() is None
            y = torch.zeros(5)
            storage = weakref.ref(y.untyped_storage())
        del y
        assert storage() is None
    finally:
        gc.enable()
    events = len(timeline.data.steps)
    z = torch.zeros(5)
    assert z.shape == (5,)
    assert len(timeline.data.steps) == events == 3
    assert not memory.figures.observers


def test_timelines_nest() -> None:
    with memory_timeline() as outer:
        a = torch.zeros(1)
        with memory_timeline() as inner:
            b = torch.zeros(2)
    assert a.shape != b.shape
    assert (len(outer.data.lives), len(inner.data.lives)) == (2, 1)


def test_a_block_that_raises_is_recorded_all_the_same() -> None:
    def block() -> None:
        x = torch.zeros(10)
        raise ZeroDivisionError(x)

    timeline = memory_timeline()
    with pytest.raises(ZeroDivisionError), timeline:
        block()
    assert timeline.data.lives[0].nbytes == 40


def test_a_function_is_watched_and_its_result_let_go_of() -> None:
    timeline = memory_timeline(lambda: torch.zeros(1000) + 1)
    assert curve(timeline).peak == 8000
    assert curve(timeline).kept == 0


def test_in_half_a_window_and_on_a_phone_bars_end_within_the_picture() -> None:
    with memory_timeline() as timeline:
        kept = torch.zeros(1000)
        for _ in range(12):
            torch.zeros(3000)
    for width in (MIDDLE, NARROW):
        with narrow(width):
            picture = ElementTree.fromstring(timeline.svg)
        bars = [
            bar for group in picture.iter() if "life" in group.get("class", "") for bar in group if bar.get("width")
        ]
        ends = [float(bar.attrib["x"]) + float(bar.attrib["width"]) for bar in bars]
        assert max(ends) < int(picture.attrib["width"]) <= width
    words = ["".join(element.itertext()) for element in picture.iter() if element.tag.endswith("}text")]
    assert any(text.startswith("t1…t12 · line") for text in words), "a name without room stands beneath its bar"
    assert kept is not None


def test_before_the_block_has_ended_there_is_nothing_to_draw() -> None:
    timeline = memory_timeline()
    assert repr(timeline) == "memory timeline, not recorded yet"
    assert timeline._repr_mimebundle_() == {"text/plain": "memory timeline, not recorded yet"}
    with pytest.raises(RuntimeError, match="nothing is recorded yet"):
        _ = timeline.text
    with timeline:
        pass
    assert timeline.text == "memory timeline · no storage was made, freed or copied"
    with pytest.raises(RuntimeError, match=r"memory_timeline\(\) makes another"), timeline:
        pass


def staircase() -> Any:
    with memory_timeline() as timeline:
        x = torch.ones(64, 8)
        for _ in range(30):
            x = x * 1.5
        y = x.t().contiguous()
    assert y.shape == (8, 64)
    return timeline


def test_text_and_picture_are_the_same_on_every_run() -> None:
    for names in (["S0", "S1"], ["S9", "S10"]):  # columns are as wide as the names
        drawn = []
        for _ in range(2):
            memory.give_again(names)
            timeline = staircase()
            drawn.append((timeline.text, timeline.svg))
        memory.give_again(())
        assert drawn[0] == drawn[1]
        assert set(re.findall(r"\bS\d+\b", drawn[0][0])) == set(names)


def test_storages_of_a_loop_share_a_line() -> None:
    timeline = staircase()
    rows = timeline.data.rows
    assert [len(row.lives) for row in rows] == [1, 29, 1, 1]
    assert "t2…t30" in timeline.text
    assert "29 × 2,048" in timeline.text


def test_a_long_block_is_drawn_in_part_and_says_so() -> None:
    with memory_timeline() as timeline:
        kept = [torch.zeros(k) for k in range(1, 501)]
    assert len(kept) == 500
    assert len(timeline.data.rows) == MOST_ROWS
    assert f"and {500 - MOST_ROWS} more storages of" in timeline.text
    assert max(map(len, timeline.text.splitlines())) < 120
    assert len(timeline.svg) < 60_000


def test_names_are_escaped_in_the_picture() -> None:
    code = compile("x = {'<b>': tensorglass.zeros(3)}", "/tmp/<script>&.py", "exec")
    with memory_timeline() as timeline:
        exec(code, {"tensorglass": torch}, globals())
    try:
        assert "x[&#x27;" not in timeline.svg
        assert "<script>" not in timeline.svg
        ElementTree.fromstring(timeline.svg)
        assert "</script>" not in json.dumps(timeline.state()).lower()
    finally:
        del globals()["x"]


def test_every_frame_of_the_live_form_points_into_the_picture() -> None:
    timeline = staircase()
    state = timeline.state()
    assert [frame["at"] for frame in state["frames"]] == list(range(1, len(timeline.data.steps) + 1))
    assert state["frames"][0]["lines"][0] == "1. t1 is made: 2,048 bytes on cpu"
    picture = ElementTree.fromstring(state["svg"])
    spans = [element.get("data-on") for element in picture.iter() if element.get("data-on")]
    assert len(spans) == len(timeline.data.rows) + 1  # and the mark of the copy
    json.dumps(state)


# --- simulated devices -------------------------------------------------------------------------------------------


@pytest.fixture
def sim() -> Any:
    torch.sim.empty_cache()
    return torch.sim


def test_a_simulated_device_has_its_own_curve_and_its_pool(sim: Any) -> None:
    x = torch.ones(1000)
    with memory_timeline() as timeline:
        y = x.to("sim")
        z = y * 2
        del y
    assert z.shape == (1000,)
    assert curve(timeline, "sim:0").levels[-1] == 4000
    assert [step.kind for step in timeline.data.steps].count("moved") == 1
    assert "4,096 bytes allocated of 2.00 MiB reserved" in timeline.text
    end = timeline.data.pool_at("sim:0", len(timeline.data.steps))
    assert end is not None
    assert [name.split()[0] for name in end.names.values()] == ["z"]
    assert "simulated" in timeline.text


def test_the_pool_at_an_event_knows_what_was_freed_since(sim: Any) -> None:
    with memory_timeline() as timeline:
        kept = [torch.zeros(1000, device="sim") for _ in range(6)]
        del kept[::2]
        last = torch.zeros(1, device="sim")
    assert last.shape == (1,)
    steps = timeline.data.steps
    [third_free] = [at for at, step in enumerate(steps, 1) if step.kind == "freed"][2:]
    moment = timeline.data.pool_at("sim:0", third_free)
    assert moment is not None
    blocks = [block.is_free for block in moment.pool.segments[0].blocks]
    assert blocks == [True, False, True, False, True, False, True]
    actual = sim.memory_snapshot("sim:0")
    end = timeline.data.pool_at("sim:0", len(steps))
    assert end is not None
    assert end.pool.reserved == sum(segment["total_size"] for segment in actual)
    assert end.pool.allocated == sum(segment["allocated_size"] for segment in actual)


def test_the_cpus_pool_is_shown_where_the_block_makes_use_of_it() -> None:
    torch.memory.empty_cache()
    small = memory_timeline(lambda: torch.zeros(10) + 1)
    assert small.data.pool_at("cpu", len(small.data.steps)) is None
    with memory_timeline() as timeline:
        a = torch.ones(2**20)
        b = a + 1
        del a
    moment = timeline.data.pool_at("cpu", len(timeline.data.steps))
    assert moment is not None
    assert [name.split()[0] for name in moment.names.values()] == ["b"]
    assert moment.pool.allocated == b.nbytes
    assert moment.pool.reserved == torch.memory.reserved()
    assert "4.00 MiB allocated of 20.00 MiB reserved" in timeline.text


def test_watching_costs_no_simulated_time(sim: Any) -> None:
    def block() -> float:
        sim.empty_cache()
        start = sim.now()
        x = torch.ones(100, device="sim")
        (x * x).sum().item()
        return float(sim.now() - start)

    unwatched = block()
    times = []
    memory_timeline(lambda: times.append(block()))
    assert times == [pytest.approx(unwatched, abs=1e-12)]


def test_a_recorder_that_is_stopped_is_told_nothing() -> None:
    recorder = Recorder(sys._getframe())
    recorder.start({}, {})
    recorder.stop()
    x = torch.zeros(3)
    del x
    assert recorder.events == []


def test_a_result_in_place_of_a_function_is_refused_in_words() -> None:
    with pytest.raises(TypeError, match="takes a function without arguments"):
        memory_timeline(json.loads("3"))


def test_the_second_run_of_a_checkpoint_which_ends_in_the_middle_of_a_node_is_watched() -> None:
    linear, relu = torch.nn.Linear, torch.nn.ReLU
    layers = torch.nn.Sequential(linear(4, 4), relu(), linear(4, 4), relu(), linear(4, 4))
    rows = torch.ones(3, 4)

    def step() -> None:
        result = torch.utils.checkpoint.checkpoint_sequential(layers, 2, rows, use_reentrant=False)
        result.square().sum().backward()

    step()
    expected = [parameter.grad.clone() for parameter in layers.parameters()]
    layers.zero_grad()
    timeline = memory_timeline(step)
    assert any("activations" in bands.levels for bands in timeline.data.bands)
    assert all(map(torch.equal, expected, (parameter.grad for parameter in layers.parameters())))


def test_storages_without_bytes_take_no_part() -> None:
    before = torch.ones(1000, device="meta")
    with memory_timeline() as seen:
        here = torch.ones(100)
        there = before * 2
    assert there.nbytes == 4000
    assert "meta" not in seen.text
    assert f"peak {here.nbytes} bytes" in seen.text
