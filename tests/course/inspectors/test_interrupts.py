"""KeyboardInterrupt at any moment of a watch or a timeline: no mode, trace or observer is left on.

python test_interrupts.py timeline 100      a hundred random interrupts of timelines
"""

from __future__ import annotations

import gc
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any

import pytest
from interrupting import interrupted_at, quiet_finalizers

import tensorglass
from glassroom import memory_timeline, watch
from glassroom.inspectors.timeline.recorder import stop_what_was_left
from glassroom.inspectors.watch.accounts import Account
from glassroom.inspectors.watch.recording import Recorder
from glassroom.reading.adapters import described
from tensorglass import memory
from tensorglass.backends import transfer_log

torch = pytest.importorskip("torch", reason="the dispatch mode that may be left on is PyTorch's")
modules_of_networks = pytest.importorskip("torch.nn.modules.module", reason="where PyTorch keeps hooks")
optimizers = pytest.importorskip("torch.optim.optimizer", reason="where PyTorch keeps hooks")
modes = pytest.importorskip("torch.utils._python_dispatch", reason="where PyTorch keeps its modes")


def of_torch() -> None:
    w = torch.ones(3, requires_grad=True)
    loss = (w * 2).sum()
    loss.backward()
    torch._foreach_add_([w.detach()], 1.0)


def of_tensorglass() -> None:
    w = tensorglass.ones(3, requires_grad=True)
    (w * 2).sum().backward()


def training() -> None:
    model = torch.nn.Linear(3, 2)
    steps = torch.optim.Adam(model.parameters(), foreach=True)
    model(torch.ones(4, 3)).pow(2).sum().backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    steps.step()


def evaluating() -> None:
    model = torch.nn.Linear(3, 2)
    for _ in range(3):
        with torch.no_grad():
            model(torch.ones(4, 3))
            model.weight.mul_(0.9)


def in_a_block() -> None:
    with memory_timeline():
        of_tensorglass()


WATCHED: tuple[Callable[[], object], ...] = (lambda: watch(of_torch), lambda: watch(of_tensorglass))
TRAINED: tuple[Callable[[], object], ...] = (
    lambda: watch(training),
    lambda: watch(evaluating),
    lambda: watch(evaluating, steps=2),
    lambda: watch(evaluating, steps=2, rest=False),
)
TIMED: tuple[Callable[[], object], ...] = (
    lambda: memory_timeline(of_tensorglass),
    lambda: memory_timeline(of_torch),
    lambda: memory_timeline(evaluating),
    in_a_block,
)


def left_on() -> dict[str, object]:
    """What is on now, of all that a look switches on."""
    gc.collect(0)
    stop_what_was_left(sys._getframe())  # as the next timeline does
    return {
        "modes": modes._get_current_dispatch_mode_stack(),
        "flags": {name: value for name, value in vars(modes).items() if name.startswith("_is_in_")},
        "excluded": str(torch._C._dispatch_tls_local_exclude_set()),
        "included": str(torch._C._dispatch_tls_local_include_set()),
        "grad": torch.is_grad_enabled(),
        "inference": torch.is_inference_mode_enabled(),
        "trace": sys.gettrace(),
        "observers": list(memory.figures.observers),
        "transfers": list(transfer_log._observers),
        "profiler": torch.autograd._profiler_enabled(),
        "hooks": [
            *modules_of_networks._global_forward_pre_hooks.values(),
            *modules_of_networks._global_forward_hooks.values(),
            *optimizers._global_optimizer_post_hooks.values(),
        ],
    }


@pytest.mark.sweep(3)
@pytest.mark.parametrize(("scenarios", "interrupts"), [("watch", 700), ("training", 40), ("timeline", 60)])
def test_random_interrupts_leave_nothing_on(scenarios: str, interrupts: int) -> None:
    """In a process of its own: a look goes through all objects that there are, and pytest's are many."""
    found = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    subprocess.run([sys.executable, __file__, scenarios, str(interrupts)], check=True, env=found)


def interrupt(scenarios: tuple[Callable[[], object], ...], interrupts: int) -> None:
    """Run scenarios at random, each with an interrupt at a random moment, until so many have come."""
    lasts = [duration(scenario) for scenario in scenarios]
    numbers, before = random.Random(0), left_on()
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    came = 0
    with quiet_finalizers():
        while came < interrupts:
            turn = numbers.randrange(len(scenarios))
            try:
                signal.setitimer(signal.ITIMER_REAL, numbers.uniform(1e-6, lasts[turn]))
                scenarios[turn]()
                signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt:
                came += 1
            left = {name: it for name, it in left_on().items() if it != before[name]}
            assert not left, f"after interrupt {came}: {left}"


def duration(scenario: Callable[[], object]) -> float:
    scenario()
    begin = perf_counter()
    scenario()
    return perf_counter() - begin


def test_an_interrupt_that_keeps_no_grad_from_its_end_leaves_graphs_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.no_grad, "__exit__", lambda *_: signal.default_int_handler(signal.SIGINT, None))
    with pytest.raises(KeyboardInterrupt):
        watch(training)
    assert torch.is_grad_enabled()


@pytest.mark.parametrize(
    "looked_at",
    [
        lambda: watch(evaluating),
        lambda: watch(evaluating, steps=2),
        lambda: watch(evaluating, steps=2, rest=False),
        lambda: memory_timeline(evaluating),
    ],
    ids=["watch", "rest", "no rest", "timeline"],
)
def test_an_interrupt_as_a_block_without_gradients_ends_leaves_graphs_recorded(
    looked_at: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(mode: bool) -> None:
        if mode:
            signal.default_int_handler(signal.SIGINT, None)
        torch._C._set_grad_enabled(mode)

    monkeypatch.setattr(torch, "set_grad_enabled", interrupted)  # which `no_grad` calls as it ends
    with pytest.raises(KeyboardInterrupt):
        looked_at()
    assert torch.is_grad_enabled()


def test_an_interrupt_of_a_look_is_raised_in_the_code_whose_blocks_end(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = 0
    look = Recorder.ended

    def interrupted(*args: Any) -> bool:
        nonlocal looks
        looks += 1
        if looks == 4:  # the line of `with`, once more, before it ends
            signal.default_int_handler(signal.SIGINT, None)
        return look(*args)

    def program() -> None:
        with torch.no_grad():
            torch.ones(2)
        torch.ones(3)

    monkeypatch.setattr(Recorder, "ended", interrupted)
    for begun in range(3):
        looks = begun
        with pytest.raises(KeyboardInterrupt):
            watch(program)
        assert torch.is_grad_enabled()


def test_a_grad_mode_that_the_program_has_set_outlives_an_interrupt() -> None:
    def switches_off() -> None:
        torch.set_grad_enabled(False)
        signal.default_int_handler(signal.SIGINT, None)

    try:
        with pytest.raises(KeyboardInterrupt):
            watch(switches_off)
        assert not torch.is_grad_enabled()
    finally:
        torch.set_grad_enabled(True)


def test_an_interrupt_at_each_moment_of_putting_on_and_taking_off_leaves_nothing_on() -> None:
    def work() -> None:
        account = Account()
        try:
            try:
                account.open()
            finally:
                account.close()
        finally:
            account.close()

    work()
    before = left_on()
    moment = 1
    with quiet_finalizers():
        while interrupted_at(moment, work):
            assert left_on() == before, f"interrupted at instruction {moment}"
            moment += 1
    assert moment > 100


def test_a_look_within_a_mode_leaves_nothing_on_while_the_traceback_of_its_interrupt_is_kept() -> None:
    class Passing(modes.TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return func(*args, **(kwargs or {}))

    tensor = torch.ones(3)
    kept: list[KeyboardInterrupt] = []

    def look() -> None:
        try:
            described(tensor)
        except KeyboardInterrupt as interrupt:  # IPython keeps the last one
            kept.append(interrupt)

    with Passing(), quiet_finalizers():
        look()
        before = torch._C._is_torch_function_enabled(), left_on()
        moment = 1
        while interrupted_at(moment, look):
            assert (torch._C._is_torch_function_enabled(), left_on()) == before, f"interrupted at instruction {moment}"
            kept.clear()
            moment += 1
    assert moment > 100


def test_an_interrupt_at_each_moment_of_a_birth_leaves_a_timeline_that_can_be_drawn() -> None:
    moment = 1
    with memory_timeline() as timeline, quiet_finalizers():
        while interrupted_at(moment, lambda: tensorglass.ones(3)):
            moment += 1
    assert len(timeline.data.steps) > 100
    assert min(timeline.data.curves[0].levels) >= 0
    assert timeline.svg


def test_a_tensor_that_an_interrupt_left_unfinished_is_passed_over() -> None:
    def step() -> None:
        unfinished = object.__new__(tensorglass.Tensor)
        raise KeyboardInterrupt(type(unfinished))

    with pytest.raises(KeyboardInterrupt):
        memory_timeline(step)


if __name__ == "__main__":
    interrupt({"watch": WATCHED, "training": TRAINED, "timeline": TIMED}[sys.argv[1]], int(sys.argv[2]))
