"""PyTorch's interface to the simulated accelerator (`backends/simulated`): everything about devices, on any laptop.

``torch.sim`` is to devices "sim:0" and "sim:1" what ``torch.cuda`` is to GPUs, function for function. Their memory is
out of Python's reach until it is copied back, it is limited, and kernels and transfers take simulated time, by the
costs that `configure` sets. `timeline` tells what happened when; nothing of it is measured.

>>> import tensorglass as torch
>>> a = torch.ones(1000, device="sim")
>>> torch.sim.memory_allocated(), torch.sim.memory_reserved()
(4096, 2097152)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorglass import backends
from tensorglass.backends.simulated.backend import FAMILY, configure
from tensorglass.backends.simulated.clock import CLOCK, CostModel, Happening, timeline
from tensorglass.backends.simulated.streams import (
    Event,
    Stream,
    current_stream,
    default_stream,
    set_stream,
    stream,
)
from tensorglass.core.errors import OutOfMemoryError
from tensorglass.tensor.accelerator_common import Accelerator
from tensorglass.tensor.tensor import Tensor, raw_array

_sim = Accelerator("sim", FAMILY)
globals().update(_sim.functions())
if TYPE_CHECKING:  # checkers do not see what was put in above

    def __getattr__(name: str) -> Any: ...


def launch(kernel: Callable[..., None], *arguments: Any) -> None:
    """Launch a custom kernel: a function of NumPy arrays, which gets the memory of the tensors among `arguments`.

    It writes its results into tensors, and returns None. However much it does, it is one launch; it takes the time
    that the bytes of the tensors take. They must be on one simulated device, else ValueError is raised.
    """
    arrays = [raw_array(argument) if isinstance(argument, Tensor) else argument for argument in arguments]
    places = {argument._storage.device for argument in arguments if isinstance(argument, Tensor)}
    if len(places) != 1 or any(place.type != "sim" for place in places):
        raise ValueError(f"tensors on one simulated device are needed, not on {sorted(map(str, places)) or 'none'}")
    simulated: Any = backends.get(places.pop())
    simulated.xp.call(kernel.__name__, kernel, tuple(arrays), {})


def costs() -> CostModel:
    """What things cost at present; `configure` changes it."""
    return CLOCK.costs


def now() -> float:
    """The host's simulated time, in seconds."""
    return CLOCK.now


def reset() -> None:
    """Set the simulated clocks to 0 and clear the timeline. Tensors and memory stay as they are."""
    for backend in backends.of_type("sim"):
        _sim.reset_peak_memory_stats(backend.device)  # type: ignore[attr-defined]  # these are simulated backends
    CLOCK.reset()


__all__ = [
    "CostModel", "Event", "Happening", "OutOfMemoryError", "Stream", "configure", "costs", "current_stream",
    "default_stream", "launch", "now", "reset", "set_stream", "stream", "timeline", *_sim.functions(),
]  # fmt: skip
