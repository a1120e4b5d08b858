"""`torch.utils.deterministic`: whether new memory is filled while deterministic algorithms are asked for."""

from __future__ import annotations

import sys
from types import ModuleType

from tensorglass.backends.settings import _Settings

__all__ = ["fill_uninitialized_memory"]

#: new memory is filled with NaN, the largest integer or True, unless this is set to False
fill_uninitialized_memory: bool


class _Deterministic(ModuleType):
    """The class of this module, which checks the value that its setting is given."""

    @property
    def fill_uninitialized_memory(self) -> bool:
        return _Settings.fills_new_memory

    @fill_uninitialized_memory.setter
    def fill_uninitialized_memory(self, mode: bool) -> None:
        _Settings.fills_new_memory = mode


sys.modules[__name__].__class__ = _Deterministic
