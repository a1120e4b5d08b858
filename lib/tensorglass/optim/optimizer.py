"""`Optimizer`: parameter groups, the state of each parameter, and how they are saved.

An optimizer is two tables. `param_groups` lists the parameters, with the options of each group; `state` holds what the
rule remembers for each parameter between steps, which costs memory in training. The rule is the subclass's `step`.
"""

from __future__ import annotations

import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from functools import wraps
from typing import Any

from tensorglass.ops.predicates import typename
from tensorglass.optim.hooks import (
    add_hook,
    global_post_hooks,
    global_pre_hooks,
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)
from tensorglass.tensor.hooks import RemovableHandle
from tensorglass.tensor.tensor import Tensor

__all__ = ["Optimizer", "register_optimizer_step_post_hook", "register_optimizer_step_pre_hook"]

Group = dict[str, Any]
StateDict = dict[str, Any]
ParamsT = (
    Iterable[Tensor] | Iterable[Group] | Iterable[tuple[str, Tensor]]
)  #: the type of optimizers' first argument, as PyTorch names it


class _RequiredParameter:
    """The default of an option that every group must give."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _RequiredParameter()


class Optimizer:
    """What all optimizers share.

    `params` is an iterable of tensors, of (name, tensor) pairs, or of dicts with the key ``"params"`` and options of
    their own; `defaults` has the options of groups that do not give them. Their order is that of PyTorch's state dicts,
    which for half of the optimizers is not the order of the constructor's arguments.
    """

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self._make_hooks()
        self._call_hooks_in_step()
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, "
                f"but got {typename(params)}"
            )
        self.state: defaultdict[Any, Any] = defaultdict(dict)
        self.param_groups: list[Group] = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change every parameter by its gradient; `closure`, if given, computes the loss anew and returns it."""
        raise NotImplementedError

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Reset the gradients: `grad` becomes None, or zeros if `set_to_none` is False."""
        for param in self._all_parameters():
            if param.grad is None:
                continue
            if set_to_none:
                param.grad = None
            else:
                param.grad.detach_() if param.grad.grad_fn is not None else param.grad.requires_grad_(False)
                param.grad.zero_()

    def _all_parameters(self) -> Iterator[Any]:
        return (param for group in self.param_groups for param in group["params"])

    # Groups

    def add_param_group(self, param_group: Group) -> None:
        """Add parameters with options of their own, for instance layers that are thawed while training goes on."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but "
                "the ordering of tensors in sets will change between runs. Please use a list instead."
            )
        _separate_names(param_group, [params] if isinstance(params, Tensor) else list(params))
        for param in param_group["params"]:
            self._check_param(param)
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            param_group.setdefault(name, default)
        self._check_group(param_group)
        self.param_groups.append(param_group)

    def _check_param(self, param: Any) -> None:
        if not isinstance(param, Tensor):
            raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {typename(param)}")
        if not self.defaults.get("differentiable") and not (param.is_leaf or param.retains_grad):
            raise ValueError("can't optimize a non-leaf Tensor")

    def _check_group(self, group: Group) -> None:
        params = group["params"]
        if len(params) != len(set(params)):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; "
                "in future, this will cause an error; "
                "see github.com/pytorch/pytorch/issues/40967 for more information",
                stacklevel=4,
            )
        named = "param_names" in group
        if self.param_groups and named != ("param_names" in self.param_groups[0]):
            raise ValueError(
                "all optimizer param groups should be with/without names. "
                f"cannot add param group {'with names' if named else 'without names'} to the optimizer"
            )
        if not set(params).isdisjoint(self._all_parameters()):
            raise ValueError("some parameters appear in more than one parameter group")

    # Saving and loading

    def state_dict(self) -> StateDict:
        """`state` and `param_groups`, with parameters replaced by their position: what a checkpoint holds."""
        for before in self._optimizer_state_dict_pre_hooks.values():
            before(self)
        number: dict[int, int] = {}
        groups = []
        start = 0
        for group in self.param_groups:
            for position, param in enumerate(group["params"], start):
                number.setdefault(id(param), position)
            start += len(group["params"])
            packed = {key: value for key, value in group.items() if key != "params"}
            groups.append({**packed, "params": [number[id(param)] for param in group["params"]]})
        state = {number[id(key)] if isinstance(key, Tensor) else key: value for key, value in self.state.items()}
        state_dict = {"state": state, "param_groups": groups}
        for after in self._optimizer_state_dict_post_hooks.values():
            state_dict = after(self, state_dict) or state_dict
        return state_dict

    def load_state_dict(self, state_dict: StateDict) -> None:
        """Continue from a `state_dict`: state goes to the parameters of the same positions, on their devices."""
        state_dict = state_dict.copy()
        for before in self._optimizer_load_state_dict_pre_hooks.values():
            state_dict = before(self, state_dict) or state_dict
        groups, saved_groups = self.param_groups, deepcopy(state_dict["param_groups"])
        if len(groups) != len(saved_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if [len(group["params"]) for group in groups] != [len(group["params"]) for group in saved_groups]:
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        param_of, group_of = {}, {}
        for group, saved in zip(groups, saved_groups, strict=True):
            for param, number in zip(group["params"], saved["params"], strict=True):
                param_of[number], group_of[number] = param, saved
            saved["params"] = group["params"]
            if "param_names" in group:
                saved.setdefault("param_names", group["param_names"])
        state: defaultdict[Any, Any] = defaultdict(dict)
        for number, values in state_dict["state"].items():
            if number in param_of:
                state[param_of[number]] = _fit(values, param_of[number], group_of[number])
            else:
                state[number] = values
        self.__setstate__({"state": state, "param_groups": saved_groups})
        for after in self._optimizer_load_state_dict_post_hooks.values():
            after(self)

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if "_optimizer_step_pre_hooks" not in self.__dict__:
            self._make_hooks()
        self._call_hooks_in_step()
        for group in self.param_groups:  # options that did not exist when the checkpoint was written
            for name, default in self.defaults.items():
                group.setdefault(name, default)
        self.defaults.setdefault("differentiable", False)

    def __repr__(self) -> str:
        text = f"{type(self).__name__} ("
        for number, group in enumerate(self.param_groups):
            options = "".join(f"    {key}: {group[key]}\n" for key in sorted(group) if key != "params")
            text += f"\nParameter Group {number}\n{options}"
        return text + ")"

    # Hooks

    def _make_hooks(self) -> None:
        self._optimizer_step_pre_hooks: OrderedDict[int, Any] = OrderedDict()
        self._optimizer_step_post_hooks: OrderedDict[int, Any] = OrderedDict()
        self._optimizer_state_dict_pre_hooks: OrderedDict[int, Any] = OrderedDict()
        self._optimizer_state_dict_post_hooks: OrderedDict[int, Any] = OrderedDict()
        self._optimizer_load_state_dict_pre_hooks: OrderedDict[int, Any] = OrderedDict()
        self._optimizer_load_state_dict_post_hooks: OrderedDict[int, Any] = OrderedDict()

    def _call_hooks_in_step(self) -> None:
        """Wrap the class's `step`, once: subclasses, including users' ones, only write the rule."""
        cls = type(self)
        if not hasattr(cls.step, "hooked"):
            cls.step = self.profile_hook_step(cls.step)  # type: ignore[method-assign]  # as PyTorch does

    @staticmethod
    def profile_hook_step(func: Callable[..., Any]) -> Callable[..., Any]:
        """`func`, a `step`, with the hooks before and after it."""

        @wraps(func)
        def step(self: Optimizer, *args: Any, **kwargs: Any) -> Any:
            given = (self, *args)
            for before in (*global_pre_hooks.values(), *self._optimizer_step_pre_hooks.values()):
                changed = before(self, given, kwargs)
                if changed is None:
                    continue
                if not (isinstance(changed, tuple) and len(changed) == 2):
                    raise RuntimeError(
                        f"{func} must return None or a tuple of (new_args, new_kwargs), but got {changed}."
                    )
                given, kwargs = changed
            result = func(*given, **kwargs)
            for after in (*self._optimizer_step_post_hooks.values(), *global_post_hooks.values()):
                after(self, given, kwargs)
            return result

        step.hooked = True  # type: ignore[attr-defined]  # a mark
        return step

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` before each step; it may return new (args, kwargs)."""
        return add_hook(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` after each step."""
        return add_hook(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer)`` before `state_dict` is made."""
        return add_hook(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer, state_dict)`` with what `state_dict` is about to return; it may return another."""
        return add_hook(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer, state_dict)`` before a state dict is loaded; it may return another."""
        return add_hook(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer)`` after a state dict was loaded."""
        return add_hook(self._optimizer_load_state_dict_post_hooks, hook, prepend)


def _separate_names(group: Group, params: list[Any]) -> None:
    """Put tensors into `group["params"]`, and names of (name, tensor) pairs into `group["param_names"]`."""
    names = [param[0] for param in params if isinstance(param, tuple)]
    group["params"] = [param[1] if isinstance(param, tuple) else param for param in params]
    if not names:
        return
    if len(names) != len(params):
        raise ValueError("all optimizer params should be with/without names. Some param names are missing")
    group["param_names"] = names


def _fit(value: Any, param: Tensor, group: Group, key: str | None = None) -> Any:
    """A copy of what was saved for `param`: on its device, and in its dtype if both are numbers of the same kind."""
    if isinstance(value, Tensor):
        if key == "step":  # a counter, which is on the CPU unless a kernel reads it
            if group.get("capturable") or group.get("fused"):
                return value.to(dtype=value.dtype, device=param.device)
            return value
        if param.is_floating_point():
            return value.to(dtype=param.dtype, device=param.device)
        return value.to(device=param.device)
    if isinstance(value, dict):
        return {name: _fit(item, param, group, name) for name, item in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return type(value)(_fit(item, param, group) for item in value)  # type: ignore[call-arg]  # a list
    return value
