"""What a process may leave behind when it shares memory: open files, and names in shared memory."""

from __future__ import annotations

import gc
import os
from pathlib import Path

SHARED_MEMORY = Path("/dev/shm")
FILES = Path("/proc/self/fd")


def files_open() -> int:
    gc.collect()
    return len(os.listdir(FILES))


def names_in_shared_memory() -> set[str]:
    """What the library has in shared memory by name. Those of other programs come and go at any time."""
    names = os.listdir(SHARED_MEMORY) if SHARED_MEMORY.is_dir() else []
    return {name for name in names if name.startswith("tg_")}
