"""An attack: KeyboardInterrupt at every moment at which Python can raise it, and at random ones.

`each_moment` goes through the moments one after the other (see `interrupting`), `at_random` sends real signals by a
timer. After each interrupt everything must be as it should: modes, the allocators' blocks and figures, files, and other
threads.
"""

from __future__ import annotations

import gc
import os
import random
import signal
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any

from interrupting import interrupted_at, quiet_finalizers

import tensorglass as torch
from tensorglass import backends, memory, transfers
from tensorglass.autograd import forward_ad, graph

Scenario = Callable[[], None]
LARGE = 300_000  # elements, of which the pool has the bytes

# --- what is interrupted ---------------------------------------------------------------------------------------------


def pool() -> None:
    """The CPU's large tensors come and go."""
    a = torch.empty(LARGE)
    b = a.add(1)
    del a
    torch.empty(2 * LARGE).zero_()
    b.clone()


def simulated() -> None:
    """Tensors of a simulated device come and go, and are copied there and back."""
    a = torch.ones(1000).to("sim")
    b = a * 2 + a
    assert b.cpu()[0] == 3
    b.to("sim:1").sum().item()


def backward() -> None:
    """Gradients of small and of large tensors."""
    weight = torch.ones(20, requires_grad=True)
    (weight * weight).sin().sum().backward()
    large = torch.ones(LARGE, requires_grad=True)
    (large * 2).sum().backward()
    torch.autograd.grad((weight**3).sum(), weight, create_graph=True)[0].sum().backward()


def training() -> None:
    """Layers, two optimizers and a schedule work on parameters."""
    model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Dropout(0.5), torch.nn.Linear(3, 1))
    kept = list(model.parameters())
    optimizers = [torch.optim.SGD(kept, lr=0.1, momentum=0.9), torch.optim.Adam(kept, lr=0.1)]
    schedule = torch.optim.lr_scheduler.StepLR(optimizers[0], 1)
    for optimizer in optimizers:
        optimizer.zero_grad()
        model(torch.ones(2, 4)).square().mean().backward()
        optimizer.step()
    schedule.step()
    torch.nn.utils.clip_grad_norm_(kept, 1.0)


def derivatives() -> None:
    """Derivatives of functions, by `autograd.functional` and by transforms."""
    x = torch.ones(2)
    torch.autograd.functional.hvp(lambda y: (y**3).sum(), x, x)
    with torch.inference_mode():
        torch.func.jacrev(torch.sin)(x)


def batches() -> None:
    """Loaders go through a dataset, shuffled and in order."""
    dataset = torch.utils.data.TensorDataset(torch.arange(6.0), torch.arange(6))
    for shuffle in (True, False):
        for numbers, places in torch.utils.data.DataLoader(dataset, batch_size=4, shuffle=shuffle):
            numbers.add(places)


def modes() -> None:
    """The modes of recording."""

    @torch.no_grad()
    def decorated() -> bool:
        return torch.is_grad_enabled()

    held = torch.no_grad()
    with held:
        with torch.enable_grad(), held:
            torch.is_grad_enabled()
        decorated()
    with torch.inference_mode():
        torch.ones(2)
    with graph.saved_tensors_hooks(lambda tensor: tensor, lambda tensor: tensor), graph.save_on_cpu():
        x = torch.ones(2, requires_grad=True)
        (x * x).sum().backward()
    with forward_ad.dual_level():
        forward_ad.make_dual(torch.ones(2), torch.ones(2))
    with graph.disable_saved_tensors_hooks("no"):
        torch.ones(2)


class _Derived(torch.Tensor):
    """A class of your own."""


class _Observer:
    """Sees every storage, and keeps none."""

    def born(self, storage: Any, nbytes: int) -> None: ...

    def resized(self, storage: Any, nbytes: int) -> None: ...

    def copied(self, nbytes: int) -> None: ...


def watching() -> None:
    """Blocks that measure and observe, and those that set a device, a stream or a state of random numbers."""
    with memory.track(), memory.observed(_Observer()), transfers.observed(lambda transfer: None):
        torch.ones(3).to("sim")
    with torch.device("sim"), torch.sim.stream(torch.sim.Stream()):
        torch.ones(3)
    with torch.random.fork_rng():
        torch.rand(3)
    with torch._C.DisableTorchFunctionSubclass():
        torch.ones(2)
    derived = torch.ones(2).as_subclass(_Derived)
    with suppress(KeyboardInterrupt):
        derived.add(1).as_subclass(torch.Tensor)
        torch.as_tensor(derived)
        return
    assert type(derived) is _Derived, "a tensor of a derived class has become a plain one"
    raise KeyboardInterrupt


def saving(path: str) -> Scenario:
    """A file is written over, by one that is as good."""

    def save() -> None:
        torch.save({"a": torch.arange(1000)}, path)

    return save


# --- what must hold afterwards ---------------------------------------------------------------------------------------


def _check_allocator(allocator: Any) -> None:
    stats, segments = allocator.stats(), allocator.snapshot()
    allocated = requested = 0
    for segment in segments:
        address = segment["address"]
        was_free = False
        for block in segment["blocks"]:
            assert block["address"] == address, "blocks have gaps"
            address += block["size"]
            is_free = block["state"] == "inactive"
            assert not (is_free and was_free), "two free blocks side by side"
            was_free = is_free
            allocated += 0 if is_free else block["size"]
            requested += block["requested_size"]
        assert address == segment["address"] + segment["total_size"], "blocks do not fill their segment"
    assert stats["allocated_bytes.all.current"] == allocated, "the figure of allocated bytes has drifted"
    assert stats["requested_bytes.all.current"] == requested, "the figure of requested bytes has drifted"
    assert stats["reserved_bytes.all.current"] == sum(segment["total_size"] for segment in segments), (
        "reserved has drifted"
    )
    for name, value in stats.items():
        if name.endswith(".all.current"):
            pools = [stats[name.replace(".all.", f".{pool}.")] for pool in ("small_pool", "large_pool")]
            assert value == sum(pools) >= 0, f"{name} has drifted"
            figure = name.removesuffix("current")
            assert stats[f"{figure}allocated"] - stats[f"{figure}freed"] == value, f"{name} has drifted"


def _allocated() -> list[int]:
    """The bytes that live, by allocator."""
    return [memory.stats()["allocated_bytes.all.current"], *[backend.allocator.allocated for backend in _simulated()]]


def _simulated() -> list[Any]:
    return [backends.get(torch.device("sim", index)) for index in (0, 1)]


def _modes_now() -> dict[str, object]:
    x = torch.ones(2, requires_grad=True)
    seen: list[object] = []
    with graph.saved_tensors_hooks(lambda tensor: seen.append(tensor), lambda tensor: tensor):
        x.sin()
    with forward_ad.dual_level():
        pass
    return {
        "grad": torch.is_grad_enabled(),
        "inference": torch.is_inference_mode_enabled() or x.is_inference(),
        "anomaly": torch.is_anomaly_enabled(),
        "device": str(torch.get_default_device()),
        "measured": memory.is_measured(),
        "hooks": len(seen),
        "stream": torch.sim.current_stream().number,
        "records": (x * 2).requires_grad,
        "current device": torch.sim.current_device(),
    }


def _check_other_thread() -> None:
    """Another thread must be able to do all of this as well."""

    def work() -> None:
        for act in (pool, simulated, backward):
            act()

    other = threading.Thread(target=work, daemon=True)
    other.start()
    other.join(20)
    assert not other.is_alive(), "another thread waits for ever"


class _Truth:
    """What there was before, and must be afterwards."""

    def __init__(self, path: str) -> None:
        self.path = path
        gc.collect()
        self.modes, self.allocated, self.counted = _modes_now(), _allocated(), memory.allocated()

    def check(self) -> None:
        modes_now = _modes_now()
        assert modes_now == self.modes, f"modes are {modes_now}"
        assert torch.load(self.path)["a"].equal(torch.arange(1000)), "the file is damaged"
        if _allocated() != self.allocated:
            gc.collect()
        assert _allocated() == self.allocated, f"{_allocated()} bytes live, and not {self.allocated}"
        assert memory.allocated() == self.counted, f"{memory.allocated()} bytes are counted, and not {self.counted}"
        _check_allocator(backends.host_memory.POOL)
        for backend in _simulated():
            _check_allocator(backend.allocator)
        before = memory.stats()["num_device_alloc"]
        for _ in range(3):
            torch.empty(LARGE)
        assert memory.stats()["num_device_alloc"] <= before + 1, "freed memory is not used again"


# --- interrupting ----------------------------------------------------------------------------------------------------


def each_moment(scenario: Scenario, truth: _Truth, step: int = 1, first: int = 1) -> tuple[int, list[str]]:
    """Interrupt a scenario at every moment, or at every `step`-th. Returns how often, and what was broken."""
    tried, broken = 0, []
    while interrupted_at(first + tried * step, scenario):
        tried += 1
        try:
            truth.check()
        except (AssertionError, RuntimeError, ValueError, OSError) as error:
            broken.append(f"{scenario.__name__}, interrupted at {first + (tried - 1) * step}: {error}")
            if len(broken) > 20:
                break
    return tried, broken


def at_random(count: int, seed: int, scenarios: list[Scenario], truth: _Truth) -> tuple[int, list[str]]:
    """Interrupt by a timer's signals. Returns how many came while the library was at work, and what was broken."""
    numbers = random.Random(seed)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    tried = 0
    broken: list[str] = []
    try:
        while tried < count and len(broken) < 20:
            scenario = numbers.choice(scenarios)
            try:
                signal.setitimer(signal.ITIMER_REAL, numbers.uniform(1e-5, 2e-3))
                for _ in range(200):  # several: an interrupt within a finalizer is printed by Python, and ends nothing
                    scenario()
            except KeyboardInterrupt:
                pass
            except RuntimeError as error:  # raised because an earlier interrupt left something changed
                broken.append(f"{scenario.__name__}, after interrupt {tried} of seed {seed}: {error}")
            tried += 1
            if tried % 20 == 0 or count < 100:
                try:
                    truth.check()
                except (AssertionError, RuntimeError, ValueError, OSError) as error:
                    broken.append(f"{scenario.__name__}, interrupt {tried} of seed {seed}: {error}")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return tried, broken


def run(count: int, seed: int) -> dict[str, Any]:
    """`count` interrupts: half at moments in turn, half at random ones. Call it in the main thread, which receives
    them.
    """
    with tempfile.TemporaryDirectory() as folder, quiet_finalizers():
        path = os.path.join(folder, "saved.pt")
        scenarios = [pool, simulated, backward, training, derivatives, batches, modes, watching, saving(path)]
        for _ in range(2):
            for scenario in scenarios:  # what is created on first use exists now
                scenario()
        truth = _Truth(path)
        tried = 0
        broken: list[str] = []
        for scenario in scenarios:
            share = count // 2 // len(scenarios)
            moments = _moments(scenario)
            step = max(1, moments // share)
            times, faults = each_moment(scenario, truth, step, 1 + seed % step)
            tried, broken = tried + times, broken + faults
        times, faults = at_random(max(count - tried, 0), seed, scenarios, truth)
        tried, broken = tried + times, broken + faults
        try:
            _check_other_thread()
        except AssertionError as error:
            broken.append(str(error))
        for name in os.listdir(folder):
            if name != "saved.pt":
                broken.append(f"{name} was left behind")
        return {"tried": tried, "broken": broken}


def _moments(scenario: Scenario) -> int:
    """How many instructions a scenario takes."""
    count = 0

    def follow(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        frame.f_trace_opcodes = True
        count += event == "opcode"
        return follow

    sys.settrace(follow)
    try:
        scenario()
    finally:
        sys.settrace(None)
    return count
