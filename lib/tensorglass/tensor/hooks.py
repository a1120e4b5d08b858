"""Hooks: the user's functions that are called with gradients, in the order of their registration."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from typing import Any

from tensorglass.core.contexts import Context
from tensorglass.core.errors import warn

Hooks = dict[int, Callable[..., Any]]

_numbers = itertools.count()


class _Registry(dict[int, Callable[..., Any]]):
    """Hooks by number. A subclass of dict, so that handles can hold weak references to it."""

    __slots__ = ("__weakref__",)


class RemovableHandle(Context):
    """What registering a hook returns: `remove()` takes the hook away again; as a context, at its end."""

    __module__ = "tensorglass.utils.hooks"  # where users find it

    def __init__(self, hooks_dict: dict[int, Any], *, extra_dict: Any = None) -> None:
        """A handle for a hook in `hooks_dict`; `extra_dict` is one dictionary or a list of them with options of that
        hook.
        """
        self.id = next(_numbers)
        also = extra_dict if isinstance(extra_dict, list) else [] if extra_dict is None else [extra_dict]
        self._registries = [weakref.ref(registry) for registry in (hooks_dict, *also)]

    def remove(self) -> None:
        """Take the hook away; nothing happens if it is gone."""
        for reference in self._registries:
            registry = reference()
            if registry is not None:
                registry.pop(self.id, None)

    def __getstate__(self) -> tuple[int, list[dict[int, Any] | None]]:
        """What is copied or pickled with a module's hooks: the number and the dictionaries."""
        return self.id, [reference() for reference in self._registries]

    def __setstate__(self, state: tuple[int, list[dict[int, Any] | None]]) -> None:
        self.id, registries = state
        self._registries = [weakref.ref(registry) for registry in registries if registry is not None]

    def begin(self, _: None) -> RemovableHandle:
        return self

    def end(self, _: None) -> None:
        self.remove()


def register(registry: Hooks | None, hook: Callable[..., Any], *, first: bool = False) -> tuple[Hooks, RemovableHandle]:
    """Add a hook to `registry`, which is made if there is none."""
    if not isinstance(registry, _Registry):
        registry = _Registry()
    handle = RemovableHandle(registry)
    if first:
        others = dict(registry)
        registry.clear()
        registry[handle.id] = hook
        registry.update(others)
    else:
        registry[handle.id] = hook
    return registry, handle


def warn_if_has_hooks(tensor: Any) -> None:
    """Warn of each hook on a tensor about to be sent to another process, unless marked by `unserializable_hook`."""
    hooks = None if tensor._meta is None else tensor._meta.hooks
    for hook in (hooks or {}).values():
        if not hasattr(hook, "__torch_unserializable__"):
            warn(
                f"backward hook {hook!r} on tensor will not be serialized.  If this is expected, you can decorate the "
                "function with @torch.utils.hooks.unserializable_hook to suppress this warning"
            )
