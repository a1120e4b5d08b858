"""`torch.distributed.tensor`: libraries ask whether a tensor's parts are in several processes. No tensor's are here."""

from __future__ import annotations

from tensorglass.core.left_out import LeftOut, left_out
from tensorglass.distributed.device_mesh import DeviceMesh, init_device_mesh

__all__ = [
    "DTensor",
    "DeviceMesh",
    "Partial",
    "Placement",
    "Replicate",
    "Shard",
    "distribute_module",
    "distribute_tensor",
    "empty",
    "full",
    "init_device_mesh",
    "ones",
    "rand",
    "randn",
    "zeros",
]


class DTensor(LeftOut):
    """A tensor whose parts are in several processes. No tensor here is one."""


class Placement(LeftOut):
    """Where the parts of a tensor are."""


class Shard(Placement, LeftOut):
    """Each process has a part of the tensor."""


class Replicate(Placement, LeftOut):
    """Each process has the whole tensor."""


class Partial(Placement, LeftOut):
    """Each process has a summand of the tensor."""


distribute_module = left_out("distributed.tensor.distribute_module")
distribute_tensor = left_out("distributed.tensor.distribute_tensor")
empty = left_out("distributed.tensor.empty")
full = left_out("distributed.tensor.full")
ones = left_out("distributed.tensor.ones")
rand = left_out("distributed.tensor.rand")
randn = left_out("distributed.tensor.randn")
zeros = left_out("distributed.tensor.zeros")
