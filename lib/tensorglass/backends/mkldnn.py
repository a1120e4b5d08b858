"""oneDNN's switches, by the name that it had. The library does not call it."""

from __future__ import annotations

import sys
from types import ModuleType

from tensorglass.backends.switches import Switch


class _Mkldnn(ModuleType):
    enabled = Switch(True, "set_enabled_mkldnn")  #: whether oneDNN may be used
    deterministic = Switch(False, "set_deterministic_mkldnn")  #: whether it must choose what repeats itself


sys.modules[__name__].__class__ = _Mkldnn


def is_available() -> bool:
    """False: the library does not call it.

    >>> torch.backends.mkldnn.is_available()
    False
    """
    return False
