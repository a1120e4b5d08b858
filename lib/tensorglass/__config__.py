"""PyTorch's module of this name: how the library was built, as text. Programs print it, and look for words in it."""

from __future__ import annotations

import os
from importlib.metadata import version

__all__ = ["parallel_info", "show"]


def show() -> str:
    """What computes here: NumPy, and no library of PyTorch's."""
    return f"tensorglass, computing with:\n  - NumPy {version('numpy')}\n"


def parallel_info() -> str:
    """A report on threads: environment variables set how many NumPy's libraries start."""
    names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
    told = [f"\t{name} : {os.environ.get(name, '[not set]')}" for name in names]
    return "\n".join([f"processors: {os.cpu_count()}", "Environment variables:", *told, ""])
