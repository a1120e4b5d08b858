"""Names that a module does not have: those that are only there to be asked for, and the error for all others."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from tensorglass.core.errors import explained
from tensorglass.core.module_names import ours
from tensorglass.core.names_alone import name_alone
from tensorglass.core.out_of_scope import about, is_probed, tell_of_missing

__all__ = ["refusing"]


def refusing(module: str) -> Callable[[str], Any]:
    """`__getattr__` for a module such as "nn": it finds names that are only there to be asked for, and raises else."""

    def look(name: str) -> Any:
        if is_probed(name):
            raise _refusal(module, name)
        alone = name_alone(ours(f"torch.{module}").removeprefix("tensorglass."), name, refusing)
        if alone is not refusing:
            return alone
        tell_of_missing(f"{module}.{name}")
        raise _refusal(module, name)  # which no local names: the error would hold its frame, and the frame the error

    return look


def _refusal(module: str, name: str) -> AttributeError:
    error = AttributeError(f"module 'torch.{module}' has no attribute '{name}'")
    return error if is_probed(name) else explained(error, _note(module, name))


@lru_cache(maxsize=1000)  # `hasattr` checks come often
def _note(module: str, name: str) -> str:
    from difflib import get_close_matches  # imported here, so that importing the library stays quick

    close = get_close_matches(name, dir(sys.modules.get(f"tensorglass.{module}")), 1)
    instead = f"torch.{module}.{close[0]}" if close else "the documented functions"
    inner = f"It is misspelled, or one of PyTorch's inner parts, which are left out. Instead, use {instead}."
    return about(f"{module}.{name}") or inner
