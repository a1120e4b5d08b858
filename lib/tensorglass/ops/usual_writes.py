"""``x[positions] = rows`` and ``x[mask] = number``, the most usual writes by a tensor.

The one idea to keep in mind: what is the least out of the ordinary is left to `advanced_indexing`, which also knows
what to say of positions that are not there. NumPy looks at all of them before it writes the first.
"""

from __future__ import annotations

from typing import Any

from tensorglass import dtypes, memory
from tensorglass.backends.numpy_backend import HOST
from tensorglass.ops import bit_masks
from tensorglass.ops.scalars import number_array
from tensorglass.ops.usual_reductions import array_at_once
from tensorglass.shortcuts import shortcut
from tensorglass.tensor import Tensor


@shortcut
def written_by_tensor(input: Tensor, index: Tensor, value: Any) -> bool:
    """Whether ``input[index] = value`` was done, at once: all on the CPU, without gaps, and no gradient flows.

    A million elements take no less time so, but 4×4 takes 5 µs in place of 19.
    """
    if (
        input._dtype in dtypes.WIDE_UNSIGNED
        or index._meta is not None
        or input._conj
        or index._storage is input._storage
        or not input._size
    ):
        return False
    target, chosen = array_at_once(input), array_at_once(index)
    if target is None or chosen is None:
        return False
    if type(value) is not Tensor:
        if index._dtype is not dtypes.bool or index._size != input._size or type(value) not in (int, float):
            return False
        HOST.run(bit_masks.put, HOST.xp, target, chosen, number_array(HOST, value, input._dtype))
    else:
        if index._dtype is not dtypes.int64 or value._dtype is not input._dtype or value._storage is input._storage:
            return False
        rows = array_at_once(value)
        if rows is None or value._size != (*index._size, *input._size[1:]) or value._conj or not index._size:
            return False
        try:
            target[chosen] = rows
        except IndexError:  # which `advanced_indexing` finds again, and says as PyTorch does
            return False
        memory.copied(rows.nbytes)
    input._written()
    return True
