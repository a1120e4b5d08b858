"""Arguments with a number for each dimension, which may be one number for all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tensorglass.nn.modules.module.state_dict import (
    consume_prefix_in_state_dict_if_present as consume_prefix_in_state_dict_if_present,  # where PyTorch has it
)

Ints = int | Sequence[int]


def for_each(value: Any, count: int) -> tuple[Any, ...]:
    """The numbers as a tuple; a single number is repeated `count` times."""
    return tuple(value) if isinstance(value, Iterable) else (value,) * count


def _ntuple(n: int, name: str = "parse") -> Callable[[Any], tuple[Any, ...]]:
    """`for_each` with a fixed `count`: PyTorch's form of it, which programs import from ``nn.modules.utils``."""

    def parse(x: Any) -> tuple[Any, ...]:
        return for_each(x, n)

    parse.__name__ = name
    return parse


def _reverse_repeat_tuple(t: Sequence[Any], n: int) -> tuple[Any, ...]:
    """Each number `n` times, the last one first: the padding of a convolution in the order of `F.pad`."""
    return tuple([number for number in reversed(t) for _ in range(n)])


def _list_with_default(out_size: Any, defaults: Sequence[int]) -> Any:
    """The numbers of `out_size`, and in place of None those of the last `defaults`; one number as it is."""
    if isinstance(out_size, int):
        return out_size
    if len(defaults) <= len(out_size):
        raise ValueError(f"Input dimension should be at least {len(out_size) + 1}")
    last = defaults[-len(out_size) :]
    return [default if size is None else size for size, default in zip(out_size, last, strict=False)]


_single, _pair, _triple, _quadruple = (_ntuple(count) for count in (1, 2, 3, 4))
