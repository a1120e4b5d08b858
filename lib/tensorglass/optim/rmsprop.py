"""RMSprop: gradients over the root of the running mean of their squares.

Hinton, "Neural Networks for Machine Learning", lecture 6 (2012); Graves, "Generating Sequences With Recurrent Neural
Networks" (2013), for `centered`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tensorglass.optim.optimizer import Group
from tensorglass.optim.per_parameter import PerParameterOptimizer, State, count, decayed, zeros_for
from tensorglass.tensor.tensor import Tensor


class RMSprop(PerParameterOptimizer):
    """Every element with a step size of its own::

    v = alpha * v + (1 - alpha) * grad ** 2
    b = momentum * b + grad / (v.sqrt() + eps)       # centered: (v - g ** 2).sqrt(), g the mean of the gradients
    param -= lr * b
    """

    _formula = "RMSprop"
    _checked = ("lr", "eps", "momentum", "weight_decay", "alpha")
    _lists = ("square_avg", "momentum_buffer", "grad_avg", "step")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "alpha": alpha,
            "eps": eps,
            "centered": centered,
            "weight_decay": weight_decay,
            "capturable": capturable,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def new_state(self, param: Tensor, group: Group) -> State:
        """No step, and averages of zero: of squares, and as the options say of gradients and steps."""
        state = {"step": count(param, group), "square_avg": zeros_for(param)}
        if group["momentum"] > 0:
            state["momentum_buffer"] = zeros_for(param)
        if group["centered"]:
            state["grad_avg"] = zeros_for(param)
        return state

    def update(self, param: Tensor, grad: Tensor, state: State, group: Group) -> None:
        """The formula of the class."""
        alpha, lr = group["alpha"], group["lr"]
        square = state["square_avg"]
        state["step"] += 1
        grad = decayed(grad, param, group["weight_decay"])
        square.mul_(alpha).addcmul_(grad, grad, value=1 - alpha)
        if group["centered"]:
            mean = state["grad_avg"].lerp_(grad, 1 - alpha)
            square = square.addcmul(mean, mean, value=-1)
        denominator = square.sqrt() + group["eps"]
        if group["momentum"] > 0:
            velocity = state["momentum_buffer"].mul_(group["momentum"]).addcdiv_(grad, denominator)
            param.add_(velocity, alpha=-lr)
        else:
            param.addcdiv_(grad, denominator, value=-lr)
