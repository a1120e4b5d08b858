"""cuDNN's switches, which programs set: ``torch.backends.cudnn.benchmark = True``. This library does not call cuDNN."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from typing import Any

from tensorglass.core.contexts import setting

enabled = True  #: whether cuDNN may be used
benchmark = False  #: whether it may benchmark algorithms to find the fastest
benchmark_limit: int | None = None  #: how many it would try
deterministic = False  #: whether it must choose deterministic algorithms
allow_tf32 = True  #: whether it may round to TF32


def is_available() -> bool:
    """False: there is no cuDNN here.

    >>> torch.backends.cudnn.is_available()
    False
    """
    return False


def version() -> int | None:
    """The version of cuDNN: None, since it is not used here."""
    return None


def is_acceptable(tensor: Any) -> bool:
    """Whether cuDNN accepts a tensor: never."""
    return False


def flags(
    enabled: bool = False,
    benchmark: bool = False,
    benchmark_limit: int | None = 10,
    deterministic: bool = False,
    allow_tf32: bool = True,
) -> AbstractContextManager[None]:
    """Set the switches within a ``with`` block."""
    return setting(
        sys.modules[__name__], enabled=enabled, benchmark=benchmark, benchmark_limit=benchmark_limit,
        deterministic=deterministic, allow_tf32=allow_tf32,
    )  # fmt: skip
