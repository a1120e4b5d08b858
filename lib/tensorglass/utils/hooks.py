"""`torch.utils.hooks`: what registering a hook returns, and what happens to hooks when a tensor is sent to a
process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass.tensor.hooks import RemovableHandle, warn_if_has_hooks

__all__ = ["RemovableHandle", "unserializable_hook", "warn_if_has_hooks"]


def unserializable_hook(f: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a hook that may be dropped when its tensor is sent to another process."""
    f.__torch_unserializable__ = True  # type: ignore[attr-defined]  # typeshed omits that functions may carry one
    return f
