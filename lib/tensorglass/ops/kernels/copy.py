"""The kernel under every copy: one array's elements written over another's.

Memory comes in lines of 64 bytes. Where source and target are innermost in different dimensions, walking along one
means jumping in the other, so a large copy goes tile by tile.
"""

from __future__ import annotations

from typing import Any

from tensorglass.backends import Array
from tensorglass.ops.kernels import half

_LARGE = 1 << 16  # elements: smaller ones fit into the cache
_TILE = (16, 256)  # positions along the target's innermost dimension and along the source's


def assign(xp: Any, target: Array, source: Array, conjugate: bool) -> None:
    """Copy `source` to `target`: broadcast, converted to its dtype and, if need be, conjugated."""
    if conjugate:
        source = xp.conj(source)
    if source.dtype.kind == "c" and target.dtype.kind not in "cb":
        source = source.real
    if target.dtype.char == "e" and source.dtype.char in "dlq":
        source = source.astype("float32")  # as PyTorch does, rounding twice
    if half.converts(source, target) and not xp.may_share_memory(target, source):
        half.convert(target, source)
        return
    # Where they share memory, tiles would read what was just written; NumPy's own copy does not.
    if (
        target.size >= _LARGE
        and source.shape == target.shape
        and not (_ends_in_runs(target) and _ends_in_runs(source))  # most copies: asked first
        and not xp.may_share_memory(target, source)
    ):
        one, other = _innermost(target), _innermost(source)
        if one != other and min(target.shape[one], target.shape[other]) >= _TILE[0]:
            _assign_tiles(target, source, one, other)
            return
    target[...] = source


def _ends_in_runs(array: Array) -> bool:
    """Whether the elements of the last dimension lie one after the other."""
    return bool(array.shape[-1] > 1 and array.strides[-1] == array.itemsize)


def _innermost(array: Array) -> int:
    """The dimension along which elements lie closest together."""
    steps = [
        step if step and length > 1 else float("inf") for step, length in zip(array.strides, array.shape, strict=True)
    ]
    return steps.index(min(steps))


def _assign_tiles(target: Array, source: Array, one: int, other: int) -> None:
    """Copy tile by tile where target and source are innermost in different dimensions.

    Row by row, each element read would load a cache line that is evicted before its other elements are used.
    """
    place = [slice(None)] * target.ndim
    for here in range(0, target.shape[other], _TILE[1]):
        place[other] = slice(here, here + _TILE[1])
        for there in range(0, target.shape[one], _TILE[0]):
            place[one] = slice(there, there + _TILE[0])
            tile = tuple(place)
            target[tile] = source[tile]
