"""How the library is imported: with its shortcuts or without them, and while Python's garbage collector rests.

An import makes many thousands of objects that stay, and no garbage. To look through them again and again would be a
quarter of the time that it takes. So they are counted among the old objects at once, and the collector wakes whether
or not the import ends well.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec


@contextmanager
def collector_at_rest() -> Iterator[None]:
    """No garbage collection within, and none of what was made there for long."""
    was_awake = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_awake:
            if not gc.get_freeze_count():  # else the program keeps objects of its own there
                gc.freeze()
                gc.unfreeze()  # which puts them to those that have outlived many collections
            gc.enable()


def has_shortcuts() -> bool:
    """Whether the shortcuts are to be installed: they are there, and ``TENSORGLASS_FAST=0`` does not leave them out."""
    return os.environ.get("TENSORGLASS_FAST") != "0" and find_spec("tensorglass.fast") is not None
