"""``torch.random``: the default generator's seed and state, and `fork_rng`, which restores them afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from tensorglass.core.devices import CPU
from tensorglass.core.devices import device as Device
from tensorglass.tensor.generator import default_of, get_rng_state, initial_seed, manual_seed, seed, set_rng_state

__all__ = ["fork_rng", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"]


@contextmanager
def fork_rng(
    devices: Iterable[Device | str] | None = None, enabled: bool = True, *, device_type: str | None = None
) -> Iterator[None]:
    """A block whose drawing and seeding of random numbers is undone afterwards: ``with fork_rng():``

    The CPU's generator is put back, and those of `devices`; `device_type` is for numbers among them. Nothing is put
    back unless `enabled`.
    """
    if not enabled:
        yield
        return
    others = [Device(device_type or "cuda", each) if isinstance(each, int) else Device(each) for each in devices or ()]
    kept = [(default_of(place), default_of(place).get_state()) for place in (CPU, *others)]
    try:
        yield
    finally:
        for generator, state in kept:
            generator.set_state(state)
