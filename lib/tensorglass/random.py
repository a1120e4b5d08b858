"""``torch.random``: the default generator's seed and state, and `fork_rng`, which restores them afterwards."""

from __future__ import annotations

from collections.abc import Iterable

from tensorglass.core.contexts import Context
from tensorglass.core.devices import CPU
from tensorglass.core.devices import device as Device
from tensorglass.tensor.generator import (
    Generator,
    default_generator,
    default_of,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)
from tensorglass.tensor.tensor import Tensor

__all__ = ["default_generator", "fork_rng", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"]


class fork_rng(Context):
    """A block whose drawing and seeding of random numbers is undone afterwards: ``with fork_rng():``

    The CPU's generator is put back, and those of `devices`; `device_type` is for numbers among them. Nothing is put
    back unless `enabled`.
    """

    def __init__(
        self, devices: Iterable[Device | str] | None = None, enabled: bool = True, *, device_type: str | None = None
    ) -> None:
        self._places = [CPU] if enabled else []
        for device in devices or () if enabled else ():
            self._places.append(Device(device_type or "cuda", device) if isinstance(device, int) else Device(device))

    def before(self) -> list[tuple[Generator, Tensor]]:
        return [(default_of(place), default_of(place).get_state()) for place in self._places]

    def begin(self, _: list[tuple[Generator, Tensor]]) -> None:
        """Nothing changes yet."""

    def end(self, note: list[tuple[Generator, Tensor]]) -> None:
        for generator, state in note:
            generator.set_state(state)
