"""Averages of a model over the steps of its training, which often do better than the model itself.

Izmailov and others, "Averaging Weights Leads to Wider Optima and Better Generalization" (2018); Polyak's average for
exponentially falling weights.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

import tensorglass as torch
from tensorglass.nn.modules.module import Module
from tensorglass.optim.lr_scheduler.scheduler import Rates, Schedule, for_each_group
from tensorglass.optim.optimizer import Optimizer

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]

Average = Callable[[Any, Any, Any], Any]


def get_swa_avg_fn() -> Average:
    """The plain mean: ``average + (current - average) / (n + 1)``."""

    def swa_update(averaged: Any, current: Any, num_averaged: Any) -> Any:
        with torch.no_grad():
            return averaged + (current - averaged) / (num_averaged + 1)

    return swa_update


def get_ema_avg_fn(decay: float = 0.999) -> Average:
    """The exponential mean: ``decay * average + (1 - decay) * current``."""
    _check_decay(decay)

    def ema_update(averaged: Any, current: Any, num_averaged: Any) -> Any:
        with torch.no_grad():
            return decay * averaged + (1 - decay) * current

    return ema_update


def get_swa_multi_avg_fn() -> Callable[[Any, Any, Any], None]:
    """The plain mean of lists of tensors, written into the first list."""

    def swa_update(averaged: Any, current: Any, num_averaged: Any) -> None:
        with torch.no_grad():
            for average, value in zip(averaged, current, strict=True):
                _move_towards(average, value, 1 / (float(num_averaged) + 1))

    return swa_update


def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable[[Any, Any, Any], None]:
    """The exponential mean of lists of tensors, written into the first list."""
    _check_decay(decay)

    def ema_update(averaged: Any, current: Any, num_averaged: Any) -> None:
        with torch.no_grad():
            for average, value in zip(averaged, current, strict=True):
                _move_towards(average, value, 1 - decay)

    return ema_update


def _check_decay(decay: float) -> None:
    if not 0.0 <= decay <= 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def _move_towards(average: Any, value: Any, weight: float) -> None:
    if average.is_floating_point() or average.is_complex():
        average.lerp_(value, weight)
    else:
        average.copy_(average * (1 - weight) + value * weight)


class AveragedModel(Module):
    """A copy of `model` whose parameters are the mean of those that `update_parameters` has seen.

    `avg_fn` averages tensor by tensor, `multi_avg_fn` lists of them; the default is the plain mean. Buffers are copied,
    or averaged too with `use_buffers`. It is called as the model is.
    """

    n_averaged: Any

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Average | None = None,
        multi_avg_fn: Callable[[Any, Any, Any], None] | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", torch.zeros((), dtype=torch.long, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the averaged model computes."""
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Take the parameters of `model` into the mean; the first ones are copied."""
        mine, theirs = [*self.parameters()], [*model.parameters()]
        if self.use_buffers:
            mine += self.module.buffers()
            theirs += model.buffers()
        # As in PyTorch, buffers that only one of the models has are left out.
        pairs = [(old.detach(), new.detach().to(old.device)) for old, new in zip(mine, theirs, strict=False)]
        if self.n_averaged == 0:
            for average, value in pairs:
                average.copy_(value)
        elif self.multi_avg_fn is not None:
            self.multi_avg_fn([average for average, _ in pairs], [value for _, value in pairs], self.n_averaged)
        else:
            averaged = self.avg_fn or get_swa_avg_fn()
            for average, value in pairs:
                average.copy_(averaged(average, value, self.n_averaged.to(average.device)))
        if not self.use_buffers:
            for average, value in zip(self.module.buffers(), model.buffers(), strict=True):
                average.detach().copy_(value.detach().to(average.device))
        self.n_averaged += 1


def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Compute the running statistics of batch norms anew, from the batches of `loader` (of a list or tuple, its first).

    An average of models has never seen data itself, so its batch norms have no statistics of their own.
    """
    norms = [module for module in model.modules() if isinstance(module, torch.nn.modules.batchnorm._BatchNorm)]
    if not norms:
        return
    momenta = [norm.momentum for norm in norms]
    was_training = model.training
    model.train()
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None  # the mean over all batches
    with torch.no_grad():
        for batch in loader:
            input = batch[0] if isinstance(batch, list | tuple) else batch
            model(input if device is None else input.to(device))
    for norm, momentum in zip(norms, momenta, strict=True):
        norm.momentum = momentum
    model.train(was_training)


class SWALR(Schedule):
    """From the present rates to `swa_lr` in `anneal_epochs`, along a cosine or a line, and then constant."""

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float | list[float],
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        for rate, group in zip(for_each_group("swa_lr", optimizer, swa_lr), optimizer.param_groups, strict=True):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._set_anneal_func(anneal_strategy)
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def rates(self) -> Rates:
        """The formula of the class; the initial rates are computed back from the last ones, whose share of `swa_lr` is
        known."""
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = self._part(step - 1), self._part(step)
        rates = []
        for group in self.optimizer.param_groups:
            goal = group["swa_lr"]
            initial = self._get_initial_lr(group["lr"], goal, before)
            rates.append(goal * now + initial * (1 - now))
        return rates

    def _part(self, step: int) -> float:
        part = max(0, min(1, step / max(1, self.anneal_epochs)))
        return float(self.anneal_func(part))

    def _set_anneal_func(self, anneal_strategy: str) -> None:
        self._anneal_strategy = anneal_strategy
        self.anneal_func: Any = self._linear_anneal if anneal_strategy == "linear" else self._cosine_anneal

    @staticmethod
    def _linear_anneal(t: float) -> float:
        return t

    @staticmethod
    def _cosine_anneal(t: float) -> float:
        return (1 - math.cos(math.pi * t)) / 2

    @staticmethod
    def _get_initial_lr(lr: Any, swa_lr: Any, alpha: float) -> Any:
        return swa_lr if alpha == 1 else (lr - alpha * swa_lr) / (1 - alpha)

    def state_dict(self) -> dict[str, Any]:
        """The scheduler's state."""
        return {name: value for name, value in super().state_dict().items() if name != "anneal_func"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue from a `state_dict`."""
        super().load_state_dict(state_dict)
        self._set_anneal_func(self._anneal_strategy)
