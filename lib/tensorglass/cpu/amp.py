"""`torch.cpu.amp`: the older name of `torch.amp.autocast` for the CPU, which warns that it is deprecated."""

from __future__ import annotations

import tensorglass as torch
from tensorglass.amp import autocast_mode
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import warn

__all__ = ["autocast"]


class autocast(autocast_mode.autocast):
    """``torch.amp.autocast("cpu", …)``."""

    def __init__(self, enabled: bool = True, dtype: DType = torch.bfloat16, cache_enabled: bool = True) -> None:
        warn(
            "`torch.cpu.amp.autocast(args...)` is deprecated. Please use `torch.amp.autocast('cpu', args...)` instead.",
            FutureWarning,
        )
        super().__init__("cpu", dtype, enabled, cache_enabled)
