"""Random numbers for a function that `func.vmap` runs slice by slice.

PyTorch draws for all slices together. Here the first slice draws for all, and each slice takes its part. Operators draw
through `drawn`, which outside `vmap` simply draws.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from tensorglass.backends import Array, RandomBits
from tensorglass.core.contexts import Context, setting
from tensorglass.ops.kernels import random_bits

Sample = Callable[..., Array]


class _Slices(threading.local):
    around: SliceDraws | None = None  #: the function that runs slice by slice


_slices = _Slices()


class SliceDraws:
    """What `count` slices of a function draw: the same numbers, different ones, or none ("error")."""

    def __init__(self, randomness: str, count: int) -> None:
        self._randomness = randomness
        self._count = count
        self._index = 0
        self._calls = 0  #: how often this slice has drawn
        self._made: list[tuple[Any, Any]] = []  #: for each of these calls its arguments, and all slices' numbers
        self._outside = _slices.around

    def slice(self, index: int) -> Context:
        """A block that is this slice."""
        self._index, self._calls = index, 0
        return _running(self)

    def part(self, xp: Any, sample: Sample, bits: RandomBits, count: int, parameters: tuple[Any, ...]) -> Array:
        """This slice's numbers."""
        arguments = (sample, bits, count, parameters)
        call = self._next_call()
        with _running(self._outside):
            if call == len(self._made) and self._index == 0:
                self._made.append((arguments, self._for_all(xp, *arguments)))
            # this slice has drawn differently from the first
            if call >= len(self._made) or self._made[call][0] != arguments:
                return drawn(xp, sample, bits, count, *parameters)
        numbers = self._made[call][1]
        if self._randomness == "different":
            numbers = numbers[self._index * count : (self._index + 1) * count]
        return numbers.copy()

    def _for_all(self, xp: Any, sample: Sample, bits: RandomBits, count: int, parameters: tuple[Any, ...]) -> Array:
        if self._randomness == "same":
            return drawn(xp, sample, bits, count, *parameters)
        if sample is random_bits.permutation:  # several permutations side by side are not a permutation
            return xp.concatenate([drawn(xp, sample, bits, count) for _ in range(self._count)])
        return drawn(xp, sample, bits, count * self._count, *parameters)

    def alone(self, given: Sequence[Array], draw: Callable[[], Array]) -> Array:
        """As `drawn_alone`."""
        call = self._next_call()
        if call < len(self._made) and self._randomness == "same":
            before, numbers = self._made[call]
            pairs = zip(given, before, strict=True)
            if not all(one.shape == other.shape and (one == other).all() for one, other in pairs):
                raise RuntimeError(
                    "Vmap does not currently support same randomness with a batched tensor input. Please file an issue "
                    "with functorch"
                )
            return numbers.copy()
        with _running(self._outside):
            numbers = drawn_alone(given, draw)
        if call == len(self._made):
            self._made.append((given, numbers))
        return numbers

    def _next_call(self) -> int:
        if self._randomness == "error":
            raise RuntimeError(
                "vmap: called random operation while in randomness error mode. Please either use the 'same' or "
                "'different' randomness flags on vmap or perform the randomness operation out of vmap"
            )
        self._calls += 1
        return self._calls - 1


def _running(slices: SliceDraws | None) -> Context:
    return setting(_slices, around=slices)


def drawn(xp: Any, sample: Sample, bits: RandomBits, count: int, *parameters: Any) -> Array:
    """``sample(xp, bits, count, *parameters)``, or this slice's part of what is drawn for all."""
    slices = _slices.around
    if slices is None:
        return sample(xp, bits, count, *parameters)
    return slices.part(xp, sample, bits, count, parameters)


def drawn_alone(given: Sequence[Array], draw: Callable[[], Array]) -> Array:
    """``draw()``, whose number of bits depends on the elements of `given`: each slice draws for itself."""
    slices = _slices.around
    return draw() if slices is None else slices.alone(given, draw)
