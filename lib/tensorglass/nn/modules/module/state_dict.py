"""State dictionaries: a network's parameters and buffers by name, and how they are loaded again."""

from __future__ import annotations

import warnings
from collections import OrderedDict, namedtuple
from collections.abc import Callable, Mapping
from typing import Any

import tensorglass as torch
from tensorglass.nn.modules.module.hooks import Hook, Registry, WrappedHook, _enter
from tensorglass.nn.parameter import Parameter, is_lazy
from tensorglass.tensor.hooks import RemovableHandle

EXTRA_STATE = "_extra_state"  #: the last part of the name of what `get_extra_state` returned


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """What `load_state_dict` returns: the names that the dictionary lacks, and those that the module lacks."""

    __slots__ = ()

    def __repr__(self) -> str:
        return super().__repr__() if self.missing_keys or self.unexpected_keys else "<All keys matched successfully>"

    __str__ = __repr__


class StateDict:
    """The methods of a module that save its state to a dictionary, and load it from one."""

    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _modules: dict[str, Any]
    _non_persistent_buffers_set: set[str]
    _state_dict_hooks: Registry
    _state_dict_pre_hooks: Registry
    _load_state_dict_pre_hooks: Registry
    _load_state_dict_post_hooks: Registry
    _version: int

    def get_extra_state(self) -> Any:
        """Extra state of the module; a subclass defines it together with `set_extra_state`."""
        raise RuntimeError(_NEVER_CALLED.format("get_extra_state"))

    def set_extra_state(self, state: Any) -> None:
        """Restore what `get_extra_state` returned."""
        raise RuntimeError(_NEVER_CALLED.format("set_extra_state"))

    # --- reading ---------------------------------------------------------------------------------------------------

    def state_dict(self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> Any:
        """The parameters and persistent buffers of this module and its submodules, by names such as "0.weight".

        They share memory with the module, but are detached from any graph, unless `keep_vars`.
        """
        if args:
            warnings.warn(
                "Positional args are being deprecated, use kwargs instead. Refer to "
                "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict for details.",
                FutureWarning,
                stacklevel=2,
            )
            destination = args[0] if destination is None else destination
            prefix = args[1] if len(args) > 1 and prefix == "" else prefix
            keep_vars = args[2] if len(args) > 2 and keep_vars is False else keep_vars
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            answer = hook(self, destination, prefix, metadata)
            if answer is not None:
                if getattr(hook, "_from_public_api", False):
                    raise RuntimeError("state_dict post-hook must return None")
                destination = answer
        return destination

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        """Save the module's own tensors. A subclass may override it."""
        for name, value in (*self._parameters.items(), *self._persistent_buffers()):
            if value is not None:
                destination[prefix + name] = value if keep_vars else value.detach()
        if self._has_own("get_extra_state"):
            destination[prefix + EXTRA_STATE] = self.get_extra_state()

    def _persistent_buffers(self) -> list[tuple[str, Any]]:
        return [
            (name, buffer) for name, buffer in self._buffers.items() if name not in self._non_persistent_buffers_set
        ]

    def _has_own(self, method: str) -> bool:
        return getattr(type(self), method) is not getattr(StateDict, method)

    # --- loading ---------------------------------------------------------------------------------------------------

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False) -> Any:
        """Copy the tensors of a state dictionary into this module and its submodules; with `assign`, use the tensors
        themselves.

        Returns the names that were missing and those that were unexpected; with `strict` these are an error. Raises one
        RuntimeError that lists everything that did not fit.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        missing: list[str] = []
        unexpected: list[str] = []
        errors: list[str] = []
        metadata = getattr(state_dict, "_metadata", None)
        given: Any = OrderedDict(state_dict)  # a copy: modules may change it
        if metadata is not None:
            given._metadata = metadata

        def load(module: Any, given: Any, prefix: str) -> None:
            local = {} if metadata is None else metadata.get(prefix[:-1], {})
            if assign:
                local["assign_to_params_buffers"] = assign
            module._load_from_state_dict(given, prefix, local, True, missing, unexpected, errors)
            for name, child in module._modules.items():
                if child is not None:
                    below = f"{prefix}{name}."
                    load(child, {key: value for key, value in given.items() if key.startswith(below)}, below)
            keys = _IncompatibleKeys(missing, unexpected)
            for hook in module._load_state_dict_post_hooks.values():
                if hook(module, keys) is not None:
                    raise AssertionError(
                        "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new "
                        "values, if incompatible_keys need to be modified, it should be done inplace."
                    )

        load(self, given, "")
        if strict:
            for what, names in (("Unexpected", unexpected), ("Missing", missing)):
                if names:
                    listed = ", ".join([f'"{name}"' for name in names])
                    errors.insert(0, f"{what} key(s) in state_dict: {listed}. ")
        if errors:
            listed = "\n\t".join(errors)
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{listed}")
        return _IncompatibleKeys(missing, unexpected)

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Load the module's own tensors, and add errors to the lists. A subclass may override it."""
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        own = {
            name: tensor
            for name, tensor in (*self._parameters.items(), *self._persistent_buffers())
            if tensor is not None
        }
        for name, there in own.items():
            key = prefix + name
            if key in state_dict:
                assign = local_metadata.get("assign_to_params_buffers", False)
                error = self._load(name, key, there, state_dict[key], assign)
                if error:
                    error_msgs.append(error)
            elif strict:
                missing_keys.append(key)
        extra = prefix + EXTRA_STATE
        if self._has_own("set_extra_state"):
            if extra in state_dict:
                self.set_extra_state(state_dict[extra])
            elif strict:
                missing_keys.append(extra)
        elif strict and extra in state_dict:
            unexpected_keys.append(extra)
        if strict:
            for key in state_dict:
                if key.startswith(prefix) and key != extra:
                    name, dot, _ = key.removeprefix(prefix).partition(".")
                    if name not in (self._modules if dot else own):
                        unexpected_keys.append(key)

    def _load(self, name: str, key: str, there: Any, given: Any, assign: bool) -> str | None:
        """Load one tensor. Returns an error message if it does not fit."""
        if not torch.overrides.is_tensor_like(given):
            return (
                f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from '
                f"checkpoint but received {type(given)}"
            )
        if not is_lazy(there):
            if there.dim() == 0 and tuple(given.shape) == (1,):  # old checkpoints have 1-element vectors
                given = given[0]
            if given.shape != there.shape:
                return (
                    f"size mismatch for {key}: copying a param with shape {given.shape} from checkpoint, the shape in "
                    f"current model is {there.shape}."
                )
        if there.is_meta and not given.is_meta and not assign:
            warnings.warn(
                f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in the current "
                "model, which is a no-op. (Did you mean to pass `assign=True` to assign items in the state dictionary "
                "to their corresponding key in the module instead of copying them in place?)",
                stacklevel=2,
            )
        try:
            with torch.no_grad():
                if not assign:
                    there.copy_(given)
                    return None
                if isinstance(there, Parameter):
                    if isinstance(given, Parameter):
                        given.requires_grad_(there.requires_grad)
                    else:
                        given = Parameter(given, requires_grad=there.requires_grad)
                setattr(self, name, given)
        except Exception as error:  # after any error, the others are still loaded, and all errors are reported together
            return (
                f'While copying the parameter named "{key}", whose dimensions in the model are {there.size()} and '
                f"whose dimensions in the checkpoint are {given.size()}, an exception occurred : {error.args}."
            )
        return None

    # --- hooks -----------------------------------------------------------------------------------------------------

    def register_state_dict_pre_hook(self, hook: Hook) -> RemovableHandle:
        """Call ``hook(module, prefix, keep_vars)`` before `state_dict` reads the module."""
        return _enter(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook: Any) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, local_metadata)`` afterwards; it may change the dictionary."""
        hook._from_public_api = True
        return _enter(self._state_dict_hooks, hook)

    def _register_state_dict_hook(self, hook: Hook) -> RemovableHandle:
        """The same; a result other than None replaces the dictionary."""
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was previously registered via "
                "register_state_dict_post_hook"
            )
        return _enter(self._state_dict_hooks, hook)

    def register_load_state_dict_pre_hook(self, hook: Hook) -> RemovableHandle:
        """Call the hook with the module and all arguments of `_load_from_state_dict`, before the module is loaded."""
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def _register_load_state_dict_pre_hook(self, hook: Hook, with_module: bool = False) -> RemovableHandle:
        return _enter(self._load_state_dict_pre_hooks, WrappedHook(hook, self if with_module else None))

    def register_load_state_dict_post_hook(self, hook: Callable[[Any, Any], None]) -> RemovableHandle:
        """Call ``hook(module, incompatible_keys)`` when the module is loaded; it may change the two lists."""
        return _enter(self._load_state_dict_post_hooks, hook)


_NEVER_CALLED = (
    "Reached a code path in Module.{}() that should never be called. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."
)


def consume_prefix_in_state_dict_if_present(state_dict: dict[str, Any], prefix: str) -> None:
    """Remove a prefix such as ``module.``, which a wrapper has added, from the names of a dictionary, in place."""
    for key in list(state_dict):
        if key.startswith(prefix):
            state_dict[key[len(prefix) :]] = state_dict.pop(key)
    metadata = getattr(state_dict, "_metadata", {})
    for key in list(metadata):
        if key.startswith(prefix) or key == prefix.removesuffix("."):
            metadata[key[len(prefix) :]] = metadata.pop(key)
