"""Adafactor: Adam whose memory grows with rows and columns, not with their product.

Shazeer and Stern, "Adafactor: Adaptive Learning Rates with Sublinear Memory Cost" (2018). As in PyTorch, `lr` bounds
the relative step size, and `eps[0]` bounds the estimate of the variance rather than the squares that go into it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tensorglass.core.dtype_info import finfo
from tensorglass.ops.linalg.norm import norm
from tensorglass.optim.optimizer import Group
from tensorglass.optim.per_parameter import PerParameterOptimizer, State, count, zeros_for
from tensorglass.tensor.tensor import Tensor


class Adafactor(PerParameterOptimizer):
    """A matrix of variances estimated from its row means and its column means::

    beta = t ** beta2_decay                                  # tends to 0
    r = r + beta * (mean(grad ** 2, -1) - r)                 # c: the same over columns
    v = r @ c / mean(r)                                      # vectors keep the whole v
    u = grad / max(v.sqrt(), eps1)
    alpha = max(eps2, rms(param)) * min(lr, 1 / sqrt(t))
    param -= alpha * u / max(1, rms(u) / d)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        bounds = [
            (lr >= 0, f"Learning rate should be >= 0 but is: {lr}"),
            (beta2_decay <= 0, f"beta2_decay should be <= 0 but is: {beta2_decay}"),
            (eps[0] is None or eps[0] >= 0, f"epsilon1 should be >= 0 but is: {eps[0]}"),
            (eps[1] >= 0, f"epsilon2 should be >= 0 but is: {eps[1]}"),
            (d >= 1, f"Clipping threshold d should be >= 1 but is: {d}"),
            (weight_decay >= 0, f"weight_decay should be >= 0 but is: {weight_decay}"),
        ]
        for holds, message in bounds:
            if not holds:
                raise ValueError(message)
        defaults = {
            "lr": lr,
            "beta2_decay": beta2_decay,
            "eps": eps,
            "d": d,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def new_state(self, param: Tensor, group: Group) -> State:
        """No step; of a matrix its rows' and its columns' variances, of a vector each element's."""
        if param.is_complex():
            raise RuntimeError("Adafactor does not support complex parameters")
        if param.dim() < 2:
            return {"step": count(param, group), "variance": zeros_for(param)}
        rows, columns = list(param.shape), list(param.shape)
        rows[-1] = columns[-2] = 1
        grad: Any = param.grad  # it has a gradient, otherwise there would be no step
        return {"step": count(param, group), "row_var": grad.new_zeros(rows), "col_var": grad.new_zeros(columns)}

    def update(self, param: Tensor, grad: Tensor, state: State, group: Group) -> None:
        """The formula of the class."""
        lr, (eps1, eps2) = group["lr"], group["eps"]
        if eps1 is None:
            eps1 = finfo(param.dtype).eps
        state["step"] += 1
        step = state["step"].item()
        beta = step ** group["beta2_decay"]
        alpha = max(eps2, _rms(param)) * min(lr, 1 / step**0.5)
        if group["weight_decay"] != 0:
            param.mul_(1 - lr * group["weight_decay"])
        if grad.dim() > 1:
            rows = state["row_var"].lerp_(_mean_square(grad, -1), beta)
            columns = state["col_var"].lerp_(_mean_square(grad, -2), beta)
            variance = (rows @ columns).div_(rows.mean(dim=-2, keepdim=True).clamp_(min=eps1))
        else:
            variance = state["variance"].lerp_(grad * grad, beta)
        change = variance.clamp(min=eps1 * eps1).rsqrt_().mul_(grad)
        param.add_(change, alpha=-alpha / max(1.0, _rms(change) / group["d"]))


def _rms(tensor: Tensor) -> float:
    """The root of the mean of squares."""
    return tensor.norm(2).item() / tensor.numel() ** 0.5


def _mean_square(grad: Tensor, dim: int) -> Tensor:
    return norm(grad, dim=dim, keepdim=True).square_().div_(grad.size(dim))
