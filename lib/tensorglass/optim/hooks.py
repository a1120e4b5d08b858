"""Hooks of optimizers: those of one optimizer, and those of all."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from tensorglass.tensor.hooks import RemovableHandle

global_pre_hooks: OrderedDict[int, Callable[..., Any]] = OrderedDict()
global_post_hooks: OrderedDict[int, Callable[..., Any]] = OrderedDict()


def add_hook(hooks: OrderedDict[int, Any], hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
    """Add `hook` behind the others, or before them; the handle takes it away again."""
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(optimizer, args, kwargs)`` before every step of every optimizer."""
    return add_hook(global_pre_hooks, hook)


def register_optimizer_step_post_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(optimizer, args, kwargs)`` after every step of every optimizer."""
    return add_hook(global_post_hooks, hook)
