"""``torch.nn.parallel._functions``: tensors sent to several devices and back, as batch norm over devices uses them.

All four are recorded copies, so gradients flow back through them. They are called by ``apply``, as PyTorch's are.
"""

from __future__ import annotations

from collections.abc import Sequence

import tensorglass as torch
from tensorglass.nn.parallel.scatter_gather import Place, device_of, gather
from tensorglass.tensor.tensor import Tensor

__all__ = ["Broadcast", "Gather", "ReduceAddCoalesced", "Scatter"]


def _refuse_cpu(name: str, tensors: Sequence[Tensor]) -> None:
    if any(tensor.device.type == "cpu" for tensor in tensors):
        raise AssertionError(f"{name} function not implemented for CPU tensors")


class Broadcast:
    """Every tensor copied to every device."""

    @staticmethod
    def apply(target_gpus: Sequence[Place], *inputs: Tensor) -> tuple[Tensor, ...]:
        """All tensors on the first device, then all on the second, and so on."""
        _refuse_cpu("Broadcast", inputs)
        return tuple([tensor.to(device_of(target)) for target in target_gpus for tensor in inputs])


class ReduceAddCoalesced:
    """The sums of tensors over devices: what `Broadcast` is in the backward pass."""

    @staticmethod
    def apply(destination: Place, num_inputs: int, *grads: Tensor) -> tuple[Tensor, ...]:
        """`num_inputs` sums on one device, of the tensors in the order in which `Broadcast` gives them."""
        moved = [tensor.to(device_of(destination)) for tensor in grads]
        return tuple([sum(moved[place + num_inputs :: num_inputs], moved[place]) for place in range(num_inputs)])


class Gather:
    """The parts of a batch, each on a device, joined on one."""

    @staticmethod
    def apply(target_device: Place, dim: int, *inputs: Tensor) -> Tensor:
        """The parts joined along `dim`."""
        _refuse_cpu("Gather", inputs)
        joined: Tensor = gather(inputs, target_device, dim)
        return joined


class Scatter:
    """A batch split among devices."""

    @staticmethod
    def apply(
        target_gpus: Sequence[Place], chunk_sizes: Sequence[int] | None, dim: int, input: Tensor
    ) -> tuple[Tensor, ...]:
        """The part for each device: as long as `chunk_sizes` says along `dim`, or all equally long."""
        parts = input.chunk(len(target_gpus), dim) if chunk_sizes is None else torch.split(input, chunk_sizes, dim)
        return tuple([part.to(device_of(target)) for part, target in zip(parts, target_gpus, strict=False)])
