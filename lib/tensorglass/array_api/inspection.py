"""What the standard lets one ask of the namespace itself: `__array_namespace_info__`."""

from __future__ import annotations

from typing import Any

import tensorglass as torch
from tensorglass import backends
from tensorglass.array_api.data_types import Kind, isdtype
from tensorglass.core import dtypes
from tensorglass.core.devices import CPU, with_index
from tensorglass.core.devices import device as Device
from tensorglass.core.dtypes import dtype as DType

#: The standard's dtypes.
STANDARD = (
    dtypes.bool, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8, dtypes.uint16, dtypes.uint32,
    dtypes.uint64, dtypes.float32, dtypes.float64, dtypes.complex64, dtypes.complex128,
)  # fmt: skip


class Info:
    """Answers about what is there."""

    def capabilities(self) -> dict[str, Any]:
        """What is optional in the standard, and whether it is here; 64 is how far NumPy and CuPy go."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> Device:
        """Where arrays are made if nothing else is said."""
        device: Device = torch.get_default_device()
        return device

    def default_dtypes(self, *, device: Device | str | None = None) -> dict[str, DType]:
        """The dtypes of arrays if nothing else is said."""
        floating = torch.get_default_dtype()
        return {
            "real floating": floating,
            "complex floating": floating.to_complex(),
            "integral": dtypes.int64,
            "indexing": dtypes.int64,
        }

    def devices(self) -> list[Device]:
        """The devices of this machine: the CPU, CUDA's, and the simulated ones once they are in use."""
        cuda = backends.family("cuda")
        found = [with_index("cuda", index) for index in range(cuda.count() if cuda else 0)]
        simulated: list[Any] = backends.of_type("sim")
        return [CPU, *found, *(each.device for each in simulated)]

    def dtypes(
        self, *, device: Device | str | None = None, kind: Kind | tuple[Kind, ...] | None = None
    ) -> dict[str, DType]:
        """The standard's dtypes that a device has, by name; those of a kind alone if there is one."""
        return {each.name: each for each in STANDARD if kind is None or isdtype(each, kind)}


def __array_namespace_info__() -> Info:
    """What is in this namespace: devices, dtypes, capabilities."""
    return Info()
