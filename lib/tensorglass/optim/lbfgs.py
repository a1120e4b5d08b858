"""L-BFGS: a quasi-Newton method that remembers the last few steps.

Nocedal, "Updating Quasi-Newton Matrices with Limited Storage" (1980); Nocedal and Wright, "Numerical Optimization",
algorithms 7.4 (two-loop recursion), 3.5 and 3.6 (strong Wolfe line search).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from tensorglass.ops.rearrange.cat_stack import cat
from tensorglass.ops.views.shape import view_as_real
from tensorglass.optim.line_search import strong_wolfe
from tensorglass.optim.optimizer import Optimizer
from tensorglass.optim.per_parameter import as_pairs, check_option
from tensorglass.tensor.grad_mode import enable_grad, no_grad
from tensorglass.tensor.tensor import Tensor

#: The state that one call of `step` leaves for the next, in PyTorch's order.
_MEMORY = ("d", "t", "old_dirs", "old_stps", "ro", "H_diag", "prev_flat_grad", "prev_loss")


class LBFGS(Optimizer):
    """Newton's direction, from the changes of parameters and gradients over the last `history_size` steps.

    `step(closure)` makes up to `max_iter` steps and calls the closure, which must compute the loss anew and its
    gradient, up to `max_eval` times (default ``max_iter * 1.25``). It ends sooner when the largest gradient is at most
    `tolerance_grad`, or when steps or losses change by less than `tolerance_change`. `line_search_fn` is None (steps of
    length `lr`) or "strong_wolfe". It has one parameter group, and remembers ``2 * history_size + 3`` vectors of all
    parameters.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        check_option("lr", lr)
        defaults = {
            "lr": lr,
            "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": history_size,
            "line_search_fn": line_search_fn,
        }
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params: list[Any] = self.param_groups[0]["params"]
        self._numel_cache: int | None = None

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._params, self._numel_cache = self.param_groups[0]["params"], None

    def _numel(self) -> int:
        """How long the vector of all parameters is."""
        if self._numel_cache is None:
            self._numel_cache = sum(as_pairs(param).numel() for param in self._params)
        return self._numel_cache

    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]  # it must be given
        """Make up to `max_iter` steps; the loss before the first of them."""
        with no_grad():
            return self._minimize(enable_grad()(closure))

    def _minimize(self, closure: Callable[[], Any]) -> Any:
        group = self.param_groups[0]
        line_search, tolerance = group["line_search_fn"], group["tolerance_change"]
        state = self.state[group["params"][0]]  # the whole state is kept on the first parameter, as in PyTorch's files
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        memory = {name: state.get(name) for name in _MEMORY}
        first_loss = closure()
        loss, evaluations = float(first_loss), 1
        state["func_evals"] += 1
        grad = self._gather_flat_grad()
        if grad.abs().max() <= group["tolerance_grad"]:
            return first_loss

        for iteration in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            direction = memory["d"] = self._direction(grad, state, memory, group["history_size"])
            if memory["prev_flat_grad"] is None:
                memory["prev_flat_grad"] = grad.clone()
            else:
                memory["prev_flat_grad"].copy_(grad)
            loss_before = memory["prev_loss"] = loss
            length = group["lr"]
            if state["n_iter"] == 1:
                length = min(1.0, 1.0 / grad.abs().sum()) * length
            slope = grad.dot(direction)
            memory["t"] = length
            if slope > -tolerance:
                break
            tried = 0
            if line_search is None:
                self._add_grad(length, direction)
                if iteration != group["max_iter"]:  # the loss after the last step is not needed
                    loss, grad, tried = float(closure()), self._gather_flat_grad(), 1
            elif line_search == "strong_wolfe":
                here = self._clone_param()
                loss, grad, length, tried = strong_wolfe(
                    partial(self._directional_evaluate, closure, here, d=direction),
                    length,
                    direction,
                    loss,
                    grad,
                    slope,
                    max_evaluations=group["max_eval"] - evaluations,
                )
                self._add_grad(length, direction)
                memory["t"] = length
            else:
                raise RuntimeError("only 'strong_wolfe' is supported")
            evaluations += tried
            state["func_evals"] += tried
            if (
                evaluations >= group["max_eval"]
                or (tried and grad.abs().max() <= group["tolerance_grad"])
                or (direction * length).abs().max() <= tolerance
                or abs(loss - loss_before) < tolerance
            ):
                break
        state.update(memory)
        return first_loss

    def _direction(self, grad: Tensor, state: dict[str, Any], memory: dict[str, Any], history_size: int) -> Tensor:
        """Minus the gradient, times an approximate inverse Hessian that is never formed."""
        if state["n_iter"] == 1:
            memory.update(old_dirs=[], old_stps=[], ro=[], H_diag=1)
            return grad.neg()
        changes, steps, ro = memory["old_dirs"], memory["old_stps"], memory["ro"]  # of the gradient; of the parameters
        change, step = grad - memory["prev_flat_grad"], memory["d"] * memory["t"]
        curvature = change.dot(step)
        if curvature > 1e-10:
            if len(changes) == history_size:
                for history in (changes, steps, ro):
                    history.pop(0)
            changes.append(change)
            steps.append(step)
            ro.append(1.0 / curvature)
            memory["H_diag"] = curvature / change.dot(change)
        direction = grad.neg()
        along = state.setdefault("al", [None] * history_size)
        for i in reversed(range(len(changes))):
            along[i] = steps[i].dot(direction) * ro[i]
            direction.add_(changes[i], alpha=-along[i])
        direction = direction * memory["H_diag"]
        for i in range(len(changes)):
            direction.add_(steps[i], alpha=along[i] - changes[i].dot(direction) * ro[i])
        return direction

    def _clone_param(self) -> list[Tensor]:
        return [param.clone() for param in self._params]

    def _set_param(self, params_data: Iterable[Tensor]) -> None:
        for param, value in zip(self._params, params_data, strict=True):
            param.copy_(value)

    def _directional_evaluate(
        self, closure: Callable[[], Any], x: list[Tensor], t: Any, d: Tensor
    ) -> tuple[float, Tensor]:
        """Loss and gradient a step ``t * d`` away from `x`; the parameters are set to `x` afterwards."""
        self._add_grad(t, d)
        loss, grad = float(closure()), self._gather_flat_grad()
        self._set_param(x)
        return loss, grad

    def _gather_flat_grad(self) -> Tensor:
        """All gradients as one vector, complex numbers as pairs."""
        parts = []
        for param in self._params:
            grad = param.new_zeros(param.numel()) if param.grad is None else param.grad.reshape(-1)
            parts.append(view_as_real(grad).view(-1) if grad.is_complex() else grad)
        return cat(parts, 0)

    def _add_grad(self, step_size: Any, update: Any) -> None:
        """Add ``step_size * update``, a vector of all parameters, to the parameters."""
        start = 0
        for param in self._params:
            param = as_pairs(param)
            param.add_(update[start : start + param.numel()].view_as(param), alpha=step_size)
            start += param.numel()
