"""cuDNN's switches, which PyTorch's programs set: ``torch.backends.cudnn.benchmark = True``. It is not called here."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from tensorglass.backends.switches import Switch

benchmark_limit: int | None = None  #: how many algorithms PyTorch would try


class _Cudnn(ModuleType):
    enabled = Switch(True, "set_enabled_cudnn")  #: whether cuDNN may be used
    benchmark = Switch(False, "set_benchmark_cudnn")  #: whether it may try algorithms to find the fastest
    deterministic = Switch(False, "set_deterministic_cudnn")  #: whether it must choose those that repeat themselves
    allow_tf32 = Switch(True, "set_allow_tf32_cublas")  #: whether it may round to TF32; the name in errors is PyTorch's


_this = sys.modules[__name__]
_this.__class__ = _Cudnn


def is_available() -> bool:
    """False: there is no cuDNN here.

    >>> torch.backends.cudnn.is_available()
    False
    """
    return False


def version() -> int | None:
    """The version of cuDNN: None, for there is none here."""
    return None


def is_acceptable(tensor: Any) -> bool:
    """Whether cuDNN could compute with a tensor: never."""
    return False


@contextmanager
def flags(
    enabled: bool = False,
    benchmark: bool = False,
    benchmark_limit: int | None = 10,
    deterministic: bool = False,
    allow_tf32: bool = True,
) -> Iterator[None]:
    """Set the switches within a ``with`` block."""
    wanted = {"enabled": enabled, "benchmark": benchmark, "deterministic": deterministic, "allow_tf32": allow_tf32}
    before = {name: getattr(_this, name) for name in wanted}
    try:
        for name, value in wanted.items():
            setattr(_this, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(_this, name, value)
