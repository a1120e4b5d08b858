"""Optimizers whose rule is one formula, applied to each parameter by itself.

A subclass writes two methods: `new_state`, what it remembers of a parameter before the first step, and `update`, its
formula. PyTorch's options that choose between implementations (`foreach`, `fused`) are checked, and stored for
printing and for files, but choose nothing here. `differentiable` records the step itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tensorglass.core.dtypes import float32, float64, get_default_dtype
from tensorglass.ops.creation.fill import full, zeros_like
from tensorglass.ops.declare.seams import seams
from tensorglass.ops.views.shape import view_as_real
from tensorglass.optim.optimizer import Group, Optimizer
from tensorglass.tensor.grad_mode import enable_grad, recording
from tensorglass.tensor.tensor import Tensor

State = dict[str, Any]


class PerParameterOptimizer(Optimizer):
    """Calls `update` for each parameter that has a gradient."""

    #: the name of the formula in `update`, by which a shortcut finds it; set in the class that defines `update`
    _formula = ""
    _on_device = "params and state_steps"  #: the optimizer's name in PyTorch's error about `capturable`
    _devices = "['cuda', 'xpu', 'hpu', 'privateuseone', 'xla']"
    _checked: tuple[str, ...] = ()  #: the options whose ranges `check_option` knows, in the order of PyTorch's checks

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        self._check_options(defaults)
        super().__init__(params, defaults)
        if defaults.get("fused"):
            if defaults["differentiable"]:
                raise RuntimeError("`fused` does not support `differentiable`")
            if defaults["foreach"]:
                raise RuntimeError("`fused` and `foreach` cannot be `True` together.")

    def _check_options(self, options: dict[str, Any]) -> None:
        """Raise PyTorch's error for the first option that is out of range."""
        for name in self._checked:
            check_option(name, options[name])

    def new_state(self, param: Tensor, group: Group) -> State:
        """What is remembered of `param` before its first step."""
        raise NotImplementedError

    def update(self, param: Tensor, grad: Tensor, state: State, group: Group) -> None:
        """Change `param` and `state` in place. Complex tensors come as pairs of real numbers."""
        raise NotImplementedError

    #: the keys of the state, in the order of the lists of PyTorch's `_init_group`
    _lists: tuple[str, ...] = ()

    def _init_group(self, group: Group, params: list[Any], grads: list[Any], *lists: list[Any]) -> Any:
        """Gather a group's parameters that have gradients, these, and what is remembered of them: a list for each.

        Subclasses that others write call it in their `step`, and a function of `optim._functional` with the lists.
        """
        has_complex = False
        for param in group["params"]:
            if param.grad is None:
                continue
            has_complex |= param.is_complex()
            params.append(param)
            grads.append(param.grad)
            state = self.state[param]
            if not state:
                state.update(self.new_state(param, group))
            for values, key in zip(lists, self._lists, strict=True):
                if key in state:
                    values.append(state[key])
        return has_complex

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change every parameter by its gradient; `closure`, if given, computes the loss anew and returns it."""
        with recording(bool(self.defaults.get("differentiable"))):
            loss = None
            if closure is not None:
                with enable_grad():
                    loss = closure()
            for group in self.param_groups:
                for param in group["params"]:
                    if param.grad is not None:
                        self._update(param, param.grad, group)
            return loss

    def _update(self, param: Tensor, grad: Tensor, group: Group) -> None:
        state = self.state[param]
        if not state:
            state.update(self.new_state(param, group))
        if group.get("capturable") and param.device.type != "cuda":
            raise AssertionError(
                f"If capturable=True, {self._on_device} must be on supported devices: {self._devices}."
            )
        grad = -grad if group.get("maximize") else grad
        if param.is_complex():
            state = {name: as_pairs(value) for name, value in state.items()}
            param, grad = as_pairs(param), as_pairs(grad)
        self._change(param, grad, state, group)

    def _change(self, param: Tensor, grad: Tensor, state: State, group: Group) -> None:
        """`update`, by its shortcut if there is one."""
        if seams.update is None or not seams.update(self, param, grad, state, group):
            self.update(param, grad, state, group)


def as_pairs(value: Any) -> Any:
    """A complex tensor as pairs of real numbers, over the same memory; anything else as it is."""
    return view_as_real(value) if isinstance(value, Tensor) and value.is_complex() else value


def count(param: Tensor, group: Group, start: float = 0.0) -> Tensor:
    """A counter in `state`: a 0-dimensional tensor, on the CPU unless a kernel reads it."""
    dtype = float64 if get_default_dtype() == float64 else float32
    on_device = group.get("capturable") or group.get("fused")
    return full((), start, dtype=dtype, device=param.device if on_device else "cpu")


def zeros_for(param: Tensor) -> Tensor:
    """Zeros of a parameter's size, dtype and strides, without its history."""
    return zeros_like(param, requires_grad=False)


def decayed(grad: Tensor, param: Tensor, weight_decay: Any) -> Tensor:
    """The gradient of the loss plus ``weight_decay / 2 * (param ** 2).sum()``, which pulls parameters towards zero."""
    return grad.add(param, alpha=weight_decay) if weight_decay != 0 else grad


def check_option(name: str, value: Any) -> None:
    """Raise PyTorch's error if an option of this name is out of range."""
    if name == "lr":
        if isinstance(value, Tensor) and value.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        require(0.0 <= value, "learning rate", value)  # noqa: SIM300  # Python names the operands in this order
    elif name == "betas":
        for index in (0, 1):
            require(0.0 <= value[index] < 1.0, f"beta parameter at index {index}", value[index])
    elif name == "rho":
        require(0.0 <= value <= 1.0, "rho value", value)
    else:
        require(value >= 0, "epsilon value" if name == "eps" else f"{name} value", value)


def require(condition: Any, name: str, value: Any) -> None:
    """Raise PyTorch's error for an option unless it is valid."""
    if not condition:
        raise ValueError(f"Invalid {name}: {value}")
