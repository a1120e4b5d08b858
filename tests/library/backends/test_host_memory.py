"""The CPU's pool: large storages reuse memory only once no object can reach it any more."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy
import pytest

import tensorglass as torch
from tensorglass import memory
from tensorglass.backends.host_memory import MOST_UNUSED

MIB = 2**20
N = MIB  # 4 MiB of float32


@pytest.fixture(autouse=True)
def empty_pool() -> Iterator[None]:
    gc.collect()
    memory.empty_cache()
    yield
    gc.collect()
    memory.empty_cache()


def block_of(tensor: torch.Tensor) -> dict[str, Any]:
    """The block of the pool that a tensor's storage lies in."""
    address = tensor.untyped_storage().data_ptr()
    [block_there] = [
        block for segment in memory.snapshot() for block in segment["blocks"] if block["address"] == address
    ]
    return block_there


def test_memory_of_a_dead_result_is_used_by_the_next_one() -> None:
    a = torch.ones(N)
    first = a + a
    address = first.data_ptr()
    del first
    assert (a * a).data_ptr() == address


def test_two_results_that_live_at_once_take_turns_in_two_blocks() -> None:
    a, result, addresses = torch.ones(N), None, set()
    for _ in range(10):
        result = a + a
        addresses.add(result.data_ptr())
    assert len(addresses) == 2
    assert memory.stats()["num_device_alloc"] <= memory.stats()["allocation.all.allocated"]


def test_small_storages_are_not_the_pools_affair() -> None:
    before = memory.stats()["allocation.all.allocated"]
    a = torch.ones(1000)
    b = a + a
    assert memory.stats()["allocation.all.allocated"] == before
    assert b.shape == (1000,)


@pytest.mark.parametrize(
    "make",
    [
        lambda a: a + a,
        lambda a: a + 1,
        lambda a: a.exp(),
        lambda a: a.clone(),
        lambda a: torch.empty(N),
        lambda a: a.relu(),
        lambda a: torch.cat([a, a]),
        lambda a: a.view(1024, 1024) @ a.view(1024, 1024),
        lambda a: torch.where(a > 0, a, a),
        lambda a: a.to(torch.float64),
        lambda a: a.view(1024, 1024).t().contiguous(),
        lambda a: a.view(1024, 1024).softmax(1),
        lambda a: torch.full_like(a, 2.0),
    ],
    ids=["add", "number", "exp", "clone", "empty", "relu", "cat", "matmul", "where", "to", "contiguous", "softmax",
         "full"],
)  # fmt: skip
def test_large_results_lie_in_the_pool(
    request: pytest.FixtureRequest, make: Callable[[torch.Tensor], torch.Tensor]
) -> None:
    if request.node.callspec.id == "matmul" and os.environ.get("TENSORGLASS_FAST") == "0":
        pytest.skip("products take their memory from the pool by a shortcut")
    result = make(torch.ones(N))
    block = block_of(result)
    assert block["state"] == "active_allocated"
    assert block["requested_size"] == result.untyped_storage().nbytes()


@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.ones(300_000, dtype=torch.uint8).float(),
        lambda: torch.cat([torch.ones(100_000)] * 3),
        lambda: torch.ones(600, 1) + torch.ones(600),
        lambda: torch.ones(600, 1) @ torch.ones(1, 600),
    ],
    ids=["conversion", "cat", "broadcast", "matmul"],
)
def test_large_results_of_small_operands_lie_in_the_pool(
    request: pytest.FixtureRequest, make: Callable[[], torch.Tensor]
) -> None:
    if request.node.callspec.id == "matmul" and os.environ.get("TENSORGLASS_FAST") == "0":
        pytest.skip("products take their memory from the pool by a shortcut")
    result = make()
    assert block_of(result)["state"] == "active_allocated"


# --- no memory is handed out twice -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "export",
    [
        lambda t: t.numpy(),
        lambda t: t.numpy()[5:],
        lambda t: numpy.asarray(t).reshape(2, -1).T,
        lambda t: numpy.from_dlpack(t),
        lambda t: memoryview(t.numpy()),
        lambda t: t.untyped_storage(),
        lambda t: t.view(-1)[3:],
        lambda t: t.detach(),
        lambda t: t.data,
        lambda t: torch.from_numpy(t.numpy()),
        lambda t: (t.clone().requires_grad_() * t).grad_fn,
        lambda t: t.__dlpack__(),
    ],
    ids=["numpy", "slice", "transpose", "dlpack", "memoryview", "storage", "view", "detach", "data", "from_numpy",
         "graph", "capsule"],
)  # fmt: skip
def test_memory_comes_back_when_nobody_can_see_it_and_not_before(export: Callable[[torch.Tensor], object]) -> None:
    tensor = torch.full((N,), 7.0)
    address = tensor.data_ptr()
    seen = export(tensor)
    del tensor
    gc.collect()
    others = [torch.zeros(N) + 1 for _ in range(4)]
    assert address not in [other.data_ptr() for other in others]
    del seen
    gc.collect()
    assert address in [(other + other).data_ptr() for other in others]


def test_a_file_object_on_the_memory_keeps_it() -> None:
    tensor = torch.full((N,), 7.0)
    shared = torch.frombuffer(tensor.numpy(), dtype=torch.float32)
    address = tensor.data_ptr()
    del tensor
    other = torch.zeros(N) + 1
    assert other.data_ptr() != address
    assert shared[-1].item() == 7


def test_memory_in_a_cycle_comes_back_when_the_cycle_is_collected() -> None:
    tensor = torch.empty(N)
    address = tensor.data_ptr()
    cycle: list[Any] = [tensor]
    cycle.append(cycle)
    del tensor, cycle
    gc.collect()
    assert torch.empty(N).data_ptr() == address


def test_zeros_are_zero_whatever_the_pool_holds() -> None:
    del_me = torch.full((N,), 9.0)
    del del_me
    assert not torch.zeros(N).any()
    assert not torch.zeros(N, dtype=torch.int64).any()


def test_a_resized_storage_keeps_its_bytes() -> None:
    tensor = torch.ones(N) + 1
    tensor.resize_(2 * N)
    assert tensor[:N].eq(2).all()
    other = torch.full((N,), 5.0)
    assert tensor[:N].eq(2).all()
    assert other.eq(5).all()


# --- how much is kept ------------------------------------------------------------------------------------------------


def test_reserved_is_allocated_and_what_is_kept() -> None:
    a = torch.empty(5 * N)  # 20 MiB: a segment of its own
    assert memory.reserved() == memory.stats()["allocated_bytes.all.current"] == 20 * MIB
    del a
    assert (memory.reserved(), memory.stats()["allocated_bytes.all.current"]) == (20 * MIB, 0)
    memory.empty_cache()
    assert memory.reserved() == 0
    assert memory.snapshot() == []


def test_no_more_is_kept_than_the_limit_and_the_longest_unused_goes_first() -> None:
    memory.set_cache_limit(40 * MIB)
    try:
        tensors = [torch.empty(5 * N) for _ in range(4)]
        addresses = [tensor.data_ptr() for tensor in tensors]
        while tensors:
            tensors.pop(0)
        assert memory.reserved() == 40 * MIB
        assert sorted(segment["address"] for segment in memory.snapshot()) == sorted(addresses[2:])
        memory.set_cache_limit(0)
        assert memory.reserved() == 0
        tensor = torch.empty(5 * N)
        del tensor
        assert memory.reserved() == 0
    finally:
        memory.set_cache_limit(MOST_UNUSED)
    with pytest.raises(ValueError, match="0 or more"):
        memory.set_cache_limit(-1)


def test_resident_memory_of_many_rounds_is_bounded() -> None:
    program = """
import tensorglass as torch
a = torch.ones(4 << 20)
for size in range(1, 60, 4):
    b = torch.ones(size << 18) + 1
    for _ in range(5):
        a = a + 1
        b = b * 2
assert a[-1].item() == 76
# Not `ru_maxrss`: a child begins with its parent's, and would answer for whatever the test run had used before.
print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1])
"""
    if sys.platform != "linux":
        pytest.skip("the most that was resident is in /proc on Linux alone")
    run = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    # 16 + 16 MiB of `a`, up to three times 60 of `b`, and at most 512 that are kept.
    assert int(run.stdout) < (60 + 32 + 3 * 60 + 512 + 100) * 1024


# --- without room, with threads, with children -----------------------------------------------------------------------


def test_the_cache_makes_room_before_memory_is_refused() -> None:
    if sys.platform != "linux":
        pytest.skip("a limit of address space is held on Linux alone")
    program = """
import resource, tensorglass as torch
from tensorglass import memory
a = torch.ones(16 << 20)                                   # 64 MiB
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (300 << 20),) * 2)
kept = [torch.empty(16 << 20) for _ in range(4)]
del kept
assert memory.reserved() >= 256 << 20
large = torch.empty(64 << 20)                              # 256 MiB: no room beside what is kept
assert memory.stats()["num_alloc_retries"] == 1
try:
    torch.empty(128 << 20)
except RuntimeError as error:
    assert "you tried to allocate 536870912 bytes" in str(error), error
else:
    raise AssertionError
large.fill_(3)
assert large.sum().item() == 3 * (64 << 20)
del large
assert (a + a).sum().item() == 2 * (16 << 20)
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_threads_do_not_share_blocks() -> None:
    wrong = []

    def work(seed: int) -> None:
        a = torch.full((N,), float(seed))
        for step in range(30):
            b = a + step
            c = b * 2
            if not c.eq(2.0 * (seed + step)).all():
                wrong.append((seed, step))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_finalizers_may_make_tensors_amid_the_allocator() -> None:
    sums = []

    class Noisy:
        def __init__(self) -> None:
            self.itself = self

        def __del__(self) -> None:
            sums.append((torch.ones(N) + 1)[-1].item())
            memory.stats()

    threshold = gc.get_threshold()
    gc.set_threshold(1)
    try:
        for step in range(60):
            Noisy()
            assert torch.full((N,), float(step)).eq(step).all()
    finally:
        gc.set_threshold(*threshold)
    gc.collect()
    assert sums == [2] * 60
    assert memory.stats()["allocated_bytes.all.current"] == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
def test_a_child_process_has_a_pool_of_its_own() -> None:
    stop = threading.Event()

    def churn() -> None:
        while not stop.is_set():
            torch.empty(N)

    kept = torch.ones(N) + 1
    thread = threading.Thread(target=churn)
    thread.start()
    try:
        for _ in range(20):
            child = os.fork()
            if child == 0:
                fresh = torch.full((N,), 3.0)
                kept.fill_(9)
                os._exit(0 if fresh.eq(3).all() and memory.reserved() > 0 else 1)
            assert os.waitpid(child, 0)[1] == 0
            assert kept.eq(2).all()
    finally:
        stop.set()
        thread.join()
