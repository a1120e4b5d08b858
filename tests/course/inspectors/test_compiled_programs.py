"""Programs compiled by `torch.compile`: measured without recompilation, or refused with the reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from glassroom import memory_timeline
from glassroom.testing import assert_no_copy, assert_no_leak, assert_peak_below

torch = pytest.importorskip("torch", reason="the compiler is PyTorch's")
dynamo = pytest.importorskip("torch._dynamo", reason="part of PyTorch")

SIZE = 4 * 1000 * 64  # bytes of an activation


@pytest.fixture(autouse=True)
def _reset() -> Iterator[None]:
    dynamo.reset()
    yield
    dynamo.reset()


def net_and_batch() -> tuple[Any, Any]:
    layers = torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 64)
    return torch.nn.Sequential(*layers), torch.ones(1000, 64)


def peak_by_the_profiler(step: Callable[[], object]) -> int:
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as record:
        step()
    waiting = list(record.profiler.kineto_results.experimental_event_tree())
    changes = []
    while waiting:
        event = waiting.pop()
        waiting += event.children
        if event.name == "[memory]":
            changes.append((event.start_time_ns, event.extra_fields.alloc_size))
    held = peak = 0
    for _, change in sorted(changes, key=lambda entry: entry[0]):
        held += change
        peak = max(held, peak)
    return peak


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_a_compiled_step_is_measured_to_the_byte_and_compiled_once(backend: str) -> None:
    net, batch = net_and_batch()
    compiled = torch.compile(net, backend=backend)

    def step() -> None:
        compiled(batch).sum().backward()

    step()
    net.zero_grad()  # outside of the step, since the profiler does not record the end of earlier memory
    step()
    graphs = dict(dynamo.utils.counters["stats"])
    net.zero_grad()
    wanted = peak_by_the_profiler(step)
    net.zero_grad()
    timeline = memory_timeline(step)
    assert max(curve.peak for curve in timeline.data.curves) == wanted > SIZE
    assert "torch.compile is in use" in timeline.text
    assert dynamo.utils.counters["stats"] == graphs
    assert not dynamo.utils.counters["graph_break"]


def test_what_was_there_before_is_freed_when_the_program_frees_it() -> None:
    held = [torch.ones(SIZE)]
    torch.compile(torch.relu, backend="eager")

    def step() -> None:
        one = torch.ones(SIZE)
        held.clear()
        two = torch.ones(SIZE)
        del one, two

    [curve] = memory_timeline(step).data.curves
    assert [level // SIZE for level in curve.levels] == [0, 4, 0, 4, 0, -4]


def test_assertions_count_bytes_of_compiled_code_and_refuse_what_they_cannot_see() -> None:
    net, batch = net_and_batch()
    compiled = torch.compile(net, backend="eager")
    kept = []
    compiled(batch)
    with pytest.raises(AssertionError, match="the peak on cpu is"), assert_peak_below(SIZE):
        compiled(batch)
    with pytest.raises(AssertionError, match="more than before"), assert_no_leak():
        kept.append(compiled(batch))
    with pytest.raises(RuntimeError, match=r"could not be judged: torch\.compile is in use"), assert_no_copy():
        compiled(batch)


def test_a_block_that_calls_the_compiler_first_is_refused() -> None:
    net, _ = net_and_batch()
    with pytest.raises(RuntimeError, match=r"torch\.compile was first called in the block"), assert_peak_below("1 GiB"):
        torch.compile(net, backend="eager")


def test_lines_are_told_again_once_the_compiler_is_reset() -> None:
    torch.compile(torch.relu, backend="eager")
    dynamo.reset()
    timeline = memory_timeline(lambda: torch.ones(SIZE))
    assert not timeline.data.notes
    assert "torch.ones" in timeline.data.lives[0].where.source


def test_pytorch_s_own_use_of_the_compiler_s_switches_is_no_compiled_program() -> None:
    net, batch = net_and_batch()
    optimizer = torch.optim.Adam(net.parameters())
    dynamo.disable(lambda: None)  # as optimizers and checkpoints do within

    def step() -> None:
        net(batch).sum().backward()
        optimizer.step()

    timeline = memory_timeline(step)
    assert not timeline.data.notes
    assert timeline.data.is_of_training
    with assert_no_copy():
        step()
