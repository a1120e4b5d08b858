"""Which simulated devices there are: two of a GiB each, unless configured otherwise."""

from __future__ import annotations

from typing import cast

from tensorglass.backends import base
from tensorglass.backends.simulated.backend import CAPACITY, SimulatedBackend
from tensorglass.backends.simulated.clock import CLOCK, CostModel
from tensorglass.core.errors import explained

_capacities = [CAPACITY, CAPACITY]


class Simulated:
    """The simulated devices: they are always there."""

    def count(self) -> int:
        return len(_capacities)

    def make(self, index: int) -> SimulatedBackend:
        if index < len(_capacities):
            return SimulatedBackend(index, _capacities[index])
        raise explained(
            RuntimeError("sim error: invalid device ordinal"),
            f"There are {len(_capacities)} simulated devices, sim:0 to sim:{len(_capacities) - 1}; "
            "sim.configure(devices=…) makes more of them.",
        )


FAMILY = Simulated()


def configure(devices: int | None = None, memory: int | None = None, **costs: float) -> CostModel:
    """Make the simulated machine another one; what is left out stays. Returns its cost model.

    `devices` is their number and `memory` the bytes of each; both take effect on devices that hold no tensors, and are
    refused otherwise. `costs` are those of `CostModel`, in seconds and bytes per second.
    """
    model = CLOCK.costs.changed(**costs)
    if devices is not None or memory is not None:
        number = len(_capacities) if devices is None else devices
        capacity = _capacities[0] if memory is None else memory
        if not isinstance(number, int) or number < 1 or not isinstance(capacity, int) or capacity < 1:
            raise ValueError(f"devices and memory must be integers above zero, not {devices!r} and {memory!r}")
        used = [cast(SimulatedBackend, backend) for backend in base.of_type("sim")]
        for backend in used:
            backend.allocator.empty_cache()
            if held := backend.allocator.allocated:
                raise RuntimeError(f"{backend.device} still holds {held} bytes of tensors: let go of them first")
        for backend in used:
            backend.allocator.capacity = capacity
            if (backend.device.index or 0) >= number:
                base.forget(backend)
        _capacities[:] = [capacity] * number
    CLOCK.costs = model
    return model
