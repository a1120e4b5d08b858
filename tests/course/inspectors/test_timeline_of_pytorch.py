"""memory_timeline of PyTorch: as many bytes as PyTorch's profiler counts, each with its role."""

from __future__ import annotations

import gc
import importlib
import json
import sys
import weakref
from collections.abc import Callable, Iterator
from functools import lru_cache, partial, wraps
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from glassroom import memory_timeline
from glassroom.inspectors.timeline.bands import Bands
from glassroom.reading.roles import (
    ACTIVATIONS,
    GRADIENTS,
    OTHER,
    PARAMETERS,
    STATE,
    TEMPORARIES,
)

torch = pytest.importorskip("torch", reason="the timelines are of PyTorch's functions")
checkpoint = pytest.importorskip("torch.utils.checkpoint", reason="part of PyTorch").checkpoint
profiler = pytest.importorskip("torch.profiler", reason="the oracle")
nn = torch.nn


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> Iterator[None]:
    """The scratch memory of some kernels depends on the number of threads."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def the_bands(timeline: Any) -> Bands:
    [bands] = timeline.data.bands
    return bands


def peak_by_the_profiler(step: Callable[[], object], folder: Path) -> int:
    """The peak of the memory events in the trace that PyTorch's profiler exports."""
    with profiler.profile(activities=[profiler.ProfilerActivity.CPU], profile_memory=True) as profile:
        step()
    profile.export_chrome_trace(str(folder / "trace.json"))
    events = json.loads((folder / "trace.json").read_text())["traceEvents"]
    held = peak = 0
    for event in sorted(
        (allocation for allocation in events if allocation.get("name") == "[memory]"),
        key=lambda allocation: allocation["ts"],
    ):
        held += event["args"]["Bytes"]
        peak = max(peak, held)
    return peak


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Linear(32, 96)
        self.out = nn.Linear(32, 32)

    def forward(self, x: Any) -> Any:
        q, k, v = self.qkv(x).view(4, 64, 3, 4, 8).permute(2, 0, 3, 1, 4)
        mixed = torch.softmax(q @ k.transpose(-2, -1) / 8**0.5, -1) @ v
        return self.out(mixed.transpose(1, 2).reshape(4, 64, 32))


def mlp() -> Any:
    return nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64), nn.Tanh(), nn.Linear(64, 8))


def cnn() -> Any:
    layers = (nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8 * 49, 4))
    return nn.Sequential(*layers)


@pytest.mark.parametrize(
    ("network", "size"),
    [(mlp, (256, 64)), (cnn, (8, 3, 16, 16)), (Attention, (4, 64, 32))],
    ids=["mlp", "cnn", "attention"],
)
def test_the_peak_of_a_network_is_that_of_the_profiler(
    network: Callable[[], Any], size: tuple[int, ...], tmp_path: Path
) -> None:
    torch.manual_seed(0)
    model, x = network(), torch.randn(size)

    def step() -> None:
        model.zero_grad()
        model(x).square().mean().backward()

    step()
    model.zero_grad()
    expected = peak_by_the_profiler(step, tmp_path)
    model.zero_grad()
    timeline = memory_timeline(step)
    assert timeline.data.curves[0].peak == pytest.approx(expected, rel=0.01)
    assert the_bands(timeline).peak - the_bands(timeline).start == timeline.data.curves[0].peak


def test_the_scratch_memory_of_a_kernel_is_counted(tmp_path: Path) -> None:
    matrix = torch.randn(200, 200, requires_grad=True)

    def step() -> Any:
        return torch.linalg.svd(matrix)

    expected = peak_by_the_profiler(step, tmp_path)
    timeline = memory_timeline(step)
    results = 200 * (200 + 200 + 1) * 4
    assert expected > 1.2 * results
    assert timeline.data.curves[0].peak == pytest.approx(expected, rel=0.01)
    assert "kernels' scratch memory is counted while it is held" in timeline.text


def test_each_byte_of_a_training_step_is_reported_by_what_it_is_for() -> None:
    model = nn.Sequential(nn.Linear(20, 30, bias=False), nn.ReLU(), nn.Linear(30, 10, bias=False))
    optimizer = torch.optim.Adam(model.parameters(), foreach=False)
    x = torch.randn(50, 20)

    def step() -> None:
        optimizer.zero_grad()
        hidden = model(x)
        loss = (hidden * 2).sum()
        loss.backward()
        optimizer.step()

    weights = (20 * 30 + 30 * 10) * 4
    first, second = the_bands(memory_timeline(step)), the_bands(memory_timeline(step))
    assert first.at(0) == {PARAMETERS: weights, STATE: 0, GRADIENTS: 0, ACTIVATIONS: 0, OTHER: 4000, TEMPORARIES: 0}
    last = len(first.totals) - 1
    assert first.at(last) == {
        PARAMETERS: weights, STATE: 2 * weights + 2 * 4, GRADIENTS: weights, ACTIVATIONS: 0, OTHER: 4000, TEMPORARIES: 0
    }  # fmt: skip
    relu = 50 * 30 * 4  # Linear's own result is freed
    assert relu <= max(first.levels[ACTIVATIONS]) <= relu + 8  # and the 2 that `mul` keeps
    assert second.at(0) == first.at(last)
    assert second.levels[GRADIENTS][:3] == (weights, weights - 2400, 0)  # what `zero_grad` lets go of
    assert second.at(len(second.totals) - 1) == second.at(0)


def test_the_peak_is_taken_apart_by_line_and_by_module() -> None:
    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.wide, self.narrow = nn.Linear(10, 1000), nn.Linear(1000, 10)

        def forward(self, x: Any) -> Any:
            wide = self.wide(x)
            bent = wide.sigmoid()
            return self.narrow(bent)

    model, x = nn.ModuleDict({"one": Block()}), torch.randn(100, 10)

    def step() -> Any:
        return model["one"](x).sum()

    timeline = memory_timeline(step)
    bands = the_bands(timeline)
    by_line = {share.label.partition(": ")[2]: share.by_role for share in bands.by_line}
    assert by_line["bent = wide.sigmoid()"] == {ACTIVATIONS: 400_000}
    assert by_line["wide = self.wide(x)"] == {TEMPORARIES: 400_000}
    by_module = {share.label: share.by_role for share in bands.by_module}
    assert by_module["model.one"] == {ACTIVATIONS: 400_000}
    assert by_module["model.one.wide"] == {PARAMETERS: 44_000, TEMPORARIES: 400_000}
    for shares in (bands.by_line, bands.by_module):
        assert sum(share.nbytes for share in shares) == bands.peak
        assert all(share.nbytes == sum(share.by_role.values()) for share in shares)
    assert "model.one.wide" in timeline.text
    assert "model.one.wide" in timeline.svg


@pytest.mark.parametrize("reentrant", [False, True], ids=["by hooks", "reentrant"])
def test_a_checkpoint_holds_less_and_is_computed_as_often_as_it_would_be(reentrant: bool) -> None:
    layers = nn.ModuleList([nn.Sequential(nn.Linear(40, 40), nn.BatchNorm1d(40), nn.Sigmoid()) for _ in range(6)])
    x = torch.randn(200, 40, requires_grad=True)

    def plain() -> None:
        h = x
        for layer in layers:
            h = layer(h)
        h.sum().backward()

    def checkpointed() -> None:
        h = x
        for layer in layers:
            h = checkpoint(layer, h, use_reentrant=reentrant)
        h.sum().backward()

    plain()
    before = int(layers[0][1].num_batches_tracked)
    one, two = the_bands(memory_timeline(plain)), the_bands(memory_timeline(checkpointed))
    assert int(layers[0][1].num_batches_tracked) == before + 3
    one_layer = 200 * 40 * 4
    assert max(one.levels[ACTIVATIONS]) >= 12 * one_layer
    assert 2 * one_layer <= max(two.levels[ACTIVATIONS]) < 10 * one_layer
    assert two.peak < one.peak
    assert one.at(0)[PARAMETERS] == one.at(len(one.totals) - 1)[PARAMETERS]


def test_tied_weights_are_counted_once() -> None:
    embedding = nn.Embedding(100, 16)
    head = nn.Linear(16, 100, bias=False)
    head.weight = embedding.weight
    words = torch.arange(10)

    def step() -> None:
        head(embedding(words)).sum().backward()

    bands = the_bands(memory_timeline(step))
    assert bands.at(0)[PARAMETERS] == 100 * 16 * 4
    assert bands.at(len(bands.totals) - 1)[GRADIENTS] == 100 * 16 * 4


@pytest.mark.parametrize("foreach", [True, False], ids=["foreach", "single"])
@pytest.mark.parametrize("kind", ["SGD", "Adam", "AdamW"])
def test_all_that_is_local_to_a_step_is_known_too(kind: str, foreach: bool) -> None:
    extra = {"momentum": 0.9} if kind == "SGD" else {}
    states = 1 if kind == "SGD" else 2

    def step() -> None:
        model = nn.Linear(30, 30, bias=False)
        optimizer = getattr(torch.optim, kind)(model.parameters(), foreach=foreach, **extra)
        model(torch.randn(5, 30)).sum().backward()
        optimizer.step()

    bands = the_bands(memory_timeline(step))
    assert max(bands.levels[PARAMETERS]) == 3600
    assert max(bands.levels[GRADIENTS]) == 3600
    assert max(bands.levels[STATE]) in (states * 3600, states * 3600 + 4)
    assert bands.totals[-1] == 0


def test_a_function_is_left_as_it_is_and_nothing_is_kept_alive() -> None:
    torch.manual_seed(1)
    model, x = nn.Linear(4, 4), torch.randn(3, 4)

    def step() -> Any:
        model.zero_grad()
        loss = model(x).exp().sum()
        loss.backward()
        return loss.detach()

    expected = step()
    gradient, version = model.weight.grad.clone(), model.weight._version
    seen: list[Any] = []
    timeline = memory_timeline(lambda: seen.append(step()))
    assert torch.equal(seen[0], expected)
    assert torch.equal(model.weight.grad, gradient)
    assert model.weight._version == version
    ends = weakref.ref(seen[0].untyped_storage())
    seen.clear()
    gc.collect()
    assert ends() is None
    assert "made" in timeline.text
    hooks = torch.nn.modules.module
    assert not hooks._global_forward_hooks
    assert not hooks._global_forward_pre_hooks
    assert not torch.autograd._profiler_enabled()


def test_what_a_function_raises_goes_up_and_all_is_switched_off() -> None:
    model = nn.Linear(4, 4)

    def step() -> None:
        model(torch.zeros(3, 5))

    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        memory_timeline(step)
    assert not torch.autograd._profiler_enabled()
    assert not torch.nn.modules.module._global_forward_hooks


def test_a_block_of_both_libraries_is_one_timeline() -> None:
    import tensorglass

    with memory_timeline() as timeline:
        a = torch.zeros(10)
        b = tensorglass.zeros(20)
        c = torch.zeros(30)
        del a
    sizes = [(step.kind, step.nbytes) for step in timeline.data.steps]
    assert sizes == [("made", 40), ("made", 80), ("made", 120), ("freed", 40)]
    assert [life.fate for life in timeline.data.lives if life.ended is None] == [
        "alive, held by b", "alive, held by c"
    ]  # fmt: skip
    assert b.shape[0] + c.shape[0] == 50


def test_within_pytorchs_profiler_it_says_that_pytorch_was_not_watched() -> None:
    with profiler.profile(activities=[profiler.ProfilerActivity.CPU]):
        timeline = memory_timeline(lambda: torch.zeros(3) + 1)
    assert timeline.text.splitlines()[-1].startswith("PyTorch was not watched: its profiler")


def test_a_step_of_tensorglass_has_the_same_bands() -> None:
    import tensorglass

    def bands_with(lib: Any) -> Bands:
        w = lib.ones(50, 60, requires_grad=True)
        x = lib.ones(20, 50)

        def step() -> None:
            hidden = (x @ w).sigmoid()
            loss = hidden.sum()
            loss.backward()

        return the_bands(memory_timeline(step))

    ours, theirs = bands_with(tensorglass), bands_with(torch)
    assert ours.at(0) == {role: theirs.levels.get(role, (0,))[0] for role in ours.levels}
    for role in (PARAMETERS, GRADIENTS, ACTIVATIONS):
        assert max(ours.levels[role]) == max(theirs.levels[role])


def test_two_runs_are_compared_at_one_scale() -> None:
    model = nn.Sequential(nn.Linear(10, 100), nn.Sigmoid(), nn.Linear(100, 1))

    def step(batch: int) -> None:
        model.zero_grad()
        model(torch.ones(batch, 10)).sum().backward()

    step(1)
    large = memory_timeline(lambda: step(16))
    compared = memory_timeline(eight=lambda: step(8), sixteen=large)
    eight, sixteen = compared.data.runs
    assert (eight.name, sixteen.name) == ("eight", "sixteen")
    assert sixteen.bands == the_bands(large)
    assert max(sixteen.bands.levels[ACTIVATIONS]) == 2 * max(eight.bands.levels[ACTIVATIONS])
    rows = {line[:17].strip(): line[17:].split("  ") for line in compared.text.splitlines()[3:]}
    assert [cell.strip() for cell in rows["parameters"] if cell.strip()] == ["4,804 bytes", "4,804 bytes", "0 bytes"]
    assert "line" in compared.svg
    assert compared.as_dict()["inspector"] == "memory comparison"


def test_what_is_compared_are_functions_and_timelines_with_names() -> None:
    with pytest.raises(TypeError, match="compares two runs or more"):
        memory_timeline(only=lambda: None)
    with pytest.raises(TypeError, match="runs that are all named"):
        memory_timeline(lambda: None, other=lambda: None)  # type: ignore[call-overload]  # that is the mistake


def _with_defaults(model: Any, optimizer: Any, run: Any) -> Any:
    def step(model: Any = model, *, optimizer: Any = optimizer) -> None:
        run(model, optimizer)

    return step


def _closing_over(model: Any, optimizer: Any, run: Any) -> Any:
    def step() -> None:
        run(model, optimizer)

    return step


def _wrapped(model: Any, optimizer: Any, run: Any) -> Any:
    @wraps(run)
    def step() -> None:
        run(model, optimizer)

    return lru_cache(step)


def _bound(model: Any, optimizer: Any, run: Any) -> Any:
    class Trainer:
        def __init__(self) -> None:
            self.held = SimpleNamespace(model=model, optimizer=optimizer)

        def step(self) -> None:
            run(self.held.model, self.held.optimizer)

        __call__ = step

    return Trainer().step


def _called(model: Any, optimizer: Any, run: Any) -> Any:
    return _bound(model, optimizer, run).__self__


def _of_a_class(model: Any, optimizer: Any, run: Any) -> Any:
    class Trainer:
        held = model, optimizer

        @classmethod
        def step(cls) -> None:
            run(*cls.held)

    return Trainer.step


def _of_a_module(model: Any, optimizer: Any, run: Any) -> Any:
    this.held = model, optimizer  # type: ignore[attr-defined]  # of this module
    return lambda: run(*this.held)  # type: ignore[attr-defined]  # of this module


def _partial(model: Any, optimizer: Any, run: Any) -> Any:
    return partial(partial(run, model), optimizer=optimizer)


this = sys.modules[__name__]
WAYS = (_with_defaults, _closing_over, _wrapped, _bound, _called, _of_a_class, _of_a_module, _partial)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("library", ["torch", "tensorglass"])
def test_a_model_is_found_however_a_step_knows_it(library: str, way: Any) -> None:
    lib = importlib.import_module(library)
    model = lib.nn.Linear(100, 10)
    optimizer = lib.optim.SGD(model.parameters(), momentum=0.9)
    batch = lib.ones(4, 100)

    def run(model: Any, optimizer: Any) -> None:
        optimizer.zero_grad()
        model(batch).sum().backward()
        optimizer.step()

    step = way(model, optimizer, run)
    step()  # so that optimizer state is there before
    levels = the_bands(memory_timeline(step)).levels
    held = sum(parameter.untyped_storage().nbytes() for parameter in model.parameters())
    assert [max(levels[role]) for role in (PARAMETERS, STATE, GRADIENTS)] == [held] * 3


def test_parameters_to_which_no_variable_leads_are_counted_once_an_operator_reads_them() -> None:
    hidden = {"": nn.Linear(100, 10)}  # its key is no name that anything is found by
    batch = torch.ones(4, 100)

    class Opaque:
        def __getattribute__(self, name: str) -> Any:
            return hidden[""] if name == "model" else object.__getattribute__(self, name)

    opaque = Opaque()
    levels = the_bands(memory_timeline(partial(_through, opaque, batch))).levels
    assert levels[PARAMETERS][0] == 4040


def _through(opaque: Any, batch: Any) -> None:
    opaque.model(batch).sum().backward()


def test_the_program_s_own_profiler_sees_operators_after_a_timeline() -> None:
    def operators() -> set[str]:
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as record:
            torch.ones(3) + 1
        return {event.key for event in record.key_averages()}

    def fails() -> None:
        with memory_timeline():
            torch.ones(3)
        raise KeyError

    wanted = operators()
    assert "aten::add" in wanted
    with pytest.raises(KeyError):
        memory_timeline(fails)
    assert operators() == wanted
