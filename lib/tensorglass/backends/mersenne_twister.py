"""Random bits on the CPU: the Mersenne Twister MT19937, which PyTorch uses there too.

The same seed gives the same bits as PyTorch's CPU generator, so that a notebook prints the same random numbers on both.
This module only draws bits; `ops.kernels.random_bits` turns them into numbers. Accelerators get the same bits, at the
cost of a transfer (`HostBits`).

Source: M. Matsumoto and T. Nishimura, "Mersenne Twister", ACM TOMACS 8 (1998); the seeding is their `init_genrand`.
"""

from __future__ import annotations

import os
import weakref
from typing import TYPE_CHECKING, Any

import numpy

from tensorglass.core.critical_section import CriticalSection
from tensorglass.core.devices import device as Device

_first_use = CriticalSection()
_drawing: weakref.WeakSet[NumpyBits] = weakref.WeakSet()  #: the streams that have an engine


def _reset() -> None:
    """In a forked child: release streams that a thread of the parent had locked while drawing."""
    for generator in list(_drawing):
        generator.free_lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset)

_WORDS = 624  # words of 32 bits in the generator's state
_FEW = 256  # numbers; for fewer, the call's overhead exceeds the drawing


class NumpyBits:
    """A stream of random bits, and the unused number of the last normal pair."""

    _engine: numpy.random.MT19937
    _draw: numpy.random.Generator

    def __init__(self, seed: int) -> None:
        self.reseed(seed)

    def reseed(self, seed: int) -> None:
        """Restart the stream from the lowest 32 bits of `seed`."""
        self._seed = seed
        self.spare_normal: float | None = None
        if "_engine" in vars(self):
            _begin(self._engine, seed)

    # Created when the first number is drawn, since `numpy.random` is a tenth of the import time. Then it is cached as
    # an attribute.
    def __getattr__(self, name: str) -> Any:
        if name not in ("_engine", "_draw"):
            raise AttributeError(name)
        return _first_use.run(self._begin_draws, name)

    def _begin_draws(self, name: str) -> Any:
        if "_draw" not in vars(self):
            engine = numpy.random.MT19937()
            _begin(engine, self._seed)
            self._draw_from(engine)
        return vars(self)[name]

    def _draw_from(self, engine: numpy.random.MT19937) -> None:
        draw = numpy.random.Generator(engine)
        _drawing.add(self)
        self._engine, self._draw = engine, draw

    def free_lock(self) -> None:
        """Replace the engine if its lock is held: after a fork, the thread that held it is gone."""
        lock: Any = self._engine.lock
        if lock.acquire(blocking=False):
            lock.release()
        else:
            engine = numpy.random.MT19937()
            engine.state = self._engine.state
            self._draw_from(engine)

    def draw_32(self, count: int) -> numpy.ndarray:
        """`count` integers of 32 random bits, as uint32."""
        if count < _FEW:  # a fifth of the time of `integers`, which draws the same numbers
            return self._engine.random_raw(count).astype(numpy.uint32)
        return self._draw.integers(0, 2**32, count, numpy.uint32)

    def draw_64(self, count: int) -> numpy.ndarray:
        """`count` integers of 64 random bits, as uint64; each takes two of 32, the higher first."""
        if count < _FEW:  # a third of the time
            words = self._engine.random_raw(2 * count)
            return words[::2] << numpy.uint64(32) | words[1::2]
        return self._draw.integers(0, 2**64, count, numpy.uint64)

    def draw_poisson(self, rates: numpy.ndarray) -> numpy.ndarray:
        """Poisson-distributed integers, by NumPy's own method."""
        return self._draw.poisson(rates)

    def draw_binomial(self, counts: numpy.ndarray, chances: numpy.ndarray) -> numpy.ndarray:
        """Binomially distributed integers, by NumPy's own method."""
        return self._draw.binomial(counts, chances)

    def save(self, initial_seed: int) -> numpy.ndarray:
        """The whole state as bytes, in the arrangement of PyTorch's CPU generator."""
        state = self._engine.state["state"]
        record = numpy.zeros((), _STATE)
        record["initial_seed"] = initial_seed
        record["left"] = _WORDS + 1 - state["pos"]
        record["seeded"] = 1
        record["next"] = state["pos"] % _WORDS
        record["words"] = state["key"]
        if self.spare_normal is not None:
            record["spare_normal"] = self.spare_normal
            record["has_spare_normal"] = 1
        return numpy.frombuffer(record.tobytes(), numpy.uint8).copy()

    def load(self, state: numpy.ndarray) -> int:
        """Restore a state that `save` returned. Returns the initial seed stored in it."""
        record: Any = numpy.frombuffer(state.tobytes(), _STATE)[0]
        key = record["words"].astype(numpy.uint32)
        self._engine.state = {
            "bit_generator": "MT19937",
            "state": {"key": key, "pos": _WORDS + 1 - int(record["left"])},
        }
        self.spare_normal = float(record["spare_normal"]) if record["has_spare_normal"] else None
        return int(record["initial_seed"])


def _begin(engine: numpy.random.MT19937, seed: int) -> None:
    """Put the engine into the initial state of a seed."""
    numpy.random.RandomState(engine).seed(seed % 2**32)


_STATE = numpy.dtype(
    [
        ("initial_seed", "u8"),
        ("left", "i4"),
        ("seeded", "i4"),
        ("next", "u8"),
        ("words", "u8", (_WORDS,)),
        ("unused_1", "f8"),
        ("spare_normal", "f8"),
        ("unused_2", "f8"),
        ("has_spare_normal", "i4"),
        ("unused_3", "i4"),
        ("unused_4", "f4"),
        ("unused_5", "i4"),
    ]
)

# --- for accelerators ------------------------------------------------------------------------------------------------


if TYPE_CHECKING:
    from tensorglass.backends.base import Array, Backend


class HostBits:
    """A stream of random bits for a device."""

    def __init__(self, backend: Backend, device: Device, seed: int) -> None:
        self._backend = backend
        self._device = device
        self._bits = NumpyBits(seed)

    @property
    def spare_normal(self) -> float | None:
        return self._bits.spare_normal

    @spare_normal.setter
    def spare_normal(self, value: float | None) -> None:
        self._bits.spare_normal = value

    def reseed(self, seed: int) -> None:
        self._bits.reseed(seed)

    def draw_32(self, count: int) -> Array:
        return self._backend.from_host(self._bits.draw_32(count), self._device)

    def draw_64(self, count: int) -> Array:
        return self._backend.from_host(self._bits.draw_64(count), self._device)

    def draw_poisson(self, rates: Array) -> Array:
        return self._backend.from_host(self._bits.draw_poisson(self._backend.to_host(rates)), self._device)

    def draw_binomial(self, counts: Array, chances: Array) -> Array:
        given = [self._backend.to_host(array) for array in (counts, chances)]
        return self._backend.from_host(self._bits.draw_binomial(*given), self._device)

    def save(self, initial_seed: int) -> numpy.ndarray:
        return self._bits.save(initial_seed)

    def load(self, state: numpy.ndarray) -> int:
        return self._bits.load(state)
