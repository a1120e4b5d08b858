"""Adadelta: steps whose size follows from earlier steps and the ratio of the gradient to earlier gradients.

Zeiler, "ADADELTA: An Adaptive Learning Rate Method" (2012).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tensorglass.optim.optimizer import Group
from tensorglass.optim.per_parameter import PerParameterOptimizer, State, count, decayed, zeros_for
from tensorglass.tensor.tensor import Tensor


class Adadelta(PerParameterOptimizer):
    """A step whose unit is that of the parameter::

    v = rho * v + (1 - rho) * grad ** 2
    delta = (u + eps).sqrt() / (v + eps).sqrt() * grad
    u = rho * u + (1 - rho) * delta ** 2
    param -= lr * delta
    """

    _devices = "['cuda', 'xpu', 'hpu', 'privateuseone']"
    _checked = ("lr", "rho", "eps", "weight_decay")
    _lists = ("square_avg", "acc_delta", "step")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "rho": rho,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "capturable": capturable,
            "foreach": foreach,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def new_state(self, param: Tensor, group: Group) -> State:
        """No step, and averages of zero: of squared gradients and of squared steps."""
        return {"step": count(param, group), "square_avg": zeros_for(param), "acc_delta": zeros_for(param)}

    def update(self, param: Tensor, grad: Tensor, state: State, group: Group) -> None:
        """The formula of the class."""
        rho, eps = group["rho"], group["eps"]
        state["step"] += 1
        grad = decayed(grad, param, group["weight_decay"])
        square = state["square_avg"].mul_(rho).addcmul_(grad, grad, value=1 - rho)
        delta = (state["acc_delta"] + eps).sqrt() / (square + eps).sqrt() * grad
        state["acc_delta"].mul_(rho).addcmul_(delta, delta, value=1 - rho)
        param.add_(delta, alpha=-group["lr"])
