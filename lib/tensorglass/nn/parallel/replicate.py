"""A network copied to several devices."""

from __future__ import annotations

from collections.abc import Sequence

from tensorglass.core.devices import device as Device
from tensorglass.nn.modules.module import Module
from tensorglass.nn.parallel.scatter_gather import Place, device_of
from tensorglass.tensor.tensor import Tensor


def replicate(network: Module, devices: Sequence[Place], detach: bool = False) -> list[Module]:
    """A replica of the network for each device; a replica on the network's own device shares its tensors.

    The parameters of replicas are computed from the network's, which receive the sum of their gradients; with `detach`
    they are copies without history. So replicas have no parameters of their own, and last for one forward pass.
    """
    return [_replica(network, device_of(device), detach) for device in devices]


def _replica(network: Module, device: Device, detach: bool) -> Module:
    modules = {module: module._replicate_for_data_parallel() for module in network.modules()}
    copies: dict[Tensor, Tensor] = {}  # a shared weight stays shared

    def copied(tensor: Tensor, is_detached: bool) -> Tensor:
        if tensor not in copies:
            source = tensor.detach() if is_detached else tensor
            copies[tensor] = source.to(device)
        return copies[tensor]

    for module, replica in modules.items():
        for name, child in module._modules.items():
            replica._modules[name] = None if child is None else modules[child]
        former: dict[str, Tensor] = {}
        object.__setattr__(replica, "_former_parameters", former)  # programs of PyTorch look for them here
        for name, parameter in module._parameters.items():
            if parameter is None:
                replica._parameters[name] = None
                continue
            former[name] = copied(parameter, detach)
            object.__setattr__(replica, name, former[name])
        for name, buffer in module._buffers.items():
            replica._buffers[name] = None if buffer is None else copied(buffer, detach or not buffer.requires_grad)
    return modules[network]
