"""Adagrad: gradients over the root of the sum of all their squares.

Duchi, Hazan and Singer, "Adaptive Subgradient Methods for Online Learning and Stochastic Optimization" (2011).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tensorglass.ops.creation.fill import full_like
from tensorglass.optim.optimizer import Group
from tensorglass.optim.per_parameter import PerParameterOptimizer, State, count, decayed
from tensorglass.tensor.tensor import Tensor


class Adagrad(PerParameterOptimizer):
    """Steps that shrink where there was much gradient::

    s = s + grad ** 2
    param -= lr / (1 + (t - 1) * lr_decay) * grad / (s.sqrt() + eps)
    """

    _formula = "Adagrad"
    _checked = ("lr", "lr_decay", "weight_decay", "initial_accumulator_value", "eps")
    _lists = ("sum", "step")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        defaults = {
            "lr": lr,
            "lr_decay": lr_decay,
            "eps": eps,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)
        for group in self.param_groups:
            for param in group["params"]:
                self.state[param] = self.new_state(param, group)

    def new_state(self, param: Tensor, group: Group) -> State:
        """No step, and a sum that begins with `initial_accumulator_value`."""
        start = self.defaults["initial_accumulator_value"]
        filled = full_like(param, complex(start, start) if param.is_complex() else start, requires_grad=False)
        return {"step": count(param, group), "sum": filled}

    def _init_group(self, group: Group, params: list[Any], grads: list[Any], *lists: list[Any]) -> Any:
        return False, super()._init_group(group, params, grads, *lists)  # no gradient is sparse

    def share_memory(self) -> None:
        """Move the sums to shared memory, for training by several processes."""
        for group in self.param_groups:
            for param in group["params"]:
                self.state[param]["sum"].share_memory_()

    def update(self, param: Tensor, grad: Tensor, state: State, group: Group) -> None:
        """The formula of the class."""
        state["step"] += 1
        grad = decayed(grad, param, group["weight_decay"])
        lr = group["lr"] / (1 + (state["step"].item() - 1) * group["lr_decay"])
        denominator = state["sum"].addcmul_(grad, grad, value=1).sqrt() + group["eps"]
        param.addcdiv_(grad, denominator, value=-lr)
