"""Averages of models are PyTorch's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle is missing: pip install torch==2.13.0")

BOTH = (torch, tensorglass)
AVERAGES: dict[str, dict[str, Any]] = {
    "mean": {},
    "exponential": {"avg_fn": lambda utils: utils.get_ema_avg_fn(0.9)},
    "mean of lists": {"multi_avg_fn": lambda utils: utils.get_swa_multi_avg_fn()},
    "exponential of lists": {"multi_avg_fn": lambda utils: utils.get_ema_multi_avg_fn(0.8)},
    "own": {"avg_fn": lambda _: lambda average, value, n: average * 0.5 + value * 0.5 + n},
}


def model_of(library: Any) -> Any:
    library.manual_seed(3)
    model = library.nn.Sequential(library.nn.Linear(3, 4), library.nn.Tanh(), library.nn.Linear(4, 2))
    model.register_buffer("seen", library.tensor([1.0, 2.0]))
    return model


@pytest.mark.parametrize("use_buffers", [False, True])
@pytest.mark.parametrize("name", AVERAGES)
def test_averages(name: str, use_buffers: bool) -> None:
    left = []
    for library in BOTH:
        utils = library.optim.swa_utils
        options = {key: make(utils) for key, make in AVERAGES[name].items()}
        model = model_of(library)
        averaged = utils.AveragedModel(model, use_buffers=use_buffers, **options)
        for step in range(5):
            with library.no_grad():
                for param in model.parameters():
                    param.add_(0.25 * step)
                model.seen.mul_(1.5)
            averaged.update_parameters(model)
        output = averaged(library.ones(2, 3))
        left.append(
            (
                {key: value.numpy() for key, value in averaged.state_dict().items()},
                output.detach().numpy(),
                repr(averaged),
            )
        )
    theirs, ours = left
    assert list(theirs[0]) == list(ours[0])
    for key, value in theirs[0].items():
        np.testing.assert_allclose(ours[0][key], value, rtol=1e-6, err_msg=key)
    np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-6)
    assert theirs[2] == ours[2]


@pytest.mark.parametrize(
    "options",
    [{}, {"anneal_strategy": "linear", "anneal_epochs": 4}, {"anneal_epochs": 0}, {"swa_lr": [0.3, 0.02]}],
    ids=str,
)
def test_rates(options: dict[str, Any]) -> None:
    seen = []
    for library in BOTH:
        groups = [{"params": [library.ones(2, requires_grad=True)]}, {"params": [library.ones(2, requires_grad=True)]}]
        optimizer = library.optim.SGD(groups, lr=0.1)
        decay = library.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
        optimizer.step()
        decay.step()
        schedule = library.optim.swa_utils.SWALR(optimizer, **{"swa_lr": 0.05, **options})
        rates = []
        for _ in range(20):
            optimizer.step()
            schedule.step()
            rates.append(schedule.get_last_lr())
        seen.append((rates, schedule.state_dict()))
    assert seen[0] == seen[1]


def test_refusals() -> None:
    words = []
    for library in BOTH:
        utils = library.optim.swa_utils
        optimizer = library.optim.SGD([library.ones(2, requires_grad=True)], lr=0.1)
        wrong = [
            lambda utils=utils: utils.get_ema_avg_fn(1.5),
            lambda utils=utils: utils.get_ema_multi_avg_fn(-1),
            lambda utils=utils, library=library: utils.AveragedModel(
                library.nn.Identity(), avg_fn=max, multi_avg_fn=max
            ),
            lambda utils=utils, optimizer=optimizer: utils.SWALR(optimizer, 0.1, anneal_strategy="x"),
            lambda utils=utils, optimizer=optimizer: utils.SWALR(optimizer, 0.1, anneal_epochs=-1),
        ]
        for act in wrong:
            with pytest.raises((ValueError, AssertionError)) as refused:
                act()
            words.append((refused.type, str(refused.value)))
    assert words[: len(words) // 2] == words[len(words) // 2 :]
