"""Rates that go up and down, with a momentum that goes down and up. Smith, "Cyclical Learning Rates for Training Neural
Networks" (2015); Smith and Topin, "Super-Convergence" (2017), for `OneCycleLR`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import FunctionType
from typing import Any

from tensorglass.optim.lr_scheduler.scheduler import Rates, Schedule, for_each_group, write
from tensorglass.optim.optimizer import Group, Optimizer


class _WithMomentum(Schedule):
    """A schedule that may move the momentum too: `momentum`, or the first of `betas`."""

    cycle_momentum: bool
    use_beta1: bool

    def _begin_momentum(self, base: Any, highest: Any, last_epoch: int) -> None:
        defaults = self.optimizer.defaults
        if "momentum" not in defaults and "betas" not in defaults:
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        self.use_beta1 = "betas" in defaults
        lows = for_each_group("base_momentum", self.optimizer, base)
        highs = for_each_group("max_momentum", self.optimizer, highest)
        if last_epoch == -1:
            for group, low, high in zip(self.optimizer.param_groups, lows, highs, strict=True):
                self._set_momentum(group, high)
                group["max_momentum"], group["base_momentum"] = high, low

    def _set_momentum(self, group: Group, value: float) -> None:
        if self.use_beta1:
            group["betas"] = (value, *group["betas"][1:])
        else:
            group["momentum"] = value


class CyclicLR(_WithMomentum):
    """From `base_lr` up to `max_lr` in `step_size_up` batches and back in `step_size_down`, over and over.

    The height of the triangles stays ("triangular"), halves each time ("triangular2"), or shrinks by `gamma` each batch
    ("exp_range"); `scale_fn` may say otherwise, of the cycle's number or of the batch's (`scale_mode`).
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | list[float],
        max_lr: float | list[float],
        step_size_up: float = 2000,
        step_size_down: float | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.8,
        max_momentum: float | list[float] = 0.9,
        last_epoch: int = -1,
    ) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        base_lrs = for_each_group("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for rate, group in zip(base_lrs, optimizer.param_groups, strict=True):
                write(group, "lr", rate)
        self.max_lrs = for_each_group("max_lr", optimizer, max_lr)
        up = float(step_size_up)
        down = float(step_size_down) if step_size_down is not None else up
        self.total_size = up + down
        self.step_ratio = up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode
        if scale_fn is None:
            self.scale_mode = "iterations" if mode == "exp_range" else "cycle"
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._begin_momentum(base_momentum, max_momentum, last_epoch)
            self.base_momentums = for_each_group("base_momentum", optimizer, base_momentum)
            self.max_momentums = for_each_group("max_momentum", optimizer, max_momentum)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def scale_fn(self, x: float) -> float:
        """The height of the triangle of cycle (or batch) `x`, relative to the first one's."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        if self.mode == "triangular":
            return self._triangular_scale_fn(x)
        return self._triangular2_scale_fn(x) if self.mode == "triangular2" else self._exp_range_scale_fn(self.gamma, x)

    @staticmethod
    def _triangular_scale_fn(x: float) -> float:
        return 1.0

    @staticmethod
    def _triangular2_scale_fn(x: float) -> float:
        return 1 / (2.0 ** (x - 1))

    @staticmethod
    def _exp_range_scale_fn(gamma: float, x: float) -> float:
        return gamma**x

    def rates(self) -> Rates:
        """The formula of the class; it sets the momentum too."""
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        position = 1.0 + self.last_epoch / self.total_size - cycle  # 0 to 1 within the cycle
        rising = position <= self.step_ratio
        height = position / self.step_ratio if rising else (position - 1) / (self.step_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            bounds = zip(self.optimizer.param_groups, self.base_momentums, self.max_momentums, strict=True)
            for group, low, high in bounds:
                self._set_momentum(group, high - (high - low) * height * scale)
        return [low + (high - low) * height * scale for low, high in zip(self.base_lrs, self.max_lrs, strict=True)]

    def state_dict(self) -> dict[str, Any]:
        """The scheduler's state; a `scale_fn` that is an object is saved by its attributes."""
        state = super().state_dict()
        function = state.pop("_scale_fn_custom")
        keep = function is not None and not isinstance(function, FunctionType)
        state["_scale_fn_custom"] = function.__dict__.copy() if keep else None
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue from a `state_dict`."""
        attributes = state_dict["_scale_fn_custom"]
        super().load_state_dict({key: value for key, value in state_dict.items() if key != "_scale_fn_custom"})
        if attributes is not None:
            self._scale_fn_custom.__dict__.update(attributes)


class OneCycleLR(_WithMomentum):
    """One rise from ``max_lr / div_factor`` to `max_lr`, then down to that over `final_div_factor`.

    It is stepped after each batch: `total_steps` batches in all, or ``epochs * steps_per_epoch``. The rise takes
    `pct_start` of them; with `three_phase` the fall is as long as the rise, and a third phase goes to the bottom.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.85,
        max_momentum: float | list[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        self.total_steps = _total_steps(total_steps, epochs, steps_per_epoch)
        self._schedule_phases = _phases(self.total_steps, pct_start, three_phase)
        if not isinstance(pct_start, float) or not 0 <= pct_start <= 1:
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_func_type = anneal_strategy
        highest = for_each_group("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for group, high in zip(optimizer.param_groups, highest, strict=True):
                group["initial_lr"] = high / div_factor
                group["max_lr"] = high
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._begin_momentum(base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)

    def rates(self) -> Rates:
        """The formula of the class; it sets the momentum too."""
        if self.last_epoch > self.total_steps:
            raise ValueError(
                f"Tried to step {self.last_epoch} times. The specified number of total steps is {self.total_steps}"
            )
        start = 0.0
        for phase in self._schedule_phases:
            if self.last_epoch <= phase["end_step"] or phase is self._schedule_phases[-1]:
                break
            start = phase["end_step"]
        part = (self.last_epoch - start) / (phase["end_step"] - start)
        for group in self.optimizer.param_groups if self.cycle_momentum else ():
            momentum = self._anneal_func(group[phase["start_momentum"]], group[phase["end_momentum"]], part)
            self._set_momentum(group, momentum)
        groups = self.optimizer.param_groups
        return [self._anneal_func(group[phase["start_lr"]], group[phase["end_lr"]], part) for group in groups]

    def _anneal_func(self, *args: float) -> float:
        """The value between two, of which a part of the way is gone: ``(start, end, part)``."""
        return self._annealing_linear(*args) if self._anneal_func_type == "linear" else self._annealing_cos(*args)

    @staticmethod
    def _annealing_cos(start: float, end: float, pct: float) -> float:
        return end + (start - end) / 2.0 * (math.cos(math.pi * pct) + 1)

    @staticmethod
    def _annealing_linear(start: float, end: float, pct: float) -> float:
        return (end - start) * pct + start


def _total_steps(total_steps: int | None, epochs: int | None, steps_per_epoch: int | None) -> int:
    if total_steps is not None:
        _check_positive("total_steps", total_steps)
        return total_steps
    if epochs is None or steps_per_epoch is None:
        raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    _check_positive("epochs", epochs)
    _check_positive("steps_per_epoch", steps_per_epoch)
    return epochs * steps_per_epoch


def _check_positive(name: str, value: Any) -> None:
    if not isinstance(value, int) or value <= 0:
        raise ValueError(f"Expected positive integer {name}, but got {value}")


def _phases(total: int, rise: float, three: bool) -> list[dict[str, Any]]:
    """Where each phase ends, and the keys of the values that it goes between."""

    def phase(end: float, rates: tuple[str, str], momentums: tuple[str, str]) -> dict[str, Any]:
        return {
            "end_step": end,
            "start_lr": rates[0],
            "end_lr": rates[1],
            "start_momentum": momentums[0],
            "end_momentum": momentums[1],
        }

    first = float(rise * total) - 1
    up = phase(first, ("initial_lr", "max_lr"), ("max_momentum", "base_momentum"))
    if not three:
        return [up, phase(total - 1, ("max_lr", "min_lr"), ("base_momentum", "max_momentum"))]
    return [
        up,
        phase(float(2 * rise * total) - 2, ("max_lr", "initial_lr"), ("base_momentum", "max_momentum")),
        phase(total - 1, ("initial_lr", "min_lr"), ("max_momentum", "max_momentum")),
    ]
