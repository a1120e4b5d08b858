"""Python's garbage collector rests while the library is imported.

The one idea to keep in mind: an import makes a hundred thousand objects that stay, and no garbage; to look through them
again and again would be a quarter of the time that it takes.
"""

from __future__ import annotations

import gc

_was_awake = gc.isenabled()
gc.disable()


def done() -> None:
    """Wake the collector, if it was awake before."""
    if _was_awake:
        gc.enable()
