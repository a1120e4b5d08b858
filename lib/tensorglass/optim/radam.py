"""RAdam: Adam that waits until its variance can be known.

Liu and others, "On the Variance of the Adaptive Learning Rate and Beyond" (2019).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tensorglass.optim.optimizer import Group
from tensorglass.optim.per_parameter import PerParameterOptimizer, State, count, decayed, zeros_for
from tensorglass.tensor.tensor import Tensor


class RAdam(PerParameterOptimizer):
    """Momentum alone for the first steps, then Adam, scaled by how well v is known::

    rho_inf = 2 / (1 - beta2) - 1
    rho = rho_inf - 2 * t * beta2 ** t / (1 - beta2 ** t)
    m_hat = m / (1 - beta1 ** t)
    if rho > 5:
        r = sqrt((rho - 4) * (rho - 2) * rho_inf / ((rho_inf - 4) * (rho_inf - 2) * rho))
        param -= lr * m_hat * r * sqrt(1 - beta2 ** t) / (v.sqrt() + eps)
    else:
        param -= lr * m_hat
    """

    _checked = ("lr", "eps", "betas", "weight_decay")
    _lists = ("exp_avg", "exp_avg_sq", "step")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def new_state(self, param: Tensor, group: Group) -> State:
        """No step, and averages of zero."""
        return {"step": count(param, group), "exp_avg": zeros_for(param), "exp_avg_sq": zeros_for(param)}

    def update(self, param: Tensor, grad: Tensor, state: State, group: Group) -> None:
        """The formula of the class."""
        lr, (beta1, beta2) = group["lr"], group["betas"]
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        state["step"] += 1
        step = state["step"].item()
        if group["decoupled_weight_decay"]:
            param.mul_(1 - lr * group["weight_decay"])
        else:
            grad = decayed(grad, param, group["weight_decay"])
        mean.lerp_(grad, 1 - beta1)
        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        correction1, correction2 = 1 - beta1**step, 1 - beta2**step
        change = mean / correction1 * lr
        rho_inf = 2 / (1 - beta2) - 1
        rho = rho_inf - 2 * step * (beta2**step) / correction2
        if rho > 5.0:
            rectified = ((rho - 4) * (rho - 2) * rho_inf / ((rho_inf - 4) * (rho_inf - 2) * rho)) ** 0.5
            change = change * (correction2**0.5 / (square.sqrt() + group["eps"])) * rectified
        param.add_(change, alpha=-1.0)
