"""`DataParallel`: one process and several devices, each of which computes a part of the batch."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import tensorglass as torch
from tensorglass.core.devices import device as Device
from tensorglass.core.errors import explained
from tensorglass.nn.modules.module import Module
from tensorglass.nn.parallel.parallel_apply import parallel_apply
from tensorglass.nn.parallel.replicate import replicate
from tensorglass.nn.parallel.scatter_gather import Place, device_of, gather, scatter_kwargs


class DataParallel(Module):
    """Calls a network on several devices at once.

    The batch is split along `dim`, (N, …) → (N / devices, …); each part goes through a replica of the network, and the
    results are joined on `output_device`, by default the first.

    Gradients add up in the network itself, which lies on the first of `device_ids`: numbers or devices, by default all
    CUDA devices, or all simulated ones if the network is on one. Without either it calls the network itself. Replicas
    live for one call: what a replica writes to a buffer is kept for the first device only.
    """

    def __init__(
        self,
        module: Module,
        device_ids: Sequence[Place] | None = None,
        output_device: Place | None = None,
        dim: int = 0,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.module = module
        kind = _accelerator(module, device_ids)
        self.device_ids: list[Any] = []
        if kind is None:
            return
        given = range(getattr(torch, kind).device_count()) if device_ids is None else device_ids
        self._devices = _devices(kind, given)
        self.device_ids = [device.index for device in self._devices]
        self._output = self._devices[0] if output_device is None else _devices(kind, [output_device])[0]
        self.output_device = -1 if self._output.type == "cpu" else self._output.index
        self.src_device_obj = self._devices[0]
        if len(self.device_ids) == 1:
            self.module.to(self.src_device_obj)

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """The network's output for the whole batch."""
        if not self.device_ids:
            return self.module(*inputs, **kwargs)
        _check_place(self.module, self.src_device_obj)
        parts, named = self.scatter(inputs, kwargs, self._devices)
        if not parts and not named:
            parts, named = ((),), ({},)  # a network may have no arguments
        if len(self._devices) == 1:
            return self.module(*parts[0], **named[0])
        replicas = self.replicate(self.module, self._devices[: len(parts)])
        return self.gather(self.parallel_apply(replicas, parts, named), self._output)

    def replicate(self, module: Module, device_ids: Sequence[Place]) -> list[Module]:
        """A replica for each device."""
        return replicate(module, device_ids, not torch.is_grad_enabled())

    def scatter(self, inputs: tuple[Any, ...], kwargs: dict[str, Any] | None, device_ids: Sequence[Place]) -> Any:
        """Each device's part of the arguments."""
        return scatter_kwargs(inputs, kwargs, device_ids, self.dim)

    def parallel_apply(self, replicas: Sequence[Module], inputs: Sequence[Any], kwargs: Any) -> list[Any]:
        """The outputs of the replicas."""
        return parallel_apply(replicas, inputs, kwargs, self._devices[: len(replicas)])

    def gather(self, outputs: Sequence[Any], output_device: Place) -> Any:
        """The outputs of the replicas, joined."""
        return gather(outputs, output_device, self.dim)


def data_parallel(
    module: Module,
    inputs: Any,
    device_ids: Sequence[Place] | None = None,
    output_device: Place | None = None,
    dim: int = 0,
    module_kwargs: dict[str, Any] | None = None,
) -> Any:
    """One call of `module` with `DataParallel`."""
    arguments = inputs if isinstance(inputs, tuple) else () if inputs is None else (inputs,)
    return DataParallel(module, device_ids, output_device, dim)(*arguments, **(module_kwargs or {}))


def _accelerator(module: Module, device_ids: Sequence[Place] | None) -> str | None:
    """The type of accelerator to use; None if there is only the CPU."""
    named = [torch.device(device_id) for device_id in device_ids or () if not isinstance(device_id, int)]
    places = chain(named, (tensor.device for tensor in chain(module.parameters(), module.buffers())))
    kind = next((place.type for place in places if place.type != "cpu"), None)
    return kind or ("cuda" if torch.cuda.is_available() else None)


def _devices(kind: str, given: Sequence[Place]) -> list[Device]:
    return [
        torch.device(kind, device_id) if isinstance(device_id, int) and device_id >= 0 else device_of(device_id)
        for device_id in given
    ]


def _check_place(module: Module, expected: Device) -> None:
    for tensor in chain(module.parameters(), module.buffers()):
        if tensor.device != expected:
            raise explained(
                RuntimeError(
                    f"module must have its parameters and buffers on device {expected} (device_ids[0]) but found one "
                    f"of them on device: {tensor.device}"
                ),
                f'Move it there: model.to("{expected}").',
            )
