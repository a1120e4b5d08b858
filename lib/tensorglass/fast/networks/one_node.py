"""When a part of a network may become one node of the graph: if nobody could tell the difference."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tensorglass.core import dtypes
from tensorglass.core.devices import CPU
from tensorglass.graph import anomaly, dual
from tensorglass.ops.declare import autocast
from tensorglass.tensor.grad_mode import watched
from tensorglass.tensor.torch_function import PLAIN_TYPES


def is_usual(input: Any, others: Iterable[Any]) -> bool:
    """Whether these are floating-point tensors of one dtype on the CPU, without observers, hooks or autocast.

    Those in `others` may be None.
    """
    dtype = input._dtype if type(input) in PLAIN_TYPES else None
    if dtype is not dtypes.float32 and dtype is not dtypes.float64:
        return False
    if autocast.state.dtypes or dual.alive or anomaly.state.enabled or watched.saved_tensors_hooks:
        return False
    for tensor in (input, *others):
        if tensor is not None and (
            type(tensor) not in PLAIN_TYPES
            or tensor._dtype is not dtype
            or tensor._storage.device is not CPU
            or 0 in tensor._size
        ):
            return False
    return True
