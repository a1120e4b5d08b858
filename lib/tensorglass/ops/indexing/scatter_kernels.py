"""The kernels of scatter: how a value meets the one at its place, and the others that are meant for the same place.

Each writes `source` into `target` at the places `key`, a full index;
`include_self` tells whether what was there counts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass.backends import Array
from tensorglass.ops.indexing.gather import places, places_in_row
from tensorglass.ops.kernels.add_at import add_at


def set_places(xp: Any, target: Array, key: Any, source: Array, include_self: bool) -> None:
    target[key] = source


def add_places(xp: Any, target: Array, key: Any, source: Array, include_self: bool) -> None:
    if not include_self:
        target[key] = 0
    xp.add.at(target, key, source)


def multiply_places(xp: Any, target: Array, key: Any, source: Array, include_self: bool) -> None:
    if not include_self:
        target[key] = 1
    xp.multiply.at(target, key, source)


def max_places(xp: Any, target: Array, key: Any, source: Array, include_self: bool) -> None:
    if not include_self:
        target[key] = source  # any of the values meant for a cell will do to begin with
    xp.maximum.at(target, key, source)


def min_places(xp: Any, target: Array, key: Any, source: Array, include_self: bool) -> None:
    if not include_self:
        target[key] = source
    xp.minimum.at(target, key, source)


def mean_places(xp: Any, target: Array, key: Any, source: Array, include_self: bool) -> None:
    counts = xp.full(target.shape, 1, "int64")
    if not include_self:
        counts[key] = 0
    add_places(xp, target, key, source, include_self)
    xp.add.at(counts, key, 1)
    counts = xp.maximum(counts, 1)
    target[...] = target // counts if target.dtype.kind in "iu" else target / counts


def at_places(
    xp: Any, target: Array, index: Array, source: Array, axis: int, kernel: Callable[..., None], include_self: bool
) -> None:
    """Let `kernel` write `source` to the positions `index` along `axis`, each element at its own place besides."""
    if target.flags.c_contiguous:
        place = places_in_row(xp, index, axis, target.shape).reshape(-1)
        kernel(xp, target.reshape(-1), place, source.reshape(-1), include_self)
    else:
        kernel(xp, target, places(xp, index, axis), source, include_self)


def add_slices(xp: Any, target: Array, index: Array, source: Array, axis: int, factor: Any) -> None:
    """Add the slices of `source`, times `factor`, to those of `target` at positions `index` along `axis`."""
    values = source.reshape(source.shape or (1,))
    if factor != 1:
        values = (values * factor).astype(target.dtype)
    add_at(xp, target, axis, (index,), values)


def put_in_row(xp: Any, target: Array, index: Array, source: Array, accumulate: bool) -> None:
    """Write `source` to the positions `index`, counted through all elements, or add it to what is there."""
    if not target.size:
        return
    key = index.reshape(-1)
    if key.size and key.min() < 0:
        key = key % target.size
    if target.flags.c_contiguous:
        target = target.reshape(-1)
    else:
        key = xp.unravel_index(key, target.shape)
    if accumulate:
        xp.add.at(target, key, source.reshape(-1))
    else:
        target[key] = source.reshape(-1)
