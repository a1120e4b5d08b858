"""Hooks of modules: functions that run before or after `forward`, with gradients, or when something is registered.

Hooks of one module are in its dictionaries, global hooks in the dictionaries here. A call of a module runs
`call_with_hooks` if there are any hooks.
"""

from __future__ import annotations

import functools
import warnings
import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorglass.core.errors import warn
from tensorglass.nn.modules.module.backward_hooks import BackwardHook, warn_of_missing_gradients
from tensorglass.tensor.hooks import RemovableHandle
from tensorglass.tensor.tensor import Tensor

if TYPE_CHECKING:
    from tensorglass.nn.modules.module import Module

Hook = Callable[..., Any]
Registry = OrderedDict[int, Any]


class _Global:
    """The hooks of all modules."""

    def __init__(self) -> None:
        self.forward_pre: Registry = OrderedDict()
        self.forward: Registry = OrderedDict()
        self.forward_with_kwargs: Registry = OrderedDict()
        self.forward_always_called: Registry = OrderedDict()
        self.backward_pre: Registry = OrderedDict()
        self.backward: Registry = OrderedDict()
        self.is_full_backward: bool | None = None
        self.on_buffer: Registry = OrderedDict()
        self.on_module: Registry = OrderedDict()
        self.on_parameter: Registry = OrderedDict()


of_all = _Global()
_TWO_KINDS, _TWO_KINDS_ON_ONE = [
    f"Cannot use both regular backward hooks and full backward hooks {where}. Please use only one of them."
    for where in ("as a global Module hook", "on a single Module")
]


def _enter(registry: Registry, hook: Hook, prepend: bool = False, **also: Any) -> RemovableHandle:
    handle = RemovableHandle(registry, **also)
    registry[handle.id] = hook
    if prepend:
        registry.move_to_end(handle.id, last=False)
    return handle


def has_hooks(module: Module) -> bool:
    """Whether a call of the module runs hooks."""
    own = module._backward_hooks or module._backward_pre_hooks or module._forward_hooks or module._forward_pre_hooks
    return bool(own or of_all.backward_pre or of_all.backward or of_all.forward or of_all.forward_pre)


# --- of all modules ----------------------------------------------------------------------------------------------


def register_module_buffer_registration_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, name, buffer)`` whenever a buffer is registered; its result replaces the buffer."""
    return _enter(of_all.on_buffer, hook)


def register_module_module_registration_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, name, submodule)`` whenever a module is registered; its result replaces the module."""
    return _enter(of_all.on_module, hook)


def register_module_parameter_registration_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, name, param)`` whenever a parameter is registered; its result replaces the parameter."""
    return _enter(of_all.on_parameter, hook)


def register_module_forward_pre_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, args)`` before every `forward`, ahead of the module's own hooks."""
    return _enter(of_all.forward_pre, hook)


def register_module_forward_hook(
    hook: Hook, *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Call ``hook(module, args, output)`` after every `forward`, ahead of the module's own hooks."""
    handle = _enter(of_all.forward, hook, extra_dict=of_all.forward_always_called)
    if with_kwargs:
        of_all.forward_with_kwargs[handle.id] = True
    if always_call:
        of_all.forward_always_called[handle.id] = True
    return handle


def register_module_full_backward_pre_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, grad_output)`` before gradients flow through a module."""
    return _enter(of_all.backward_pre, hook)


def register_module_backward_hook(hook: Hook) -> RemovableHandle:
    """Deprecated in PyTorch: use `register_module_full_backward_hook`."""
    if of_all.is_full_backward is True:
        raise RuntimeError(_TWO_KINDS)
    of_all.is_full_backward = False
    return _enter(of_all.backward, hook)


def register_module_full_backward_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, grad_input, grad_output)`` when gradients have flowed through a module."""
    if of_all.is_full_backward is False:
        raise RuntimeError(_TWO_KINDS)
    of_all.is_full_backward = True
    return _enter(of_all.backward, hook)


# --- of one module -----------------------------------------------------------------------------------------------


class WrappedHook:
    """A hook that is called with the module that it was registered on, which it does not keep alive."""

    def __init__(self, hook: Hook, module: Any = None) -> None:
        self.hook = hook
        functools.update_wrapper(self, hook)
        self.with_module = module is not None
        self._module = weakref.ref(module) if module is not None else None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._module is None:
            return self.hook(*args, **kwargs)
        module = self._module()
        if module is None:
            raise RuntimeError("You are trying to call the hook of a dead Module!")
        return self.hook(module, *args, **kwargs)

    def __getstate__(self) -> dict[str, Any]:
        module = self._module() if self._module is not None else None
        return {"hook": self.hook, "with_module": self.with_module, "module": module}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.hook, self.with_module, module = state["hook"], state["with_module"], state["module"]
        if self.with_module and module is None:
            raise RuntimeError("You are trying to revive the hook of a dead Module!")
        self._module = weakref.ref(module) if self.with_module else None


class HookRegistration:
    """The methods of a module that register hooks. Each returns a handle, whose `remove()` removes the hook."""

    _forward_pre_hooks: Registry
    _forward_pre_hooks_with_kwargs: Registry
    _forward_hooks: Registry
    _forward_hooks_with_kwargs: Registry
    _forward_hooks_always_called: Registry
    _backward_pre_hooks: Registry
    _backward_hooks: Registry
    _is_full_backward_hook: bool | None

    def register_forward_pre_hook(
        self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args)`` before `forward`, or ``hook(module, args, kwargs)`` if `with_kwargs`.

        Its result replaces the arguments: a tuple of them, a single one, or both if `with_kwargs`.
        """
        handle = _enter(self._forward_pre_hooks, hook, prepend, extra_dict=self._forward_pre_hooks_with_kwargs)
        if with_kwargs:
            self._forward_pre_hooks_with_kwargs[handle.id] = True
        return handle

    def register_forward_hook(
        self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args, output)`` after `forward`, or ``hook(module, args, kwargs, output)``.

        Its result replaces the output. With `always_call` it runs after an error as well.
        """
        also = [self._forward_hooks_with_kwargs, self._forward_hooks_always_called]
        handle = _enter(self._forward_hooks, hook, prepend, extra_dict=also)
        if with_kwargs:
            self._forward_hooks_with_kwargs[handle.id] = True
        if always_call:
            self._forward_hooks_always_called[handle.id] = True
        return handle

    def register_full_backward_pre_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_output)`` when gradients arrive; its result replaces them."""
        return _enter(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_input, grad_output)`` when gradients have flowed through the module.

        Its result replaces `grad_input`.
        """
        if self._is_full_backward_hook is False:
            raise RuntimeError(_TWO_KINDS_ON_ONE)
        self._is_full_backward_hook = True
        return _enter(self._backward_hooks, hook, prepend)

    def register_backward_hook(self, hook: Hook) -> RemovableHandle:
        """Deprecated in PyTorch: use `register_full_backward_hook`."""
        if self._is_full_backward_hook is True:
            raise RuntimeError(_TWO_KINDS_ON_ONE)
        self._is_full_backward_hook = False
        return _enter(self._backward_hooks, hook)

    def _get_backward_hooks(self) -> tuple[list[Hook], list[Hook]]:
        """The full backward hooks and the old ones; global hooks come first."""
        full: list[Hook] = []
        others: list[Hook] = []
        for is_full, hooks in (
            (of_all.is_full_backward, of_all.backward),
            (self._is_full_backward_hook, self._backward_hooks),
        ):
            if is_full is not None:
                (full if is_full else others).extend(hooks.values())
        return full, others

    def _get_backward_pre_hooks(self) -> list[Hook]:
        """The hooks that are called before the backward pass; global hooks come first."""
        return [*of_all.backward_pre.values(), *self._backward_pre_hooks.values()]


# --- a call with hooks -------------------------------------------------------------------------------------------


class _Call:
    """One call of a module: its arguments, which hooks may change, and its result."""

    def __init__(self, module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.module, self.args, self.kwargs = module, args, kwargs
        self.result: Any = None
        self.called: set[int] = set()  #: the `always_call` hooks that have run

    def run(self) -> Any:
        module = self.module
        full_backward, other_backward = module._get_backward_hooks()
        backward_pre = module._get_backward_pre_hooks()
        self._before()
        backward = BackwardHook(module, full_backward, backward_pre) if full_backward or backward_pre else None
        if backward is not None:
            self.args = backward.setup_input_hook(self.args)
        self.result = module.forward(*self.args, **self.kwargs)
        self._after()
        if backward is not None:
            if not isinstance(self.result, (Tensor, tuple)):
                warn(
                    "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but "
                    f"received {type(self.result)}"
                )
            self.result = backward.setup_output_hook(self.result)
        if other_backward:
            self._hook_last_node(other_backward)
        return self.result

    def _before(self) -> None:
        module = self.module
        for number, hook in (*of_all.forward_pre.items(), *module._forward_pre_hooks.items()):
            if number in module._forward_pre_hooks_with_kwargs:
                answer = hook(module, self.args, self.kwargs)
                if answer is None:
                    continue
                if not (isinstance(answer, tuple) and len(answer) == 2):
                    raise RuntimeError(
                        f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {answer}."
                    )
                self.args, self.kwargs = answer
            else:
                answer = hook(module, self.args)
                if answer is not None:
                    self.args = answer if isinstance(answer, tuple) else (answer,)

    def _after(self) -> None:
        module = self.module
        for number, hook in (*of_all.forward.items(), *module._forward_hooks.items()):
            if number in module._forward_hooks_always_called or number in of_all.forward_always_called:
                self.called.add(number)
            self._call_after(number, hook)

    def _call_after(self, number: int, hook: Hook) -> None:
        module = self.module
        if number in module._forward_hooks_with_kwargs or number in of_all.forward_with_kwargs:
            answer = hook(module, self.args, self.kwargs, self.result)
        else:
            answer = hook(module, self.args, self.result)
        if answer is not None:
            self.result = answer

    def _hook_last_node(self, hooks: list[Hook]) -> None:
        """Register the old backward hooks on the node that made the result."""
        first = self.result
        while not isinstance(first, Tensor):
            first = next(v for v in first.values() if isinstance(v, Tensor)) if isinstance(first, dict) else first[0]
        node = first.grad_fn
        if node is not None:
            for hook in hooks:
                node.register_hook(WrappedHook(hook, self.module))
            warn_of_missing_gradients(self.args, self.result, node)

    def after_error(self) -> None:
        """Run the `always_call` hooks after an error; errors in these hooks become warnings."""
        module = self.module
        for whose, hooks, always in (
            ("global module", of_all.forward, of_all.forward_always_called),
            ("module", module._forward_hooks, module._forward_hooks_always_called),
        ):
            for number, hook in hooks.items():
                if number in always and number not in self.called:
                    try:
                        self._call_after(number, hook)
                    except Exception as error:
                        warnings.warn(
                            f"{whose} forward hook with ``always_call=True`` raised an exception that was silenced as "
                            f"another error was raised in forward: {error!s}",
                            stacklevel=2,
                        )


def call_with_hooks(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run `forward` with the global hooks and this module's hooks before and after it."""
    call = _Call(module, args, kwargs)
    try:
        return call.run()
    except Exception:
        call.after_error()
        raise
