"""`torch.utils.hooks`: what registering a hook returns, and what becomes of hooks when a tensor is sent away."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass.errors import warn
from tensorglass.graph.hooks import RemovableHandle

__all__ = ["RemovableHandle", "unserializable_hook", "warn_if_has_hooks"]


def unserializable_hook(f: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a hook as one that need not go along when its tensor is sent to another process."""
    f.__torch_unserializable__ = True  # type: ignore[attr-defined]  # typeshed omits that functions may carry one
    return f


def warn_if_has_hooks(tensor: Any) -> None:
    """Warn of each hook on a tensor that is about to be sent, unless it is marked by `unserializable_hook`."""
    hooks = None if tensor._meta is None else tensor._meta.hooks
    for hook in (hooks or {}).values():
        if not hasattr(hook, "__torch_unserializable__"):
            warn(
                f"backward hook {hook!r} on tensor will not be serialized.  If this is expected, you can decorate the "
                "function with @torch.utils.hooks.unserializable_hook to suppress this warning"
            )
