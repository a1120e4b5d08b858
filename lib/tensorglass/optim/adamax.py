"""Adamax: Adam with the largest gradient in place of the mean of squares.

Kingma and Ba, "Adam: A Method for Stochastic Optimization" (2014), section 7.1.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tensorglass.optim.optimizer import Group
from tensorglass.optim.per_parameter import PerParameterOptimizer, State, count, decayed, zeros_for
from tensorglass.tensor.tensor import Tensor


class Adamax(PerParameterOptimizer):
    """Adam by the infinity norm::

    m = beta1 * m + (1 - beta1) * grad
    u = max(beta2 * u, abs(grad) + eps)
    param -= lr / (1 - beta1 ** t) * m / u
    """

    _formula = "Adamax"
    _checked = ("lr", "eps", "betas", "weight_decay")
    _lists = ("exp_avg", "exp_inf", "step")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def new_state(self, param: Tensor, group: Group) -> State:
        """No step, and averages of zero."""
        return {"step": count(param, group), "exp_avg": zeros_for(param), "exp_inf": zeros_for(param)}

    def update(self, param: Tensor, grad: Tensor, state: State, group: Group) -> None:
        """The formula of the class."""
        beta1, beta2 = group["betas"]
        mean, largest = state["exp_avg"], state["exp_inf"]
        state["step"] += 1
        grad = decayed(grad, param, group["weight_decay"])
        mean.lerp_(grad, 1 - beta1)
        largest.copy_((largest * beta2).maximum(grad.abs() + group["eps"]))
        correction = 1 - beta1 ** state["step"].item()
        if group["differentiable"]:
            mean, largest = mean.clone(), largest.clone()  # the next step writes to them
        param.addcdiv_(mean, largest, value=-(group["lr"] / correction))
