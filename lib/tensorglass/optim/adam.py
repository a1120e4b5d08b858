"""Adam and AdamW.

Kingma and Ba, "Adam: A Method for Stochastic Optimization" (2014); Reddi and others, "On the Convergence of Adam and
Beyond" (2018), for `amsgrad`; Loshchilov and Hutter, "Decoupled Weight Decay Regularization" (2017), for AdamW.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tensorglass.optim.optimizer import Group
from tensorglass.optim.per_parameter import PerParameterOptimizer, State, count, decayed, zeros_for
from tensorglass.tensor.tensor import Tensor


class Adam(PerParameterOptimizer):
    """The mean of the gradients, over the root of the mean of their squares::

        m = beta1 * m + (1 - beta1) * grad
        v = beta2 * v + (1 - beta2) * grad ** 2
        param -= lr * (m / (1 - beta1 ** t)) / ((v / (1 - beta2 ** t)).sqrt() + eps)

    m and v begin at zero, and the divisions by ``1 - beta ** t`` correct for that. It remembers two tensors for each
    parameter (three with `amsgrad`, which uses the largest v so far). With `decoupled_weight_decay` parameters shrink
    by themselves, rather than by way of the gradient.
    """

    _formula = "Adam"
    _checked = ("lr", "eps", "betas", "weight_decay")
    _lists = ("exp_avg", "exp_avg_sq", "max_exp_avg_sq", "step")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "betas": tuple(map(_scalar, betas)) if isinstance(betas, (list, tuple)) else betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
            "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, defaults)

    def _check_options(self, options: dict[str, Any]) -> None:
        foreach, capturable = options["foreach"], options["capturable"]
        if isinstance(options["lr"], Tensor) and foreach and not capturable:
            raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        super()._check_options(options)
        _check_kind_of_betas(options["betas"], foreach, capturable)

    def new_state(self, param: Tensor, group: Group) -> State:
        """No step, and averages of zero."""
        state = {"step": count(param, group), "exp_avg": zeros_for(param), "exp_avg_sq": zeros_for(param)}
        if group["amsgrad"]:
            state["max_exp_avg_sq"] = zeros_for(param)
        return state

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
        if group["amsgrad"]:
            square = state["max_exp_avg_sq"].copy_(state["max_exp_avg_sq"].maximum(square))
        correction1, correction2 = 1 - beta1**step, 1 - beta2**step
        denominator = (square.sqrt() / correction2**0.5) + group["eps"]
        if group["differentiable"]:
            mean = mean.clone()  # the next step writes to it
        param.addcdiv_(mean, denominator, value=-(lr / correction1))


class AdamW(Adam):
    """Adam whose weight decay is decoupled: ``param *= 1 - lr * weight_decay`` before the step."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            foreach=foreach,
            maximize=maximize,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=True,
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True


def _scalar(beta: Any) -> Any:
    return beta.squeeze() if isinstance(beta, Tensor) and beta.dim() else beta


def _check_kind_of_betas(betas: tuple[Any, Any], foreach: bool | None, capturable: bool) -> None:
    kinds = {float if isinstance(beta, float) else Tensor if isinstance(beta, Tensor) else None for beta in betas}
    if kinds not in ({float}, {Tensor}):
        raise ValueError("betas must be either both floats or both Tensors")
    for index, beta in enumerate(betas):
        if isinstance(beta, Tensor):
            if foreach and not capturable:
                raise ValueError(f"betas[{index}] as a Tensor is not supported for capturable=False and foreach=True")
            if beta.numel() != 1:
                raise ValueError(f"Tensor betas[{index}] must be 1-element")
