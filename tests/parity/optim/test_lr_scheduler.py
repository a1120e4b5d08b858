"""Schedules give the rates, momenta, state dicts, warnings and refusals that PyTorch's give, for 100 epochs."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle is missing: pip install torch==2.13.0")

BOTH = (torch, tensorglass)
Make = Callable[[Any, Any], Any]  # the module `lr_scheduler` and an optimizer → a schedule


class Halved:
    """A factor that is an object, whose attributes go into the state dict."""

    def __init__(self) -> None:
        self.base = 0.5

    def __call__(self, epoch: int) -> float:
        return self.base ** (epoch / 10)


SCHEDULES: dict[str, Make] = {
    "lambda": lambda m, o: m.LambdaLR(o, lambda epoch: 0.95**epoch),
    "lambdas": lambda m, o: m.LambdaLR(o, [lambda epoch: 1 / (1 + epoch), Halved()]),
    "multiplicative": lambda m, o: m.MultiplicativeLR(o, lambda epoch: 0.98 if epoch % 2 else 1.01),
    "step": lambda m, o: m.StepLR(o, 7, 0.3),
    "multi step": lambda m, o: m.MultiStepLR(o, [5, 9, 9, 40], gamma=0.5),
    "constant": lambda m, o: m.ConstantLR(o, 0.25, 12),
    "linear": lambda m, o: m.LinearLR(o, 0.1, 0.7, 30),
    "exponential": lambda m, o: m.ExponentialLR(o, 0.93),
    "polynomial": lambda m, o: m.PolynomialLR(o, 60, 1.7),
    "cosine": lambda m, o: m.CosineAnnealingLR(o, 17, 0.001),
    "warm restarts": lambda m, o: m.CosineAnnealingWarmRestarts(o, 5, 2, 0.001),
    "even restarts": lambda m, o: m.CosineAnnealingWarmRestarts(o, 8),
    "triangular": lambda m, o: m.CyclicLR(o, 0.01, 0.1, 6, 9),
    "triangular2": lambda m, o: m.CyclicLR(o, [0.01, 0.02], [0.1, 0.3], 4.5, mode="triangular2"),
    "exp range": lambda m, o: m.CyclicLR(o, 0.01, 0.1, 6, mode="exp_range", gamma=0.97, cycle_momentum=False),
    "own scale": lambda m, o: m.CyclicLR(o, 0.01, 0.1, 5, scale_fn=lambda x: 0.9**x, scale_mode="iterations"),
    "one cycle": lambda m, o: m.OneCycleLR(o, 0.4, total_steps=101),
    "one line": lambda m, o: m.OneCycleLR(o, [0.4, 0.2], epochs=10, steps_per_epoch=11, anneal_strategy="linear"),
    "three phases": lambda m, o: m.OneCycleLR(o, 0.4, total_steps=101, three_phase=True, pct_start=0.4),
    "sequential": lambda m, o: m.SequentialLR(
        o, [m.ConstantLR(o, 0.1, 10), m.ExponentialLR(o, 0.9), m.StepLR(o, 3)], [10, 50]
    ),
    "chained": lambda m, o: m.ChainedScheduler([m.LinearLR(o, 0.2, 1.0, 8), m.ExponentialLR(o, 0.97)]),
}


def optimizers(name: str) -> list[Any]:
    optimizers = []
    for library in BOTH:
        params = [library.ones(2, requires_grad=True), library.zeros(3, requires_grad=True)]
        options = {"momentum": 0.9} if name == "SGD" else {}
        groups = [{"params": [params[0]]}, {"params": [params[1]], "lr": 0.5}]
        optimizers.append(getattr(library.optim, name)(groups, lr=0.1, **options))
    return optimizers


def epochs(optimizer: Any, schedule: Any, count: int) -> list[Any]:
    seen = []
    for _ in range(count):
        optimizer.step()
        schedule.step()
        seen += [(group["lr"], group.get("momentum"), group.get("betas")) for group in optimizer.param_groups]
        seen.append(tuple(schedule.get_last_lr()))
    return seen


def comparable(state: Any) -> Any:
    """A state dict without functions, since a copy of a function is not equal to it."""
    if isinstance(state, dict):
        return {
            key: comparable(value) for key, value in state.items() if not callable(value) and key != "_scale_fn_ref"
        }
    return [comparable(item) for item in state] if isinstance(state, list) else state


@pytest.mark.parametrize("optimizer_name", ["SGD", "Adam"])
@pytest.mark.parametrize("name", SCHEDULES)
def test_a_hundred_epochs(name: str, optimizer_name: str) -> None:
    seen = []
    for library, optimizer in zip(BOTH, optimizers(optimizer_name), strict=True):
        schedule = SCHEDULES[name](library.optim.lr_scheduler, optimizer)
        first = [group["lr"] for group in optimizer.param_groups]
        seen.append((first, epochs(optimizer, schedule, 100), comparable(schedule.state_dict())))
    assert seen[0] == seen[1]


@pytest.mark.parametrize("name", [name for name in SCHEDULES if "warm" not in name])
def test_a_schedule_goes_on_from_its_state_dict(name: str) -> None:
    seen = []
    for library, optimizer, twin in zip(BOTH, optimizers("SGD"), optimizers("SGD"), strict=True):
        schedule = SCHEDULES[name](library.optim.lr_scheduler, optimizer)
        epochs(optimizer, schedule, 13)
        other = SCHEDULES[name](library.optim.lr_scheduler, twin)
        other.load_state_dict(copy.deepcopy(schedule.state_dict()))
        twin.load_state_dict(optimizer.state_dict())
        seen.append(epochs(twin, other, 20))
        assert seen[-1] == epochs(optimizer, schedule, 20)
    assert seen[0] == seen[1]


@pytest.mark.parametrize("name", ["step", "multi step", "constant", "linear", "exponential", "polynomial", "cosine"])
def test_jumps_by_the_closed_form(name: str) -> None:
    seen = []
    for library, optimizer in zip(BOTH, optimizers("SGD"), strict=True):
        schedule = SCHEDULES[name](library.optim.lr_scheduler, optimizer)
        optimizer.step()
        for epoch in (3, 20, 7):
            with pytest.warns(UserWarning, match="The epoch parameter in `scheduler.step"):
                schedule.step(epoch)
            seen.append((library is torch, epoch, schedule.get_last_lr()))
    assert [entry[1:] for entry in seen if entry[0]] == [entry[1:] for entry in seen if not entry[0]]


@pytest.mark.parametrize("name", ["warm restarts", "even restarts"])
def test_restarts_between_epochs(name: str) -> None:
    seen = []
    for library, optimizer in zip(BOTH, optimizers("SGD"), strict=True):
        schedule = SCHEDULES[name](library.optim.lr_scheduler, optimizer)
        optimizer.step()
        rates = []
        for epoch in range(12):
            for batch in range(4):
                schedule.step(epoch + batch / 4)
                rates.append((schedule.get_last_lr(), schedule.T_cur, schedule.T_i, schedule.last_epoch))
        seen.append(rates)
    assert seen[0] == seen[1]


@pytest.mark.parametrize(
    "options",
    [
        {"patience": 2},
        {"mode": "max", "factor": 0.5, "patience": 0, "cooldown": 3},
        {"threshold_mode": "abs", "threshold": 0.3, "patience": 1, "min_lr": [0.01, 0.2]},
        {"mode": "max", "threshold_mode": "abs", "patience": 3, "eps": 0.02},
    ],
    ids=str,
)
def test_plateau(options: dict[str, Any]) -> None:
    seen = []
    for library, optimizer in zip(BOTH, optimizers("SGD"), strict=True):
        schedule = library.optim.lr_scheduler.ReduceLROnPlateau(optimizer, **options)
        rates = []
        for epoch in range(40):
            schedule.step(library.tensor(5.0 - (epoch if epoch < 10 else 10) + (epoch % 3) * 0.2))
            rates.append((schedule.get_last_lr(), schedule.num_bad_epochs, schedule.in_cooldown, schedule.best))
        seen.append((rates, schedule.state_dict()))
    assert seen[0] == seen[1]


def test_a_rate_that_is_a_tensor_is_filled() -> None:
    for library in BOTH:
        rate = library.tensor(0.1, dtype=library.float64)
        optimizer = library.optim.SGD([library.ones(2, requires_grad=True)], lr=rate)
        schedule = library.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
        optimizer.step()
        schedule.step()
        assert optimizer.param_groups[0]["lr"] is rate
        assert rate.item() == pytest.approx(0.05)
        assert schedule.get_last_lr()[0] is not rate


def warned(library: Any, optimizer: Any, act: Callable[[Any, Any], Any]) -> list[tuple[type, str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        act(library.optim.lr_scheduler, optimizer)
    return [(warning.category, str(warning.message)) for warning in caught]


def steps_too_soon(module: Any, optimizer: Any) -> None:
    schedule = module.StepLR(optimizer, 2)
    schedule.step()
    schedule.step()


def step_is_replaced(module: Any, optimizer: Any) -> None:
    schedule = module.StepLR(optimizer, 2)
    optimizer.step = lambda: None
    schedule.step()


def rate_is_asked(module: Any, optimizer: Any) -> None:
    module.ExponentialLR(optimizer, 0.5).get_lr()


@pytest.mark.parametrize("act", [steps_too_soon, step_is_replaced, rate_is_asked])
def test_warnings(act: Callable[[Any, Any], None]) -> None:
    theirs, ours = (warned(library, optimizer, act) for library, optimizer in zip(BOTH, optimizers("SGD"), strict=True))
    assert theirs == ours
    assert theirs


REFUSED: dict[str, Make] = {
    "no optimizer": lambda m, _: m.StepLR(3, 2),
    "cyclic without optimizer": lambda m, _: m.CyclicLR(3, 2, 3),
    "resumed without rates": lambda m, o: m.StepLR(o, 2, last_epoch=3),
    "factors": lambda m, o: m.LambdaLR(o, [lambda _: 1.0]),
    "factor": lambda m, o: m.MultiplicativeLR(o, 3),
    "constant": lambda m, o: m.ConstantLR(o, 1.5),
    "linear start": lambda m, o: m.LinearLR(o, 0),
    "linear end": lambda m, o: m.LinearLR(o, 0.5, 2),
    "restarts": lambda m, o: m.CosineAnnealingWarmRestarts(o, 0),
    "restart factor": lambda m, o: m.CosineAnnealingWarmRestarts(o, 2, 0),
    "restart minimum": lambda m, o: m.CosineAnnealingWarmRestarts(o, 2, 1, "a"),
    "before the start": lambda m, o: m.CosineAnnealingWarmRestarts(o, 2).step(-1),
    "cyclic mode": lambda m, o: m.CyclicLR(o, 0.1, 0.2, mode="square"),
    "cyclic rates": lambda m, o: m.CyclicLR(o, [0.1], 0.2),
    "one cycle without length": lambda m, o: m.OneCycleLR(o, 0.1),
    "one cycle of none": lambda m, o: m.OneCycleLR(o, 0.1, total_steps=0),
    "one cycle of epochs": lambda m, o: m.OneCycleLR(o, 0.1, epochs=1.5, steps_per_epoch=3),
    "one cycle part": lambda m, o: m.OneCycleLR(o, 0.1, total_steps=5, pct_start=2.0),
    "one cycle strategy": lambda m, o: m.OneCycleLR(o, 0.1, total_steps=5, anneal_strategy="x"),
    "no schedulers": lambda m, o: m.SequentialLR(o, [], []),
    "milestones": lambda m, o: m.SequentialLR(o, [m.StepLR(o, 2)], [3]),
    "not a scheduler": lambda m, o: m.SequentialLR(o, [3], []),
    "nothing chained": lambda m, _: m.ChainedScheduler([]),
    "plateau chained": lambda m, o: m.ChainedScheduler([m.ReduceLROnPlateau(o)]),
    "plateau factor": lambda m, o: m.ReduceLROnPlateau(o, factor=1.0),
    "plateau mode": lambda m, o: m.ReduceLROnPlateau(o, mode="less"),
    "plateau threshold": lambda m, o: m.ReduceLROnPlateau(o, threshold_mode="less"),
    "plateau rates": lambda m, o: m.ReduceLROnPlateau(o, min_lr=[0.1]),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name: str) -> None:
    words = []
    for library, optimizer in zip(BOTH, optimizers("SGD"), strict=True):
        with pytest.raises((TypeError, ValueError, KeyError)) as refused:
            REFUSED[name](library.optim.lr_scheduler, optimizer)
        words.append((refused.type, str(refused.value)))
    assert words[0] == words[1]


def test_too_many_steps_of_one_cycle() -> None:
    words = []
    for library, optimizer in zip(BOTH, optimizers("SGD"), strict=True):
        schedule = library.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=3)
        epochs(optimizer, schedule, 3)
        with pytest.raises(ValueError, match="Tried to step") as refused:
            schedule.step()
        words.append(str(refused.value))
    assert words[0] == words[1]
