"""glassroom.testing: assertions about memory, and their messages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorglass
from glassroom.testing import (
    assert_no_copy,
    assert_no_leak,
    assert_no_shared_memory,
    assert_peak_below,
    assert_shares_memory,
)

torch = pytest.importorskip("torch", reason="the assertions are of both libraries")
LIBRARIES = pytest.mark.parametrize("lib", [torch, tensorglass], ids=["torch", "tensorglass"])


@LIBRARIES
def test_views_share_memory_and_copies_do_not(lib: Any) -> None:
    base = lib.arange(12.0)
    rows, copied = base.view(3, 4), base.clone()
    assert_shares_memory(base, rows, rows.t()[1:])
    assert_shares_memory(rows, rows.detach(), rows.numpy())
    assert_no_shared_memory(base, copied)
    assert_no_shared_memory(rows[0], rows[1], rows[2])
    assert_no_shared_memory(base[::2], base[1::2])
    with pytest.raises(AssertionError, match=r"^base and copied share no memory\n\n2 tensors on 2 storages, 96 bytes"):
        assert_shares_memory(base, copied)
    with pytest.raises(AssertionError, match=r"^rows and base\[2:3\] share memory\n\n(.|\n)*base\[2:3\] "):
        assert_no_shared_memory(rows, base[2:3])


def test_what_has_no_memory_cannot_be_compared() -> None:
    with pytest.raises(TypeError, match="meta tensor"):
        assert_shares_memory(torch.zeros(3), torch.zeros(3, device="meta"))
    with pytest.raises(TypeError, match="not 1"):
        assert_shares_memory(np.zeros(3))


@LIBRARIES
def test_a_peak_is_below_or_not(lib: Any) -> None:
    def work() -> Any:
        large = lib.zeros(1000)
        return large.sum()

    with assert_peak_below("5 kB"):
        work()
    with assert_peak_below(5000) as block:
        work()
    assert 4000 <= block.timeline.data.curves[0].peak < 5000
    with (
        pytest.raises(AssertionError, match=r"^the peak on cpu is 4,0\d\d bytes above the start") as e,
        assert_peak_below("1 KiB"),
    ):
        work()
    assert "line" in str(e.value)
    assert "large = lib.zeros(1000)" in str(e.value)
    limited = assert_peak_below(1024)(work)
    for _ in range(2):
        with pytest.raises(AssertionError, match="not below 1,024 bytes"):
            limited()
    assert work.__name__ == limited.__name__
    assert float(assert_peak_below("1 MiB")(work)()) == 0


def test_a_limit_is_a_number_of_bytes() -> None:
    limits = [assert_peak_below(limit).limit for limit in (7, "7", "1.5 kB", "2KiB", "1_000 MiB", "1 GB")]
    assert limits == [7, 7, 1500, 2048, 1000 * 2**20, 10**9]
    for wrong in ("much", "1.2.3", -1, 1.5, None):
        with pytest.raises(ValueError, match="'10 MiB', not "):
            assert_peak_below(wrong)  # type: ignore[arg-type]  # which is what is tested


@LIBRARIES
def test_a_copy_is_found_with_its_line(lib: Any) -> None:
    x = lib.zeros(10, 10)
    with assert_no_copy():
        y = x.t().view(100) if False else x.view(100)
        y.add_(1)
        (x @ x).relu()
        x.contiguous()
    with assert_no_copy(above="1 kB"):
        x.clone()
    told = r"^1 copy of 400 bytes where none is allowed\n\n\s+400 bytes  .*x\.t\(\)"
    with pytest.raises(AssertionError, match=told), assert_no_copy():
        x.t().contiguous()


@LIBRARIES
def test_a_leak_is_reported_with_who_holds_it(lib: Any) -> None:
    weight, history = lib.ones(100, requires_grad=True), []

    def good() -> None:
        history.append((weight * 2).sum().item())

    def bad() -> None:
        history.append((weight * 2).sum())

    good()
    with assert_no_leak():
        good()
    with assert_no_leak(allowed="1 kB"):
        bad()
    told = r"^12 bytes on cpu more than before\n\n(.|\n)*held by history\[\d\]"
    with pytest.raises(AssertionError, match=told), assert_no_leak():
        bad()
    with pytest.raises(AssertionError, match="more than before"):
        assert_no_leak()(bad)()


@LIBRARIES
def test_a_cycle_that_is_garbage_is_no_leak(lib: Any) -> None:
    with assert_no_leak():
        cycle: list[Any] = [lib.zeros(100)]
        cycle.append(cycle)
        del cycle


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    ("demand", "told"),
    [
        (lambda: assert_peak_below("10 kB"), r"^the peak on cpu is 39\.1 KiB \(40,0\d\d bytes\) above the start"),
        (lambda: assert_no_leak(100), r"^39\.1 KiB \(40,000 bytes\) on cpu more than before"),
        (lambda: assert_no_copy("10 kB"), r"^1 copy of 40,000 bytes where none is allowed"),
    ],
)
@LIBRARIES
def test_what_comes_after_very_many_events_is_counted(lib: Any, demand: Any, told: str) -> None:
    few, many, kept = lib.ones(2), lib.ones(10_000), []

    def many_and_one_large() -> None:
        for _ in range(25_100):
            few * 2
        kept.append(many.clone())

    block = demand()
    with pytest.raises(AssertionError, match=told), block:
        many_and_one_large()
    assert len(block.timeline.data.steps) > 50_000


def test_what_the_first_step_makes_is_no_leak_of_the_second() -> None:
    model = torch.nn.Linear(10, 10)
    optimizer = torch.optim.Adam(model.parameters())

    def step() -> None:
        optimizer.zero_grad()
        model(torch.ones(2, 10)).sum().backward()
        optimizer.step()

    with pytest.raises(AssertionError, match="more than before"):
        assert_no_leak()(step)()
    assert_no_leak()(step)()


def test_demands_may_stand_within_each_other() -> None:
    with assert_no_leak(), assert_peak_below("10 kB") as outer:
        a = torch.zeros(100)
        with assert_peak_below("3 kB") as inner:
            b = torch.zeros(500)
            del b
        del a
    assert inner.timeline.data.curves[0].peak == 2000
    assert outer.timeline.data.curves[0].peak == 2400
    assert outer.timeline.data.curves[0].kept == 0
    told = "2,000 bytes above the start"
    with pytest.raises(AssertionError, match=told), assert_no_leak(), assert_peak_below("1 kB"):
        torch.zeros(500)


@LIBRARIES
def test_what_a_block_raises_is_what_is_raised(lib: Any) -> None:
    @assert_peak_below(1)
    @assert_no_copy()
    def wrong() -> float:
        return len(lib.zeros(100).clone()) / 0

    with pytest.raises(ZeroDivisionError):
        wrong()
    with assert_peak_below(1000):
        lib.zeros(10)


def test_within_pytorchs_profiler_nothing_is_judged() -> None:
    told = "could not be judged: PyTorch was not watched"
    cpu = torch.profiler.ProfilerActivity.CPU
    with torch.profiler.profile(activities=[cpu]), pytest.raises(RuntimeError, match=told), assert_peak_below(10):
        torch.zeros(3)


def test_what_runs_after_its_call_has_returned_cannot_be_decorated() -> None:
    async def waits() -> None: ...

    def yields() -> Any:
        yield 1

    async def does_both() -> Any:
        yield 1

    for function in (waits, yields, does_both):
        with pytest.raises(TypeError, match="it is async or a generator, and runs after its call has returned"):
            assert_peak_below("1 KiB")(function)


@LIBRARIES
def test_a_graph_that_grows_behind_a_result_is_a_leak(lib: Any) -> None:
    """Nothing new is saved here, and a total has as many bytes as before; its nodes are what grows."""
    weight, batch = lib.ones(100, requires_grad=True), lib.ones(100)
    totals = {"loss": lib.zeros(())}
    total, last = lib.zeros(()), lib.zeros(())

    def step() -> None:
        nonlocal last
        last = (weight * batch).sum()

    def added() -> None:
        nonlocal total
        total += (weight * batch).sum()

    def added_anew() -> None:
        totals["loss"] = totals["loss"] + (weight * batch).sum()

    step()
    with assert_no_leak():
        step()
    assert last.requires_grad
    for _ in range(3):
        added()
        added_anew()
    for leaking, name in ((added, r"total"), (added_anew, r"totals\['loss'\]")):
        told = rf"^the graph behind {name} has grown\n\n\s+400 bytes  {name} reaches 13 nodes, 3 more than before"
        with pytest.raises(AssertionError, match=told), assert_no_leak(allowed="1 MiB"):
            leaking()


@LIBRARIES
def test_what_grows_is_reported_before_what_is_replaced_and_with_the_graph_that_keeps_it(lib: Any) -> None:
    weight, losses, gradient = lib.ones(100, requires_grad=True), [], lib.zeros(1000)

    def step() -> None:
        nonlocal gradient
        gradient = lib.ones(1000)
        losses.append(weight.exp().sum())

    step()
    with pytest.raises(AssertionError, match=r"^404 bytes on cpu more") as raised, assert_no_leak():
        step()
    lines = str(raised.value).splitlines()[2:]
    assert "held by losses[1] → ExpBackward0.result" in lines[0]
    assert "held by losses[1];" in lines[1]
    assert "gradient" in lines[-1]
    assert "in the place of as much that was freed" in lines[-1]


@LIBRARIES
def test_copies_are_reported_by_place_with_their_number_and_sum(lib: Any) -> None:
    x = lib.zeros(10, 10)
    told = r"^8 copies of 4,000 bytes where none is allowed"

    @assert_no_copy()
    def work() -> None:
        for _ in range(6):
            x.clone()
        for _ in range(2):
            x.to(lib.float64)

    with pytest.raises(AssertionError, match=told) as raised:
        work()
    lines = str(raised.value).splitlines()[2:]
    by = (" by clone", " by _to_copy") if lib is torch else ("", "")
    assert len(lines) == 2
    assert lines[0].endswith(f"x.clone()  ·  6 copies{by[0]}")
    assert lines[1].endswith(f"x.to(lib.float64)  ·  2 copies{by[1]}")
    assert lines[0].split()[:2] == ["2,400", "bytes"]


@LIBRARIES
def test_a_message_is_a_screen_at_most_and_its_details_are_the_whole(lib: Any) -> None:
    x, kept = lib.zeros(10), []
    with pytest.raises(AssertionError) as raised, assert_no_leak():
        kept += [x.clone() for _ in range(500)]
    assert len(str(raised.value).splitlines()) == 33
    assert str(raised.value).endswith("… and 470 lines more, in the error's details")
    assert len(raised.value.details.splitlines()) == 502  # type: ignore[attr-defined]  # set as it is raised


@LIBRARIES
@pytest.mark.parametrize("demand", [assert_shares_memory, assert_no_shared_memory])
def test_a_message_about_very_many_tensors_is_a_screen_and_its_details_are_the_whole(lib: Any, demand: Any) -> None:
    apart = [lib.zeros(2) for _ in range(60)]
    given = apart if demand is assert_shares_memory else [*apart, apart[0][:1]]
    with pytest.raises(AssertionError) as raised:
        demand(*given)
    details = raised.value.details  # type: ignore[attr-defined]  # set as it is raised
    assert len(str(raised.value).splitlines()) == 33
    assert len(details.splitlines()) > 50
    assert details.endswith("… and 44 more storages of 352 bytes together")
    assert details.startswith(str(raised.value).splitlines()[0])
