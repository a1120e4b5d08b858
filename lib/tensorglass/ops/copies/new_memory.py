"""What stands in new memory that nobody has written yet: anything, or the same at every run, if that is asked for.

`settled` is around every result of `empty` and its kin, and `resize_` fills what a storage gains.
"""

from __future__ import annotations

import math

from tensorglass.core import dtypes
from tensorglass.core.dtype_info import iinfo
from tensorglass.memory.settings import fills_new_memory
from tensorglass.ops.copies.copy import fill_
from tensorglass.tensor.construct import make
from tensorglass.tensor.tensor import Tensor, VersionCounter


def settled(made: Tensor, *, is_new: bool = True) -> Tensor:
    """A tensor that nobody has written yet, as it is; filled, where deterministic algorithms are asked for."""
    if fills_new_memory():
        _fill(made.detach())
        if is_new:
            made._storage.version = 0
    return made


def settle_gained(resized: Tensor, nbytes: int) -> None:
    """Fill what the storage of a resized tensor has gained since it was `nbytes` long."""
    storage, itemsize = resized._storage, resized._dtype.itemsize
    before, now = nbytes // itemsize, storage._nbytes // itemsize
    if now > before and fills_new_memory():
        gained = make(storage, (now - before,), (1,), before, resized._dtype)
        gained._counter = VersionCounter()  # filling counts as no write
        _fill(gained)


def _fill(made: Tensor) -> None:
    """NaN everywhere, or the largest whole number, or True."""
    dtype = made._dtype
    if dtype.category == dtypes.BOOL:
        fill_(made, True)
    else:
        fill_(made, iinfo(dtype).max if dtype.category == dtypes.INTEGER else math.nan)
