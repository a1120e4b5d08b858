"""Muon: a step along the momentum, orthogonalized: all its singular values are near one.

Jordan and others, "Muon: An optimizer for hidden layers in neural networks" (2024); Liu and others, "Muon is Scalable
for LLM Training" (2025), for ``adjust_lr_fn="match_rms_adamw"``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tensorglass.ops.linalg.addmm import addmm
from tensorglass.optim.optimizer import Group
from tensorglass.optim.per_parameter import PerParameterOptimizer, State, zeros_for
from tensorglass.tensor.tensor import Tensor


class Muon(PerParameterOptimizer):
    """For matrices of hidden layers; vectors and embeddings belong to another optimizer::

    b = momentum * b + (1 - momentum) * grad
    param -= lr * weight_decay * param
    param -= adjusted_lr * orthogonal(b)             # nesterov: of (1 - momentum) * grad + momentum * b
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        for name, value in [("Learning rate", lr), ("momentum", momentum), ("weight decay", weight_decay)]:
            if value < 0:
                raise ValueError(f"{name} should be >= 0 but is: {value}")
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        defaults = {
            "lr": lr,
            "weight_decay": weight_decay,
            "momentum": momentum,
            "nesterov": nesterov,
            "ns_coefficients": ns_coefficients,
            "eps": eps,
            "ns_steps": ns_steps,
            "adjust_lr_fn": adjust_lr_fn,
        }
        super().__init__(params, defaults)
        for group in self.param_groups:
            for param in group["params"]:
                if param.dim() != 2:
                    raise ValueError(
                        f"Muon only supports 2D parameters whereas we found a parameter with size: {param.size()}"
                    )

    def new_state(self, param: Tensor, group: Group) -> State:
        """No momentum."""
        if param.is_complex():
            raise RuntimeError("Muon does not support complex parameters")
        return {"momentum_buffer": zeros_for(param)}

    def update(self, param: Tensor, grad: Tensor, state: State, group: Group) -> None:
        """The formula of the class."""
        momentum = group["momentum"]
        velocity = state["momentum_buffer"].lerp_(grad, 1 - momentum)
        direction = grad.lerp(velocity, momentum) if group["nesterov"] else velocity
        direction = orthogonal(direction, group["ns_coefficients"], group["ns_steps"], group["eps"])
        param.mul_(1 - group["lr"] * group["weight_decay"])
        param.add_(direction, alpha=-_adjusted_lr(group["lr"], group["adjust_lr_fn"], *param.shape))


def orthogonal(matrix: Tensor, coefficients: tuple[float, float, float], steps: int, eps: float) -> Tensor:
    """`matrix` with singular values near one, in bfloat16, by the Newton-Schulz iteration.

    An odd polynomial of a matrix is the polynomial of its singular values. This one, of degree 5, pulls values
    between 0 and 1 close to 1 in a few steps.
    """
    if steps >= 100:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if len(coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = coefficients
    tall = matrix.size(0) > matrix.size(1)
    result = matrix.bfloat16().T if tall else matrix.bfloat16()
    result = result / result.norm().clamp(min=eps)
    for _ in range(steps):
        gram = result @ result.T
        result = addmm(result, addmm(gram, gram, gram, beta=b, alpha=c), result, beta=a)
    return result.T if tall else result


def _adjusted_lr(lr: float, rule: str | None, rows: int, columns: int) -> float:
    """A rate that makes steps of matrices of all shapes comparable."""
    if rule == "match_rms_adamw":
        return lr * 0.2 * max(rows, columns) ** 0.5
    return lr * max(1.0, rows / columns) ** 0.5
