"""%%watch and watch(): the story of code, by meaning, on tensorglass, PyTorch and NumPy; nothing is kept alive."""

from __future__ import annotations

import gc
import importlib
import json
import sys
import traceback
import weakref
from pathlib import Path
from typing import Any

import numpy
import pytest
from course.inspectors.watch.watched import said, steps

import tensorglass
from glassroom import watch
from glassroom.reading.adapters import TensorAdapter
from tensorglass import memory

# --- what a step does ------------------------------------------------------------------------------------------------


def test_a_new_storage_a_view_a_write_and_a_copy_are_told_apart(torch: Any) -> None:
    def cell() -> Any:
        a = torch.arange(6.0)
        b = a.view(2, 3)
        b[0] = 7
        c = b.t().contiguous()
        return c.sum()

    story = watch(cell).story
    a, b, write, c, end = story.moments
    assert [change.kind for change in a.changes] == ["allocated"]
    assert said(a) == "ran; a: new storage S0, 24 bytes"
    assert said(b) == "ran; b shares S0: a view of a, bytes 0–23"
    assert "changed S0 cells 0–2, version 0 → 1" in said(write)
    assert set(write.written.values()) == {(0, 4, 8)}
    assert c.did("allocated") and c.did("copied")  # noqa: PT018  # one statement about one step
    assert (story.copies, story.copied_bytes) == (1, 24)
    assert end.how == "returns"
    assert story.peak == story.moments[-1].held == 24 + 24 + 4


def test_numpy_arrays_are_watched() -> None:
    def cell() -> None:
        a = numpy.arange(6.0)
        b = a[::2]
        c = a.copy()
        a[5] = -1
        del c
        b += 1

    story = watch(cell).story
    assert said(steps(story, "b = a")[0]) == "ran; b shares S0: a view of a, bytes 0–39"
    [copy] = steps(story, "c = a.copy()")
    assert [change.kind for change in copy.changes] == ["allocated", "copied"]
    assert "c is a copy: 48 bytes copied" in said(copy)
    assert said(steps(story, "a[5]")[0]) == "ran; changed S0 cell 5"
    assert said(steps(story, "del c")[0]) == "ran; S0 is freed, 48 bytes"
    assert said(steps(story, "b += 1")[0]) == "ran; changed S0 cells 0, 2, 4"
    assert story.peak == 96


def test_of_numpy_s_arrays_those_are_copies_that_hold_moved_elements(torch: Any) -> None:
    def cell() -> None:
        a = numpy.arange(10)
        m = numpy.arange(6.0).reshape(2, 3)
        twice = numpy.arange(10)
        more = a + 0
        view = a[2:].reshape(2, 4)
        like = numpy.zeros(6).reshape(m.shape)
        part = a[[0, 1]]
        chosen = a[a > 3]
        flat = m.T.ravel()
        cast = a.astype(numpy.float32)
        joined = numpy.concatenate([a, part])
        again = numpy.array(a)
        stacked = torch.stack([torch.ones(2)] * 2).numpy()
        assert like is not None
        assert len(twice) + len(more) + view.size + len(chosen) + len(flat) + len(cast) + len(again) + len(joined)
        assert stacked.size

    story = watch(cell).story
    copies = {
        story.source(moment.statement).split()[0]: moment.did("copied")
        for moment in story.moments
        if "=" in story.source(moment.statement).split()
    }
    assert [name for name, is_copy in copies.items() if is_copy] == [
        "part", "chosen", "flat", "cast", "joined", "again", "stacked"
    ]  # fmt: skip
    assert (story.copies, story.copied_bytes) == (7, 16 + 48 + 48 + 40 + 96 + 80 + 16)


def test_memory_that_libraries_share_is_one_storage() -> None:
    def cell() -> None:
        array = numpy.zeros(3)
        x = tensorglass.from_numpy(array)
        x[1] = 5

    story = watch(cell).story
    assert "x shares S0 with array" in said(steps(story, "x = ")[0])
    assert "changed S0 cell 1" in said(steps(story, "x[1]")[0])
    assert (story.allocated, story.peak) == (24, 24)


def test_a_tensor_is_seen_to_be_freed_when_its_last_name_goes(torch: Any) -> None:
    def cell() -> None:
        a = torch.zeros(4)
        b = a[1:]
        del a
        del b

    story = watch(cell).story
    assert said(steps(story, "del a")[0]) == "ran; a is gone; b still holds S0"
    [last] = steps(story, "del b")
    assert said(last) == "ran; S0 is freed, 16 bytes"
    assert len(last.gone.storages) == 1
    assert last.held == 0


def test_what_is_freed_is_reported_though_its_place_is_taken() -> None:
    """The gradient of `w` may reuse the memory, and the address, of what backward frees."""
    x = tensorglass.ones(64, 64)

    def cell() -> None:
        w = tensorglass.ones(64, 10, requires_grad=True)
        for part in (x, x):
            loss = (part @ w).square().mean() / 2
            loss.backward()

    for _ in range(4):
        backward, _ = steps(watch(cell).story, "loss.backward()")
        assert "1 storage of 2,560 bytes freed, from step 3" in said(backward)


def test_temporaries_and_what_the_graph_keeps_are_accounted_for(torch: Any) -> None:
    w = torch.ones(3, requires_grad=True)

    def cell() -> None:
        loss = (w.exp().sin() * 2).sum()
        loss.backward()

    story = watch(cell).story
    [forward] = steps(story, "loss = ")
    assert "temporar" in said(forward)
    assert "alive without a name" in said(forward)
    assert forward.facts["loss"].startswith("grad_fn SumBackward0")
    [backward] = steps(story, "loss.backward()")
    assert "w.grad: new storage" in said(backward)
    assert "w.grad" in [header.name for header in backward.snapshot.headers]


def test_a_name_for_what_is_there_already_is_no_new_view(torch: Any) -> None:
    def cell() -> None:
        a = torch.zeros(2)
        b = a
        a = a.view(1, 2)
        b.add_(1)

    story = watch(cell).story
    assert said(steps(story, "b = a")[0]) == "ran; b is a itself, on S0"
    assert said(steps(story, "a = a.view")[0]) == "ran; a is now float32 [1, 2], stride [2, 1], offset 0 on S0"


def test_a_write_that_no_version_counts_is_said_to_be_one(torch: Any) -> None:
    a = torch.zeros(3)

    def cell() -> None:
        a.numpy()[0] = 5

    assert said(watch(cell).story.moments[0]) == "ran; changed S0 cell 0, and no version counts it"


def test_lists_dicts_and_objects_are_looked_into(torch: Any) -> None:
    def cell() -> None:
        xs = [torch.zeros(1), {"w": torch.ones(2)}]
        xs[1]["w"].mul_(2)
        xs.clear()

    first, write, clear = watch(cell).story.moments
    assert [header.name for header in first.snapshot.headers] == ["xs[0]", "xs[1]['w']"]
    assert "changed S0 cells 0–1" in said(write)
    assert clear.snapshot.storages == ()
    assert len(clear.gone.storages) == 2


def test_only_the_chosen_names_are_looked_at() -> None:
    def cell() -> None:
        a = tensorglass.zeros(2)
        b = a + 1
        a.mul_(2)
        b.mul_(2)

    story = watch(cell, names=["b"]).story
    assert {header.name for moment in story.moments for header in moment.snapshot.headers} == {"b"}
    assert said(steps(story, "a.mul_")[0]) == "ran"


# --- loops, functions, limits ----------------------------------------------------------------------------------------


def test_functions_of_the_same_file_are_stepped_into(torch: Any) -> None:
    def scale(t: Any) -> Any:
        u = t * 2
        return u + 1

    def cell() -> None:
        x = torch.ones(2)
        y = scale(x)
        del x, y

    story = watch(cell).story
    assert [moment.function for moment in story.moments] == ["cell", "cell", "scale", "scale", "cell", "cell"]
    calls, comes_back = steps(story, "y = scale(x)")
    assert said(calls) == "calls scale(); t in scale() is x itself, on S0"
    assert "result of scale(): new storage" in said(steps(story, "return u + 1")[0])
    assert said(comes_back) == "after scale(); y holds S0, the result of scale(); S1 is freed, 8 bytes"


MODEL = """
class Layer:
    def __init__(self, weight):
        self.weight = weight

    def forward(self, x):
        hidden = x * self.weight
        return helped(hidden)


def helped(x):
    x += 1
    return x
"""


def test_code_of_other_files_is_stepped_into_where_it_is_asked_for(
    torch: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "followed_model.py").write_text(MODEL)
    monkeypatch.syspath_prepend(tmp_path)
    model = importlib.import_module("followed_model")
    layer = model.Layer(torch.ones(3))

    def cell() -> None:
        x = torch.ones(3)
        y = layer.forward(x)
        del y

    assert "followed_model.py" not in watch(cell).text
    for follow in ([model], [model.Layer], [layer], [model.helped], [layer.forward]):
        picture = watch(cell, follow=follow)
        [written] = steps(picture.story, "x += 1")
        assert "changed S" in said(written)
        assert "followed_model.py line 12" in picture.text
        assert any("followed_model.py line 12, in helped(): x += 1" in line
                   for frame in picture.state()["frames"] for line in frame["lines"])  # fmt: skip
    with pytest.raises(TypeError, match="written in Python, and 3 is none"):
        watch(cell, follow=[3])
    sys.modules.pop("followed_model")


def test_each_round_of_a_loop_is_a_step_of_each_line() -> None:
    def cell() -> None:
        x = tensorglass.zeros(2)
        for _ in range(3):
            x.add_(
                1,
            )
        while x[0] < 5:
            x.add_(1)

    story = watch(cell).story
    assert len(steps(story, "x.add_( …")) == 3
    assert len(steps(story, "x.add_(1)")) == 2
    assert story.moments[-1].snapshot.storages[0].version == 5


def test_a_recursion_has_a_name_for_each_call() -> None:
    def down(t: Any) -> Any:
        return t if len(t) < 2 else down(t[1:])

    names = {
        header.name for moment in watch(down, tensorglass.zeros(3)).story.moments for header in moment.snapshot.headers
    }
    assert {"t", "t in down()", "t in down(), call 2"} <= names


def test_the_watch_ends_after_so_many_steps_and_the_rest_runs_all_the_same() -> None:
    x = tensorglass.zeros(1)

    def cell() -> None:
        for _ in range(50):
            x.add_(1)

    story = watch(cell, steps=10)
    assert len(story.story.moments) == 10
    assert story.text.splitlines()[-1] == (
        "the watch ended after 10 steps; the rest is counted above, of NumPy what variables hold (steps takes more)"
    )
    assert x.item() == 50
    assert sys.gettrace() is None or "glassroom" not in repr(sys.gettrace())


@pytest.mark.parametrize("rest", [True, False])
def test_the_rest_is_counted_or_runs_as_where_nobody_watches(torch: Any, rest: bool) -> None:
    modes = pytest.importorskip("torch.utils._python_dispatch", reason="where PyTorch keeps its modes")
    on: list[int] = []

    def cell() -> None:
        for _ in range(20):
            torch.ones(100)
        on.append(len(modes._get_current_dispatch_mode_stack()) + len(memory.figures.observers))

    before = len(memory.figures.observers)
    story = watch(cell, steps=6, rest=rest).story
    assert len(story.moments) == 6
    assert on == [before + 2 if rest else before]
    assert (story.allocations == 20) == rest
    assert story.allocated == 400 * story.allocations
    assert ("ran unwatched" in watch(cell, steps=6, rest=rest).text) != rest


def test_the_rest_leaves_a_mode_of_the_program_on() -> None:
    torch = pytest.importorskip("torch", reason="the modes are PyTorch's")
    flops = pytest.importorskip("torch.utils.flop_counter", reason="part of PyTorch")

    def cell() -> int:
        with flops.FlopCounterMode(display=False) as counter:
            a = torch.ones(8, 8)
            for _ in range(10):
                a @ a
        return counter.get_total_flops()

    seen: list[int] = []
    watch(lambda: seen.append(cell()), steps=4, rest=False)
    assert seen == [cell()]


LEFT: list[Any] = []


def test_numpy_of_the_rest_is_counted_where_it_is_left() -> None:
    def cell() -> None:
        for _ in range(10):
            LEFT.append(numpy.zeros(50))  # noqa: PERF401  # one statement a step

    assert watch(cell, steps=4).story.allocated == 10 * 400
    LEFT.clear()


def test_a_generator_is_followed_through_its_yields() -> None:
    def numbers() -> Any:
        for k in range(2):
            yield tensorglass.ones(k + 1)

    def cell() -> float:
        return sum(float(tensor.sum()) for tensor in numbers())

    story = watch(cell).story
    assert len(steps(story, "yield")) >= 2
    assert story.moments[-1].how in ("returns", "after numbers()")


# --- nothing changes for being watched -------------------------------------------------------------------------------


def test_an_exception_is_raised_and_ends_the_story_at_its_line(torch: Any) -> None:
    def cell() -> None:
        x = torch.ones(3)
        x.view(2, 2)
        x.add_(1)

    with pytest.raises(RuntimeError, match="invalid for input of size 3") as caught:
        watch(cell)
    note = caught.value.__notes__[-1]
    assert note.startswith("watch · 2 steps")
    assert "x.view(2, 2)" in note.splitlines()[-1]
    assert "raises RuntimeError: shape '[2, 2]' is invalid for input of size 3" in note.splitlines()[-1]
    functions = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert "__torch_dispatch__" not in functions


def test_a_caught_exception_is_a_step_and_the_story_goes_on() -> None:
    def cell() -> Any:
        x = tensorglass.ones(3)
        try:
            x.view(2, 2)
        except RuntimeError:
            x = x * 2
        return x

    story = watch(cell).story
    assert steps(story, "x.view(2, 2)")[0].how.startswith("raises RuntimeError")
    assert "new storage" in said(steps(story, "x = x * 2")[0])
    assert story.moments[-1].how == "returns"


def test_what_was_traced_before_is_traced_again_afterwards() -> None:
    before = sys.gettrace()

    def tracer(*_: object) -> None:
        return None

    sys.settrace(tracer)
    try:
        watch(lambda: None)
        assert sys.gettrace() is tracer
    finally:
        sys.settrace(before)


def test_nothing_is_kept_alive_and_nobody_watches_afterwards(torch: Any) -> None:
    seen: list[Any] = []

    class Keeper:
        pass

    def cell() -> Any:
        keeper = Keeper()
        seen.append(weakref.ref(keeper))
        inner = torch.zeros(3)
        seen.append(weakref.ref(inner))
        return inner

    gc.collect()
    gc.disable()
    try:
        story = watch(cell)
        assert [reference() for reference in seen] == [None, None]
        assert story.text
    finally:
        gc.enable()
    assert not memory.figures.observers


def test_the_account_agrees_with_the_library_s_own_report() -> None:
    def cell() -> Any:
        x = tensorglass.arange(200.0).view(20, 10) / 1000
        y = (x @ x.t()).relu().t().contiguous()
        return y[y > 1].exp().sum()

    with memory.track() as report:
        cell()
    story = watch(cell).story
    assert (story.allocations, story.allocated) == (report.allocations, report.allocated_bytes)
    assert (story.copies, story.copied_bytes) == (report.copies, report.copied_bytes)
    assert story.peak == report.peak_bytes


def test_of_a_large_tensor_the_visible_cells_alone_are_read() -> None:
    def cell() -> None:
        big = tensorglass.empty(1).expand(10**9)
        flat = tensorglass.zeros(10**6)
        flat[-1] = 3
        del big

    story = watch(cell)
    assert "changed S0 cell 999999" in said(steps(story.story, "flat[-1]")[0])
    assert len(json.dumps(story.state())) < 60_000


@pytest.mark.parametrize("name", ["tensorglass", "torch"])
def test_each_step_tells_by_how_much_memory_grew_and_the_most_it_held(name: str) -> None:
    library = pytest.importorskip(name, reason="the oracle, PyTorch, is not installed (extra: parity)")
    old = library.ones(100)
    held = {"old": old}
    del old

    def cell() -> Any:
        a = library.ones(10)
        b = (a + 1) * 2
        del held["old"]
        del a
        return b

    story = watch(cell).story
    grown = {story.source(moment.statement).strip(): moment for moment in story.moments}
    assert grown["a = library.ones(10)"].difference == 40
    product = grown["b = (a + 1) * 2"]
    assert (product.difference, product.held, product.high) == (40, 80, 120)
    assert grown['del held["old"]'].difference == -400  # it was there before, and counts as well
    assert grown["del a"].difference == -40
    assert story.peak == 120


@pytest.mark.parametrize("name", ["tensorglass", "torch"])
def test_it_opens_on_what_tells_most(name: str) -> None:
    library = pytest.importorskip(name, reason="the oracle, PyTorch, is not installed (extra: parity)")

    def writing() -> None:
        a = library.zeros(3)
        b = a.view(3, 1)
        b[0] = 1
        library.zeros(50)

    def large() -> None:
        a = library.zeros(3)
        a[0] = 1
        library.zeros(50_000)

    def failing() -> None:
        a = library.zeros(3)
        a[0] = 1
        a.view(2, 2)

    def empty() -> None:
        pass

    def opened(function: Any) -> str:
        story = watch(function).story
        return story.source(story.moments[story.telling - 1].statement).strip()

    assert opened(writing) == "a = library.zeros(3)"
    assert opened(large) == "library.zeros(50_000)"
    with pytest.raises(RuntimeError) as caught:
        watch(failing)
    assert "a.view(2, 2)" in caught.value.__notes__[-1]
    assert watch(empty).state()["opens"] == 1


def test_arrays_that_come_and_go_after_the_last_step_are_counted() -> None:
    def cell() -> Any:
        kept = numpy.ones(10)
        for _ in range(100):
            passing = numpy.full(5, 2.0)
            copied = kept[[0, 1]]
        return passing, copied

    story = watch(cell, steps=7).story
    assert story.is_cut
    assert story.allocations == 201
    assert story.allocated == 80 + 100 * (40 + 16)
    assert (story.copies, story.copied_bytes) == (100, 1600)
    assert "of NumPy what variables hold" in watch(cell, steps=7).text


def test_a_chain_of_moves_is_a_copy_of_numpys() -> None:
    def cell() -> Any:
        a = numpy.arange(10)
        again = numpy.arange(10)
        turned = a.reshape(2, 5).T.ravel()
        return again, turned

    copies = [change.words for moment in watch(cell).story.moments for change in moment.changes if change.nbytes == 80]
    assert copies[-1] == "turned is a copy: 80 bytes copied"
    assert not any("again is a copy" in words for words in copies)


def test_a_look_reads_each_tensor_once_however_many_names_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    reads = 0
    describe = TensorAdapter.describe

    def counted(self: TensorAdapter, value: Any) -> Any:
        nonlocal reads
        reads += 1
        return describe(self, value)

    monkeypatch.setattr(TensorAdapter, "describe", counted)

    def waits() -> None:
        held = [tensorglass.ones(2) for _ in range(6)]
        again = tuple(held)
        first, *_ = again
        del first, _

    def without() -> None:
        held = [tensorglass.ones(2) for _ in range(6)]
        del held

    watch(without)
    alone, reads = reads, 0
    watch(waits)
    assert reads - alone == 3 * 6


def test_what_is_made_after_the_last_step_is_counted_and_nothing_of_it_is_kept(torch: Any) -> None:
    grown = []

    def cell() -> None:
        x = torch.ones(3)
        for _ in range(2):
            gc.collect()
            before = len(gc.get_objects())
            for _ in range(2_000):
                x + 1
            gc.collect()
            grown.append(len(gc.get_objects()) - before)

    story = watch(cell, steps=1).story
    assert story.allocations >= 4_000
    assert grown[-1] < 1_000


def test_a_cell_that_is_written_with_the_value_that_it_held_is_not_said_to_change() -> None:
    def cell() -> None:
        v = tensorglass.arange(6.0)
        v[[True, True, False, False, True, True]] = 0

    assert said(steps(watch(cell).story, "v[[")[0]).endswith("changed S0 cells 1, 4–5, version 0 → 1")
