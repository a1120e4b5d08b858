"""The simulated accelerator: its memory is limited, its time follows its cost model, its streams run concurrently."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import numpy
import pytest

import tensorglass as torch
from tensorglass import sim

COSTS = {
    "launch": 1e-6, "kernel": 2e-6, "memory_rate": 1e9, "transfer": 1e-5, "pageable_rate": 1e8, "pinned_rate": 1e9,
    "peer_rate": 5e8, "reserve": 0.0,
}  # fmt: skip


@pytest.fixture(autouse=True)
def machine() -> Iterator[None]:
    """Two devices of 64 MiB with round costs, their clocks at 0; afterwards what was there before."""
    gc.collect()  # other tests' failures may hold tensors
    before = sim.costs()
    sim.configure(devices=2, memory=64 * 2**20, **COSTS)
    torch.zeros(1, device="sim")
    torch.zeros(1, device="sim:1")
    sim.reset()
    yield
    gc.collect()  # what pytest.raises keeps holds the frames of the test, and their tensors
    sim.configure(devices=2, memory=2**30, **{name: getattr(before, name) for name in COSTS})
    sim.reset()


def happened(kind: str) -> list[sim.Happening]:
    """What happened of one kind."""
    return [event for event in sim.timeline() if event.kind == kind]


def test_a_kernel_is_issued_at_once_and_done_later() -> None:
    a = torch.empty(1000, device="sim")
    sim.reset()
    a * 2
    (kernel,) = sim.timeline()
    assert (kernel.kind, kernel.name, kernel.device) == ("kernel", "multiply", "sim:0")
    assert kernel.nbytes == 8000
    assert kernel.start == pytest.approx(1e-6)
    assert kernel.duration == pytest.approx(2e-6 + 8000 / 1e9)
    assert sim.now() == pytest.approx(1e-6)
    sim.synchronize()
    assert sim.now() == pytest.approx(kernel.end)


def test_writing_into_a_tensor_that_exists_is_a_kernel_and_a_view_is_none() -> None:
    x = torch.ones(20, 50, device="sim")
    written = {
        "add": lambda: x.add_(x),
        "multiply": lambda: x.mul_(2),
        "true_divide": lambda: x.div_(4),
        "sqrt": lambda: torch.sqrt(x, out=x),
        "clip": lambda: x.clamp(0, 1),
        "concatenate": lambda: torch.cat([x, x]),
    }
    for name, write in written.items():
        sim.reset()
        write()
        assert [event.name for event in happened("kernel")] == [name]
    sim.reset()
    for view in (x.view(50, 20), x[1:, ::2], x.t(), x.expand(2, 20, 50), x.real, x.detach()):
        assert view.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    assert sim.timeline() == []


def test_the_host_runs_ahead_until_it_reads_a_value() -> None:
    a = torch.ones(1000, device="sim")
    sim.reset()
    for _ in range(10):
        a = a + 1
    issued = sim.now()
    assert issued == pytest.approx(10e-6)
    a.sum().item()
    last = sim.timeline()[-1]
    assert (last.kind, last.nbytes, last.waited) == ("to host", 4, True)
    assert sim.now() == pytest.approx(last.end)
    assert sim.now() > 10 * (2e-6 + 8000 / 1e9)


def test_transfers_take_latency_and_bytes_over_rate() -> None:
    here = torch.ones(25_000)
    sim.reset()
    there = here.to("sim")
    down = happened("to device")[-1]
    assert (down.kind, down.nbytes) == ("to device", 100_000)
    assert down.duration == pytest.approx(1e-5 + 100_000 / 1e8)
    sim.reset()
    there.to("sim:1")
    across = happened("peer")[-1]
    assert (across.kind, across.device) == ("peer", "sim:1")
    assert across.duration == pytest.approx(1e-5 + 100_000 / 5e8)


def test_pinned_memory_is_faster_and_need_not_be_waited_for() -> None:
    here = torch.ones(25_000).pin_memory()
    assert here.is_pinned()
    assert not torch.ones(1).is_pinned()
    assert here[5:].is_pinned()
    sim.reset()
    there = here.to("sim", non_blocking=True)
    transfer = happened("to device")[-1]
    assert transfer.duration == pytest.approx(1e-5 + 100_000 / 1e9)
    assert not transfer.waited
    assert sim.now() < transfer.end
    torch.ones(25_000).to("sim", non_blocking=True)
    assert happened("to device")[-1].waited, "out of pageable memory the host must wait"
    assert there.tolist() == here.tolist()


def test_streams_work_side_by_side_and_events_order_them() -> None:
    a = torch.ones(1000, device="sim")
    sim.synchronize()
    sim.reset()
    side = sim.Stream()
    with sim.stream(side):
        assert sim.current_stream() == side
        a * 2
    a * 3
    one, other = sim.timeline()
    assert one.stream != other.stream
    assert other.start < one.end
    side.wait_stream(sim.default_stream())
    with sim.stream(side):
        a * 4
    assert sim.timeline()[-1].start >= other.end
    assert sim.current_stream() == sim.default_stream()


def test_events_measure_simulated_milliseconds() -> None:
    a = torch.ones(1000, device="sim")
    sim.synchronize()
    start, end = sim.Event(enable_timing=True), sim.Event(enable_timing=True)
    with pytest.raises(ValueError, match="must be recorded"):
        start.elapsed_time(end)
    start.record()
    a * 2
    end.record()
    assert not end.query()
    end.synchronize()
    assert start.elapsed_time(end) == pytest.approx(1e-3 + 2e-3 + 8e-3)
    with pytest.raises(ValueError, match="enable_timing=True"):
        start.elapsed_time(sim.Event())


def test_out_of_memory_is_reported_and_nothing_is_lost() -> None:
    held = [torch.full((2**20,), float(number), device="sim") for number in range(15)]
    with pytest.raises(torch.OutOfMemoryError) as refusal:
        torch.empty(6 * 2**20, device="sim")
    text = str(refusal.value)
    assert text.startswith("sim out of memory. Tried to allocate 24.00 MiB. ")
    assert "total capacity of 64.00 MiB" in text
    assert "60.00 MiB is allocated" in text
    assert isinstance(refusal.value, RuntimeError)
    assert any("Let go of tensors" in note for note in refusal.value.__notes__)
    assert [tensor[0].item() for tensor in held] == list(range(15))
    before = held[0]._version
    with pytest.raises(torch.OutOfMemoryError):
        held[0].add_(torch.cat(held[1:])[: 2**20])
    assert held[0]._version == before
    del held[5:]
    gc.collect()  # since Python 3.13 the collector frees what the frames of a failed call held
    sim.empty_cache()
    retried = torch.empty(6 * 2**20, device="sim")
    assert retried.numel() == 6 * 2**20
    assert [tensor[-1].item() for tensor in held] == list(range(5))
    assert sim.memory_stats()["num_ooms"] >= 2


def test_an_operator_without_room_for_its_result_changes_nothing() -> None:
    a = torch.ones(9 * 2**20, device="sim")
    with pytest.raises(torch.OutOfMemoryError):
        a + a
    assert a.sum().item() == 9 * 2**20
    a += a
    assert a[0].item() == 2


def test_the_machine_is_configured_only_while_it_holds_nothing() -> None:
    held = torch.zeros(4, device="sim")
    with pytest.raises(RuntimeError, match="sim:0 still holds 512 bytes"):
        sim.configure(memory=2**20)
    sim.configure(devices=2, memory=64 * 2**20)  # as it is: a cell that configures the machine can run again
    del held
    sim.configure(devices=3)
    assert sim.device_count() == 3
    assert torch.zeros(1, device="sim:2").device == torch.device("sim:2")
    for wrong in ({"devices": 0}, {"memory": -1}, {"launch": -1.0}, {"memory_rate": 0}):
        with pytest.raises(ValueError, match="must be"):
            sim.configure(**wrong)
    with pytest.raises(TypeError):
        sim.configure(colour=1)


def test_the_current_device_is_a_threads_own() -> None:
    assert sim.current_device() == 0
    with sim.device(1):
        assert torch.zeros(1, device="sim").device.index == 1
        with sim.device("sim:0"):
            assert sim.current_device() == 0
    assert sim.current_device() == 0
    with pytest.raises(ValueError, match="Expected a sim device"):
        sim.set_device("cpu")
    with pytest.raises(RuntimeError, match="invalid device ordinal"):
        sim.set_device(2)


def test_kernels_on_one_device_leave_the_other_idle() -> None:
    one, other = torch.ones(3, device="sim:0"), torch.ones(3, device="sim:1")
    sim.reset()
    other * 2
    assert {event.device for event in sim.timeline()} == {"sim:1"}
    with pytest.raises(RuntimeError, match=r"at least two devices, sim:0 and sim:1"):
        one + other


def test_the_summary_and_the_properties_say_simulated() -> None:
    assert "Simulated memory summary, device ID 1" in sim.memory_summary(1)
    assert "simulated" in sim.get_device_name()
    assert sim.get_device_properties().total_memory == 64 * 2**20
    sim.empty_cache()
    assert sim.mem_get_info() == (64 * 2**20, 64 * 2**20)


def test_a_move_to_the_device_is_one_transfer_and_takes_no_more_memory_than_its_result() -> None:
    here = torch.arange(2**20, dtype=torch.float32)
    torch.sim.init()
    torch.sim.reset()
    before = torch.sim.memory_allocated()
    there = here.to("sim")
    assert [event.kind for event in torch.sim.timeline() if event.kind != "reserve"] == ["to device"]
    assert torch.sim.max_memory_allocated() - before == there.nbytes
    torch.sim.reset()
    there.copy_(here)
    assert [event.kind for event in torch.sim.timeline()] == ["to device"]
    assert there.tolist()[-1] == 2**20 - 1


def test_a_kernel_of_ones_own_is_one_launch_that_writes_into_a_tensor() -> None:
    x, y = torch.arange(1000.0, device="sim"), torch.empty(1000, device="sim")

    def twice(a: numpy.ndarray, factor: float, out: numpy.ndarray) -> None:
        out[...] = a * factor

    sim.reset()
    sim.launch(twice, x, 2.0, y)
    assert [(event.kind, event.name, event.nbytes) for event in sim.timeline()] == [("kernel", "twice", 8000)]
    assert y.tolist() == [2.0 * number for number in range(1000)]
    for wrong in (torch.ones(1000), torch.ones(1000, device="sim:1")):
        with pytest.raises(ValueError, match="tensors on one simulated device are needed"):
            sim.launch(twice, wrong, 2.0, y)
