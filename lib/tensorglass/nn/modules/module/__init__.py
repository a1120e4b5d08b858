"""`Module`: the base class of every layer and every network.

A module is a function that keeps tensors. Assigned attributes are sorted: parameters, buffers and modules go to
separate dictionaries, so that a network is a tree that can be walked. `forward` is what it computes.

    class Line(Module):
        def __init__(self):
            super().__init__()
            self.slope = Parameter(torch.ones(()))
            self.start = Parameter(torch.zeros(()))

        def forward(self, x):
            return self.slope * x + self.start

This file has only these basics. The other methods are in separate files: walking the tree (`tree`), hooks (`hooks`),
state dictionaries (`state_dict`), conversions to other dtypes and devices (`conversions`).
"""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Self

import tensorglass as torch
from tensorglass.nn.modules.module.conversions import Conversions
from tensorglass.nn.modules.module.hooks import (
    HookRegistration,
    call_with_hooks,
    of_all,
    register_module_backward_hook,
    register_module_buffer_registration_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)
from tensorglass.nn.modules.module.inherited import rename_methods
from tensorglass.nn.modules.module.state_dict import StateDict
from tensorglass.nn.modules.module.tree import Tree
from tensorglass.nn.parameter import Buffer, Parameter
from tensorglass.tensor.tensor import Tensor

__all__ = [
    "Module",
    "register_module_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]


def _forward_unimplemented(self: Module, *input: Any) -> None:
    """What the module computes. Call the module itself instead, so that its hooks run as well."""
    raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')


class Module(Tree, HookRegistration, StateDict, Conversions):
    """The base class of all layers and networks: derive from it, call ``super().__init__()``, and define `forward`."""

    training: bool  #: whether it is in training, where some modules behave differently than in evaluation
    call_super_init = False  #: whether ``__init__`` passes its arguments on to the next class
    dump_patches = False
    _compiled_call_impl = None  # programs test this to see whether `compile` was called
    _version = 1  #: the version in the state dictionary's metadata

    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]
    _non_persistent_buffers_set: set[str]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not self.call_super_init:
            name = type(self).__name__
            if kwargs:
                raise TypeError(f"{name}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'")
            if args:
                raise TypeError(f"{name}.__init__() takes 1 positional argument but {len(args) + 1} were given")
        fields = self.__dict__  # bypasses `__setattr__`, which sorts attributes
        fields["training"] = True
        for name in ("_parameters", "_buffers", "_modules"):
            fields[name] = {}
        fields["_non_persistent_buffers_set"] = set()
        fields["_is_full_backward_hook"] = None
        for name in _HOOKS:
            fields[name] = OrderedDict()
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    forward: Callable[..., Any] = _forward_unimplemented  # subclasses override it with their own arguments

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if (
            self._backward_hooks or self._backward_pre_hooks or self._forward_hooks or self._forward_pre_hooks
            or of_all.backward_pre or of_all.backward or of_all.forward or of_all.forward_pre
        ):  # fmt: skip
            return call_with_hooks(self, args, kwargs)
        return self.forward(*args, **kwargs)

    _call_impl = _wrapped_call_impl = __call__

    def _slow_forward(self, *input: Any, **kwargs: Any) -> Any:
        """`forward`: nothing is traced here."""
        return self.forward(*input, **kwargs)

    # --- what is kept ----------------------------------------------------------------------------------------------

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Register a parameter under this name; None registers the name without a parameter."""
        self._check_name(name, "parameter", self.__dict__.get("_parameters"))
        if param is not None:
            if not isinstance(param, Parameter):
                raise TypeError(
                    f"cannot assign '{torch.typename(param)}' object to parameter '{name}' "
                    "(torch.nn.Parameter or None required)"
                )
            if param.grad_fn is not None:
                raise ValueError(
                    f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created "
                    f"explicitly. To express '{name}' as a function of another Tensor, compute the value in the "
                    "forward() method."
                )
            for hook in of_all.on_parameter.values():
                param = _or(hook(self, name, param), param)
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Register a tensor that is part of the state but not learned; the state dictionary has it if `persistent`."""
        self._check_name(name, "buffer", self.__dict__.get("_buffers"))
        if tensor is not None and not torch.overrides.is_tensor_like(tensor):
            raise TypeError(
                f"cannot assign '{torch.typename(tensor)}' object to buffer '{name}' (torch Tensor or None required)"
            )
        for hook in of_all.on_buffer.values():
            tensor = _or(hook(self, name, tensor), tensor)
        self._buffers[name] = tensor
        (self._non_persistent_buffers_set.discard if persistent else self._non_persistent_buffers_set.add)(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Register a module under this name."""
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{torch.typename(module)} is not a Module subclass")
        self._check_name(name, "module", self._modules)
        self._modules[name] = _hooked(self, name, module)

    register_module = add_module

    def _check_name(self, name: Any, what: str, there: dict[str, Any] | None) -> None:
        if there is None:
            raise AttributeError(f"cannot assign {what} before Module.__init__() call")
        if not isinstance(name, str):
            raise TypeError(f"{what} name should be a string. Got {torch.typename(name)}")
        is_module = what == "module"
        if is_module and hasattr(self, name) and name not in there:
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            raise KeyError(f'{what} name can\'t contain "."' + (f", got: {name}" if is_module else ""))
        if name == "":
            raise KeyError(f'{what} name can\'t be empty string ""')
        if hasattr(self, name) and name not in there:
            raise KeyError(f"attribute '{name}' already exists")

    # --- attributes ------------------------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        """Look up a parameter, a buffer or a module, which are not plain attributes."""
        fields = self.__dict__
        if "_parameters" in fields:
            parameters = fields["_parameters"]
            if name in parameters:
                return parameters[name]
        if "_buffers" in fields:
            parameters = fields["_buffers"]
            if name in parameters:
                return parameters[name]
        if "_modules" in fields:
            parameters = fields["_modules"]
            if name in parameters:
                return parameters[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)

    def __setattr__(self, name: str, value: Any) -> None:
        """Sort what is assigned: parameters, modules and buffers go to their dictionaries."""
        fields = self.__dict__
        parameters, modules, buffers = fields.get("_parameters"), fields.get("_modules"), fields.get("_buffers")
        if isinstance(value, Parameter):
            if parameters is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._forget(name, fields, buffers, modules)
            self.register_parameter(name, value)
        elif parameters is not None and name in parameters:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{torch.typename(value)}' as parameter '{name}' "
                    "(torch.nn.Parameter or None expected)"
                )
            self.register_parameter(name, None)
        elif isinstance(value, Module):
            if modules is None:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self._forget(name, fields, parameters, buffers)
            modules[name] = _hooked(self, name, value)
        elif modules is not None and name in modules:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{torch.typename(value)}' as child module '{name}' "
                    "(torch.nn.Module or None expected)"
                )
            modules[name] = _hooked(self, name, None)
        elif isinstance(value, Buffer) or (buffers is not None and name in buffers):
            self._assign_buffer(name, value)
        else:
            object.__setattr__(self, name, value)

    def _forget(self, name: str, *places: Any) -> None:
        for place in places:
            place.pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def _assign_buffer(self, name: str, value: Any) -> None:
        if value is not None and not torch.overrides.is_tensor_like(value):
            raise TypeError(
                f"cannot assign '{torch.typename(value)}' as buffer '{name}' "
                "(torch.nn.Buffer, torch.Tensor or None expected)"
            )
        marked = isinstance(value, Buffer)
        persistent = value.persistent if marked else name not in self._non_persistent_buffers_set
        if "persistent" in inspect.signature(self.register_buffer).parameters:
            self.register_buffer(name, value, persistent)
        elif not persistent:
            raise RuntimeError(
                "Registering a non-persistent buffer on a Module subclass that implements register_buffer() without "
                "the persistent argument is not allowed."
            )
        else:
            self.register_buffer(name, value)

    def __delattr__(self, name: str) -> None:
        for place in (self._parameters, self._buffers, self._modules):
            if name in place:
                del place[name]
                self._non_persistent_buffers_set.discard(name)
                return
        object.__delattr__(self, name)

    # --- learning --------------------------------------------------------------------------------------------------

    def train(self, mode: bool = True) -> Self:
        """Put the module and its submodules into training mode, or, if `mode` is False, into evaluation mode."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """Put the module into evaluation mode: ``train(False)``."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set whether autograd records operations on the parameters."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Set the gradients of all parameters to None, or to zeros."""
        for parameter in self.parameters():
            gradient = parameter.grad
            if gradient is None:
                continue
            if set_to_none:
                parameter.grad = None
            else:
                if gradient.grad_fn is not None:
                    gradient.detach_()
                else:
                    gradient.requires_grad_(False)
                gradient.zero_()

    # --- as text, and in a pickle ------------------------------------------------------------------------------------

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """The module's own part of its printed form; a subclass defines it."""
        return ""

    def __repr__(self) -> str:
        own = self.extra_repr()
        lines = own.split("\n") if own else []
        children = [f"({name}): {indented(repr(module))}" for name, module in self._modules.items()]
        if len(lines) == 1 and not children:
            return f"{self._get_name()}({own})"
        inner = "".join([f"\n  {line}" for line in (*lines, *children)])
        return f"{self._get_name()}({inner}\n)" if inner else f"{self._get_name()}()"

    def __dir__(self) -> list[str]:
        names = [*dir(type(self)), *self.__dict__, *self._parameters, *self._modules, *self._buffers]
        return sorted([name for name in names if not name[0].isdigit()])

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__.copy()

    def __setstate__(self, state: dict[str, Any]) -> None:
        fields = self.__dict__
        fields.update(state)
        fields.setdefault("_non_persistent_buffers_set", set())  # missing in old pickles
        fields.setdefault("_is_full_backward_hook", None)
        for name in _HOOKS:
            fields.setdefault(name, OrderedDict())

    def _replicate_for_data_parallel(self) -> Self:
        """A shallow copy of the module, whose parameters the caller replaces."""
        replica = object.__new__(type(self))
        replica.__dict__.update(self.__dict__)
        replica.__dict__.update(
            _parameters={}, _buffers=self._buffers.copy(), _modules=self._modules.copy(), _is_replica=True
        )
        return replica

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Check the arguments, which are those of `torch.compile`. The module runs as it is written."""
        torch.compile(self, *args, **kwargs)


for part in (Tree, HookRegistration, StateDict, Conversions):
    rename_methods(part, whose=Module)

#: The dictionaries of a module's hooks.
_HOOKS = (
    "_backward_pre_hooks", "_backward_hooks", "_forward_hooks", "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called", "_forward_pre_hooks", "_forward_pre_hooks_with_kwargs", "_state_dict_hooks",
    "_state_dict_pre_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks",
)  # fmt: skip


def _or(answer: Any, value: Any) -> Any:
    return value if answer is None else answer


def _hooked(module: Module, name: str, child: Module | None) -> Module | None:
    """The module to register: `child`, or what registration hooks return instead."""
    for hook in of_all.on_module.values():
        child = _or(hook(module, name, child), child)
    return child


def indented(text: str, columns: int = 2) -> str:
    """`text` with its lines after the first so many columns further right; empty lines stay empty."""
    first, *others = text.split("\n")
    return "\n".join([first, *[" " * columns + line if line.strip() else "" for line in others]])


_addindent = indented  # PyTorch's name, which layers with a printed form of their own import
