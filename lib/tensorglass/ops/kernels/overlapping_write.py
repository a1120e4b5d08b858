"""Writing over what is still to be read, in a layout in which PyTorch does not notice it: in the order in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass.backends import Array


def one_by_one(
    xp: Any, run: Callable[..., Array], target: Array, arrays: list[Array | None], compute: Any, result: Any
) -> None:
    """Write the kernel's results to `target` one element after the other, in the order in which they lie in memory.

    So an element that has been written is read in its new state, as in PyTorch's loops over memory, whose outcome also
    depends on vector width and is called undefined.
    """
    order = sorted(range(target.ndim), key=lambda axis: -target.strides[axis])
    shape = target.shape
    views = [None if each is None else xp.broadcast_to(each, shape).transpose(order) for each in arrays]
    target = target.transpose(order)
    for place in range(target.size):
        index: list[Any] = [...]
        for length in reversed(target.shape):
            place, at = divmod(place, length)
            index.insert(0, at)
        here = tuple(index)
        operands = [None if view is None else view[here].astype(compute) for view in views]
        target[here] = run(*operands).astype(result)
