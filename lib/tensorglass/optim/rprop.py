"""Rprop: steps by the gradient's sign alone.

Riedmiller and Braun, "A direct adaptive method for faster backpropagation learning: the RPROP algorithm" (1993).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tensorglass.ops.creation.fill import full_like, ones_like
from tensorglass.optim.optimizer import Group
from tensorglass.optim.per_parameter import PerParameterOptimizer, State, count, zeros_for
from tensorglass.tensor.tensor import Tensor


class Rprop(PerParameterOptimizer):
    """A step size for every element, larger while the sign of its gradient stays::

    step_size *= etaplus                     # where the sign is that of the step before
    step_size *= etaminus; grad = 0          # where it has changed
    param -= sign(grad) * step_size
    """

    _checked = ("lr",)
    _lists = ("prev", "step_size", "step")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "etas": etas,
            "step_sizes": step_sizes,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _check_options(self, options: dict[str, Any]) -> None:
        super()._check_options(options)
        eta_minus, eta_plus = options["etas"]
        if not 0.0 < eta_minus < 1.0 < eta_plus:
            raise ValueError(f"Invalid eta values: {eta_minus}, {eta_plus}")

    def new_state(self, param: Tensor, group: Group) -> State:
        """No step, no gradient before, and `lr` as every element's step size."""
        lr = float(group["lr"])
        grad: Any = param.grad  # it has a gradient, otherwise there would be no step
        return {
            "step": count(param, group),
            "prev": zeros_for(param),
            "step_size": full_like(grad, complex(lr, lr) if param.is_complex() else lr),
        }

    def update(self, param: Tensor, grad: Tensor, state: State, group: Group) -> None:
        """The formula of the class."""
        (eta_minus, eta_plus), (smallest, largest) = group["etas"], group["step_sizes"]
        before, step_size = state["prev"], state["step_size"]
        state["step"] += 1
        agreement = (grad * before.clone()).sign()
        factor = ones_like(grad).masked_fill(agreement > 0, eta_plus).masked_fill(agreement < 0, eta_minus)
        step_size.mul_(factor).clamp_(smallest, largest)
        grad = grad.masked_fill(agreement < 0, 0)
        param.addcmul_(grad.sign(), step_size, value=-1)
        before.copy_(grad)
