"""Numbers for each dimension, given one by one or as one for all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

Ints = int | Sequence[int]


def for_each(value: Any, count: int) -> tuple[Any, ...]:
    """The numbers as a tuple; one alone is repeated `count` times."""
    return tuple(value) if isinstance(value, Iterable) else (value,) * count
