"""``torch._vmap_internals``: an older name of `func.vmap`, which libraries of derivatives import."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass.core.errors import warn
from tensorglass.func import vmap as _newer

__all__ = ["_vmap", "vmap"]


def vmap(func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0) -> Callable[..., Any]:
    """Deprecated: `torch.vmap`."""
    warn("Please use `torch.vmap` instead of `torch._vmap_internals.vmap`.", FutureWarning)
    return _vmap(func, in_dims, out_dims)


def _vmap(func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0) -> Callable[..., Any]:
    """`torch.vmap`, without the warning."""
    return _newer(func, in_dims, out_dims)
