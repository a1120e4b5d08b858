"""SGD: stochastic gradient descent, with momentum.

Polyak, "Some methods of speeding up the convergence of iteration methods" (1964), for momentum; Sutskever and others,
"On the importance of initialization and momentum in deep learning" (2013), for `nesterov`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tensorglass.optim.optimizer import Group
from tensorglass.optim.per_parameter import PerParameterOptimizer, State, decayed
from tensorglass.tensor.tensor import Tensor


class SGD(PerParameterOptimizer):
    """A step against the gradient, or against its running sum::

        v = momentum * v + (1 - dampening) * grad        # v = grad at the first step
        param -= lr * v                                  # nesterov: lr * (grad + momentum * v)

    Without momentum it remembers nothing; with momentum, one tensor for each parameter.
    """

    _formula = "SGD"
    _checked = ("lr", "momentum", "weight_decay")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float | Tensor = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)

    def _check_options(self, options: dict[str, Any]) -> None:
        super()._check_options(options)
        if options["nesterov"] and (options["momentum"] <= 0 or options["dampening"] != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")

    def _update(self, param: Tensor, grad: Tensor, group: Group) -> None:
        # Its formula holds for complex numbers as it stands, and state begins with a gradient, not with zeros.
        grad = -grad if group["maximize"] else grad
        self._change(param, grad, self.state[param] if group["momentum"] != 0 else {}, group)

    def _init_group(self, group: Group, params: list[Any], grads: list[Any], *lists: list[Any]) -> Any:
        for param in group["params"]:
            if param.grad is not None:
                params.append(param)
                grads.append(param.grad)
                if group["momentum"] != 0:
                    lists[0].append(self.state[param].get("momentum_buffer"))
        return False  # no gradient is sparse

    def update(self, param: Tensor, grad: Tensor, state: State, group: Group) -> None:
        """The formula of the class."""
        momentum = group["momentum"]
        grad = decayed(grad, param, group["weight_decay"])
        if momentum != 0:
            velocity = state.get("momentum_buffer")
            if velocity is None:
                velocity = state["momentum_buffer"] = grad.detach().clone()
            else:
                velocity.mul_(momentum).add_(grad, alpha=1 - group["dampening"])
            grad = grad.add(velocity, alpha=momentum) if group["nesterov"] else velocity
        lr = group["lr"]
        if isinstance(lr, Tensor) and lr.requires_grad:
            param.addcmul_(grad, lr, value=-1)
        else:
            param.add_(grad, alpha=-lr)
