"""The kernels of scatter: how a value meets the one at its place, and the others that are meant for the same place.

Each writes `source` into `target` at the places `key`, a full index;
`include_self` tells whether what was there counts.
"""

from __future__ import annotations

from typing import Any

from tensorglass.backends import Array


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
