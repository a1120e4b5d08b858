"""`SparseAdam`, which needs sparse gradients and says so."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tensorglass.optim.optimizer import Optimizer
from tensorglass.optim.per_parameter import check_option, require
from tensorglass.tensor.tensor import Tensor


class SparseAdam(Optimizer):
    """PyTorch's Adam for sparse gradients. Sparse tensors are out of scope here: `step` refuses dense gradients, as
    PyTorch does, and `Adam` is what to use."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        check_option("lr", lr)
        require(lr > 0, "learning rate", lr)
        require(eps > 0, "epsilon value", eps)
        check_option("betas", betas)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})

    def step(self, closure: Any = None) -> Any:
        """Refuse dense gradients, the only ones there are."""
        for param in self._all_parameters():
            if param.grad is not None:
                raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")
        return None if closure is None else closure()
