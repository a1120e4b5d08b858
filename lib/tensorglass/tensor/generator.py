"""Generators: sources of random numbers, whose seed or state makes the numbers repeatable.

A generator is a stream of bits that its seed determines. Functions that draw numbers take the default generator's,
which `manual_seed` seeds, or those of the one given as ``generator=``.
"""

from __future__ import annotations

import os
from typing import Any

from tensorglass import backends
from tensorglass.backends import RandomBits
from tensorglass.core import dtypes
from tensorglass.core.critical_section import CriticalSection
from tensorglass.core.devices import CPU, as_device
from tensorglass.core.devices import device as Device
from tensorglass.core.errors import Named, explained, type_name
from tensorglass.storage.storage import UntypedStorage
from tensorglass.tensor.construct import from_array
from tensorglass.tensor.tensor import Tensor, array_of

_FIRST_SEED = 67280421310721  # what PyTorch's new generators are seeded with


class Generator(metaclass=Named, pytorchs="torch._C.Generator"):
    """A stream of random bits on a device. Two generators of one seed give the same numbers.

    >>> g = torch.Generator().manual_seed(3)
    >>> a = torch.rand(2, generator=g)
    >>> torch.equal(a, torch.rand(2, generator=g.manual_seed(3)))
    True
    """

    __slots__ = ("__weakref__", "_bits", "_device", "_seed")

    _bits: RandomBits

    def __init__(self, device: Device | str | None = "cpu") -> None:
        self._device = as_device(device)
        self._seed = _FIRST_SEED
        self._bits = backends.get(self._device).random_bits(_FIRST_SEED)

    @property
    def device(self) -> Device:
        """Where the numbers are drawn."""
        return self._device

    def manual_seed(self, seed: int) -> Generator:
        """Begin the stream that `seed` names, an integer from -2**63 to 2**64 - 1. Returns this generator."""
        if not isinstance(seed, int) or isinstance(seed, bool):
            raise RuntimeError(f"manual_seed expected a long, but got {type_name(seed)}")
        self._seed = _read_seed(seed)
        self._bits.reseed(self._seed)
        return self

    def seed(self) -> int:
        """Begin a stream with a random seed, and return the seed."""
        self.manual_seed(int.from_bytes(os.urandom(8)) >> 1)
        return self._seed

    def initial_seed(self) -> int:
        """The seed that the stream began with."""
        return self._seed

    def get_state(self) -> Tensor:
        """The place in the stream, as a tensor of 5056 bytes in PyTorch's own arrangement."""
        return from_array(self._bits.save(self._seed), dtypes.uint8, UntypedStorage(0, device=CPU))

    def set_state(self, new_state: Tensor) -> Generator:
        """Go on from a place that `get_state` returned, PyTorch's included."""
        if not isinstance(new_state, Tensor) or new_state._dtype is not dtypes.uint8 or not new_state.is_cpu:
            raise TypeError("RNG state must be a torch.ByteTensor")
        expected = self.get_state().numel()
        if new_state.numel() != expected:
            raise RuntimeError(
                f"Expected a CPUGeneratorImplState of size {expected} but found the input RNG state size to be "
                f"{new_state.numel()}"
            )
        self._seed = self._bits.load(array_of(new_state))
        return self

    def clone_state(self) -> Generator:
        """Another generator with the same state."""
        return Generator(self._device).set_state(self.get_state())

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restored, (self._device, self.get_state()))


def _restored(device: Device, state: Tensor) -> Generator:
    return Generator(device).set_state(state)


def _read_seed(seed: int) -> int:
    if not -(2**63) <= seed < 2**64:
        raise explained(
            ValueError("Overflow when unpacking long long"),
            "A seed is an integer from -2**63 to 2**64 - 1.",
        )
    return seed % 2**64


default_generator = Generator(CPU)
default_generator.seed()
_defaults = {CPU: default_generator}  # one for each device that was used
_first_use = CriticalSection()


def default_of(device: Device) -> Generator:
    """The default generator of a device. A new device's generator starts with the CPU generator's current seed."""
    return _defaults.get(device) or _first_use.run(_make_default, device)


def _make_default(device: Device) -> Generator:
    generator = _defaults.get(device)
    if generator is None:
        generator = _defaults[device] = Generator(device).manual_seed(default_generator.initial_seed())
    return generator


def generator_of(given: Generator | None, device: Device) -> Generator:
    """The generator to draw from on `device`: the one given, or the default one."""
    if given is None:
        return default_generator if device is CPU else default_of(device)
    if not isinstance(given, Generator):
        raise TypeError(f"argument 'generator' must be torch.Generator, not {type_name(given)}")
    if given.device != device:
        raise RuntimeError(f"Expected a '{device.type}' device type for generator but found '{given.device.type}'")
    return given


def manual_seed(seed: int) -> Generator:
    """Seed the default generators of all devices, and return the CPU's: it gives PyTorch's numbers of that seed.

    >>> g = torch.manual_seed(0)
    >>> a = torch.rand(2)
    >>> g = torch.manual_seed(0)
    >>> torch.equal(a, torch.rand(2))
    True
    """
    seed = int(seed)
    default_generator.manual_seed(seed)
    for device, generator in list(_defaults.items()):
        if device is not CPU:
            generator.manual_seed(seed)
    return default_generator


def seed() -> int:
    """Seed the default generator with a random number, and return it."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed of the default generator.

    >>> g = torch.manual_seed(7)
    >>> torch.initial_seed()
    7
    """
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """The default generator's place in its stream, as a tensor of bytes.

    >>> state = torch.get_rng_state()
    >>> a = torch.rand(2)
    >>> torch.set_rng_state(state)
    >>> torch.equal(a, torch.rand(2))
    True
    """
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Restore the state that `get_rng_state` returned to the default generator."""
    default_generator.set_state(new_state)
