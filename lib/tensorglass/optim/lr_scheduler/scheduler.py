"""`LRScheduler`: after each epoch, `step` asks `get_lr` for new rates and writes them into the optimizer's groups.

Most schedules say how the last rate becomes the next, so that several can work on one optimizer. `step(epoch)`, which
PyTorch deprecates, jumps to an epoch by the closed form instead.
"""

from __future__ import annotations

import warnings
from functools import wraps
from typing import Any
from weakref import ref

from tensorglass.optim.optimizer import Group, Optimizer
from tensorglass.tensor.tensor import Tensor

Rates = list[Any]
ORDER_OF_STEPS = "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"


class LRScheduler:
    """The base of all schedules. A subclass writes `get_lr`, which returns one rate for each parameter group.

    `last_epoch` is -1 at the start, or the number of the epoch that a resumed training has behind it; groups must then
    have the key ``"initial_lr"``, which a loaded state dict brings along.
    """

    _get_lr_called_within_step = False
    _is_initial = False

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        for number, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", copied(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{number}] when resuming scheduler with "
                    "last_epoch >= 0.\nThis typically happens when:\n"
                    "1. You're trying to resume training from a checkpoint but haven't properly loaded the optimizer "
                    "state\n2. You're using last_epoch >= 0 for a fresh training run (not recommended)"
                )
        self.base_lrs: Rates = in_groups(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        _note_steps(optimizer)
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def get_lr(self) -> Rates:
        """The rates of this epoch, one for each group; `step` calls it. The last rates are `get_last_lr()`'s."""
        raise NotImplementedError

    def get_last_lr(self) -> Rates:
        """The rates that `step` wrote last, one for each group."""
        return self._last_lr

    def step(self, epoch: int | None = None) -> None:
        """Go on by one epoch; call it after the optimizer's own `step`."""
        if self._step_count == 1:
            self._warn_of_order()
        self._step_count += 1
        if epoch is not None:
            warn_of_epoch(stacklevel=3)
        self._update_lr(epoch)

    def _warn_of_order(self) -> None:
        if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
            warnings.warn(
                "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. "
                "Please, make sure to call `optimizer.step()` before `lr_scheduler.step()`. "
                f"See more details at {ORDER_OF_STEPS}",
                UserWarning,
                stacklevel=3,
            )
        elif not getattr(self.optimizer, "_opt_called", False):
            warnings.warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you "
                "should call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to "
                "do this will result in PyTorch skipping the first value of the learning rate schedule. "
                f"See more details at {ORDER_OF_STEPS}",
                UserWarning,
                stacklevel=3,
            )

    def _update_lr(self, epoch: int | None = None) -> None:
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if epoch is not None and hasattr(self, "_get_closed_form_lr"):
            rates = self._get_closed_form_lr()
        else:
            rates = self._asked_within_step()
        self._write(rates)

    def _asked_within_step(self) -> Rates:
        self._get_lr_called_within_step = True
        try:
            return self.get_lr()
        finally:
            self._get_lr_called_within_step = False

    def _write(self, rates: Rates) -> None:
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            write(group, "lr", rate)
        self._last_lr = in_groups(self.optimizer, "lr")

    def state_dict(self) -> dict[str, Any]:
        """Everything that the scheduler remembers, except the optimizer."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue from a `state_dict`."""
        self.__dict__.update(state_dict)


class _LRScheduler(LRScheduler):
    """The old name of `LRScheduler`, which older code inherits from."""


class Schedule(LRScheduler):
    """A schedule of this package: `rates` is its formula, and `get_lr` warns if it is not called by `step`."""

    def rates(self) -> Rates:
        """The rates of this epoch."""
        raise NotImplementedError

    def get_lr(self) -> Rates:
        """The rates of this epoch; `step` calls it."""
        if not self._get_lr_called_within_step:
            warnings.warn(
                "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.",
                UserWarning,
                stacklevel=2,
            )
        return self.rates()

    def _unchanged(self) -> Rates:
        return in_groups(self.optimizer, "lr")

    def _times(self, factor: float) -> Rates:
        """The last rates, times `factor`."""
        return [group["lr"] * factor for group in self.optimizer.param_groups]

    def _base_times(self, factor: float) -> Rates:
        """The initial rates, times `factor`."""
        return [rate * factor for rate in self.base_lrs]


def _note_steps(optimizer: Optimizer) -> None:
    """Record on the optimizer that it made a step: schedules warn if they are stepped first."""
    if hasattr(optimizer.step, "_wrapped_by_lr_sched"):
        return
    there = ref(optimizer)
    step = optimizer.step.__func__  # type: ignore[attr-defined]  # of a method

    @wraps(step)
    def noted(*args: Any, **kwargs: Any) -> Any:
        optimizer = there()
        optimizer._opt_called = True  # type: ignore[union-attr]  # it is alive: its step is called
        return step(optimizer, *args, **kwargs)

    noted._wrapped_by_lr_sched = True  # type: ignore[attr-defined]  # a mark
    optimizer.step = noted  # type: ignore[method-assign]  # as PyTorch does


def copied(value: Any) -> Any:
    """A copy of a rate that later changes of the group do not affect: tensors are cloned."""
    return value.clone() if isinstance(value, Tensor) else value


def in_groups(optimizer: Optimizer, key: str) -> Rates:
    """The value of `key` in every group."""
    return [copied(group[key]) for group in optimizer.param_groups]


def write(group: Group, key: str, value: Any) -> None:
    """Set a group's value; an existing tensor is filled in place, for everyone who holds it."""
    if isinstance(group[key], Tensor):
        group[key].fill_(value)
    else:
        group[key] = value


def for_each_group(name: str, optimizer: Optimizer, value: Any) -> list[Any]:
    """`value` for each group, from one value or a list of them."""
    groups = len(optimizer.param_groups)
    if isinstance(value, list | tuple):
        if len(value) != groups:
            raise ValueError(
                f"{name} must have the same length as optimizer.param_groups. "
                f"{name} has {len(value)} values, param_groups has {groups}."
            )
        return [copied(item) for item in value]
    return [copied(value) for _ in range(groups)]


def warn_of_epoch(stacklevel: int) -> None:
    """The warning of ``step(epoch)``."""
    warnings.warn(
        "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please "
        "use `scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the "
        "closed form is used instead of the new chainable form, where available. Please open an issue if you are "
        "unable to replicate your use case: https://github.com/pytorch/pytorch/issues/new/choose.",
        UserWarning,
        stacklevel=stacklevel + 1,
    )
