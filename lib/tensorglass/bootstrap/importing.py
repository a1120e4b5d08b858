"""No garbage collection while most of the library is imported.

The import makes many thousands of objects that stay, and no garbage; scanning them again and again would take a quarter
of its time. Afterwards they count as old objects.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


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
