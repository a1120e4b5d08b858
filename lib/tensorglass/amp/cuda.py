"""`torch.cuda.amp`: the older names of `torch.amp` for CUDA, which warn that they are deprecated."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import tensorglass as torch
from tensorglass.amp.autocast_mode import autocast as _autocast
from tensorglass.amp.autocast_mode import custom_bwd as _custom_bwd
from tensorglass.amp.autocast_mode import custom_fwd as _custom_fwd
from tensorglass.amp.grad_scaler import GradScaler as _GradScaler
from tensorglass.amp.grad_scaler import OptState as OptState  # where PyTorch has it
from tensorglass.backends.cupy_backend import FAMILY as CUDA
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import warn
from tensorglass.core.refusing import refusing

__path__: list[str] = []  # a package in PyTorch, whose modules have the same names
autocast_mode = grad_scaler = sys.modules[__name__]

__all__ = ["GradScaler", "amp_definitely_not_available", "autocast", "custom_bwd", "custom_fwd"]

__getattr__ = refusing("cuda.amp")


def amp_definitely_not_available() -> bool:
    """Whether there is no CUDA device."""
    return not CUDA.count()


class autocast(_autocast):
    """``torch.amp.autocast("cuda", …)``."""

    def __init__(self, enabled: bool = True, dtype: DType = torch.float16, cache_enabled: bool = True) -> None:
        _warn("autocast", "autocast('cuda', args...)")
        super().__init__("cuda", dtype, enabled, cache_enabled)


class GradScaler(_GradScaler):
    """``torch.amp.GradScaler("cuda", …)``."""

    def __init__(
        self,
        init_scale: float = 65536.0,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        _warn("GradScaler", "GradScaler('cuda', args...)")
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


def custom_fwd(fwd: Callable[..., Any] | None = None, *, cast_inputs: DType | None = None) -> Callable[..., Any]:
    """``torch.amp.custom_fwd(…, device_type="cuda")``."""
    _warn("custom_fwd", "custom_fwd(args..., device_type='cuda')")
    return _custom_fwd(fwd, device_type="cuda", cast_inputs=cast_inputs)


def custom_bwd(bwd: Callable[..., Any]) -> Callable[..., Any]:
    """``torch.amp.custom_bwd(…, device_type="cuda")``."""
    _warn("custom_bwd", "custom_bwd(args..., device_type='cuda')")
    return _custom_bwd(bwd, device_type="cuda")


def _warn(name: str, instead: str) -> None:
    warn(f"`torch.cuda.amp.{name}(args...)` is deprecated. Please use `torch.amp.{instead}` instead.", FutureWarning)
