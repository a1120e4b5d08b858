"""ASGD: gradient descent that also averages the parameters over its steps.

Polyak and Juditsky, "Acceleration of stochastic approximation by averaging" (1992).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tensorglass.optim.optimizer import Group
from tensorglass.optim.per_parameter import PerParameterOptimizer, State, count, decayed, zeros_for
from tensorglass.tensor.tensor import Tensor


class ASGD(PerParameterOptimizer):
    """Steps that shrink, and from step `t0` on their mean in ``state[param]["ax"]``::

    param = (1 - lambd * eta) * param - eta * grad
    ax = ax + mu * (param - ax)
    eta = lr / (1 + lambd * lr * t) ** alpha
    mu = 1 / max(1, t - t0)
    """

    _on_device = "params, mus, etas, and state_steps"
    _checked = ("lr", "weight_decay")
    _lists = ("mu", "ax", "eta", "step")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "lambd": lambd,
            "alpha": alpha,
            "t0": t0,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def new_state(self, param: Tensor, group: Group) -> State:
        """No step, the first rate, and an average that follows the parameter until `t0`."""
        return {
            "step": count(param, group).to(param.device),
            "eta": count(param, group, float(group["lr"])).to(param.device),
            "mu": count(param, group, 1.0).to(param.device),
            "ax": zeros_for(param),
        }

    def update(self, param: Tensor, grad: Tensor, state: State, group: Group) -> None:
        """The formula of the class."""
        lr, lambd = group["lr"], group["lambd"]
        state["step"] += 1
        step, eta, mu = state["step"].item(), state["eta"].item(), state["mu"].item()
        grad = decayed(grad, param, group["weight_decay"])
        param.mul_(1 - lambd * eta).add_(grad, alpha=-eta)
        if mu != 1:
            state["ax"].add_((param - state["ax"]) * state["mu"])
        else:
            state["ax"].copy_(param)
        state["eta"].fill_(lr / ((1 + lambd * lr * step) ** group["alpha"]))
        state["mu"].fill_(1 / max(1, step - group["t0"]))
