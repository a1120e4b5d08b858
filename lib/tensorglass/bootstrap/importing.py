"""The bulk of the library, imported while Python's garbage collector rests.

The one idea to keep in mind: an import makes many thousands of objects that stay, and no garbage. To look through them
again and again would be a quarter of the time that it takes. So they are counted among the old objects at once, and the
collector wakes whether or not the import ends well.
"""

from __future__ import annotations

import gc

_was_awake = gc.isenabled()
gc.disable()
try:
    from tensorglass import autograd, ops
    from tensorglass.interop import numpy as interop
finally:
    if _was_awake:
        if not gc.get_freeze_count():  # else the program keeps objects of its own there
            gc.freeze()
            gc.unfreeze()  # which puts them to those that have outlived many collections
        gc.enable()

__all__ = ["autograd", "interop", "ops"]
