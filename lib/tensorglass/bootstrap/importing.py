"""How the library is imported: with or without its shortcuts, and most of it without garbage collection.

The import makes many thousands of objects that stay, and no garbage; scanning them again and again would take a quarter
of its time. Afterwards they count as old objects.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec


@contextmanager
def garbage_collection_paused() -> Iterator[None]:
    """No garbage collection inside the block; what was made there moves to the oldest generation."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            if not gc.get_freeze_count():  # else the program has frozen objects itself
                gc.freeze()
                gc.unfreeze()  # which moves them to the oldest generation
            gc.enable()


def has_shortcuts() -> bool:
    """Whether the shortcuts are to be installed: they are there, and ``TENSORGLASS_FAST=0`` does not leave them out."""
    return os.environ.get("TENSORGLASS_FAST") != "0" and find_spec("tensorglass.fast") is not None
