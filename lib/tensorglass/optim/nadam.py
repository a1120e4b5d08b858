"""NAdam: Adam with Nesterov's momentum.

Dozat, "Incorporating Nesterov Momentum into Adam" (2016).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tensorglass.optim.optimizer import Group
from tensorglass.optim.per_parameter import PerParameterOptimizer, State, count, decayed, zeros_for
from tensorglass.tensor.tensor import Tensor


class NAdam(PerParameterOptimizer):
    """Adam that looks one step ahead, with a momentum that grows::

    mu = beta1 * (1 - 0.5 * 0.96 ** (t * momentum_decay))     # mu_next: the same for t + 1
    m = beta1 * m + (1 - beta1) * grad
    v = beta2 * v + (1 - beta2) * grad ** 2
    step = (1 - mu) * grad / (1 - prod(mu)) + mu_next * m / (1 - prod(mu) * mu_next)
    param -= lr * step / ((v / (1 - beta2 ** t)).sqrt() + eps)
    """

    _on_device = "params, mu_products and state_steps"
    _checked = ("lr", "eps", "betas", "weight_decay", "momentum_decay")
    _lists = ("exp_avg", "exp_avg_sq", "mu_product", "step")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
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
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def new_state(self, param: Tensor, group: Group) -> State:
        """No step, a product of no factors, and averages of zero."""
        return {
            "step": count(param, group),
            "mu_product": count(param, group, 1.0),
            "exp_avg": zeros_for(param),
            "exp_avg_sq": zeros_for(param),
        }

    def update(self, param: Tensor, grad: Tensor, state: State, group: Group) -> None:
        """The formula of the class."""
        lr, (beta1, beta2), momentum_decay = group["lr"], group["betas"], group["momentum_decay"]
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        state["step"] += 1
        step = state["step"].item()
        if group["decoupled_weight_decay"]:
            param.mul_(1 - lr * group["weight_decay"])
        else:
            grad = decayed(grad, param, group["weight_decay"])
        mu = beta1 * (1.0 - 0.5 * (0.96 ** (step * momentum_decay)))
        mu_next = beta1 * (1.0 - 0.5 * (0.96 ** ((step + 1) * momentum_decay)))
        state["mu_product"] *= mu
        product = state["mu_product"].item()
        mean.lerp_(grad, 1 - beta1)
        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        denominator = square.div(1 - beta2**step).sqrt() + group["eps"]
        if group["differentiable"]:
            mean = mean.clone()  # the next step writes to it
        param.addcdiv_(grad, denominator, value=-lr * (1.0 - mu) / (1.0 - product))
        param.addcdiv_(mean, denominator, value=(-lr * mu_next) / (1.0 - product * mu_next))
