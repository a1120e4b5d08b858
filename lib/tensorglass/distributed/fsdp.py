"""`torch.distributed.fsdp`: libraries ask whether a network's parameters are shared among processes. None are here."""

from __future__ import annotations

from tensorglass.core.left_out import LeftOut, left_out

__all__ = ["FSDPModule", "FullyShardedDataParallel", "MixedPrecision", "fully_shard"]


class FullyShardedDataParallel(LeftOut):
    """A network whose parameters are shared among processes. No network here is one."""


class FSDPModule(LeftOut):
    """A network that `fully_shard` was called with. No network here is one."""


class MixedPrecision(LeftOut):
    """The dtypes of a network that is shared."""


fully_shard = left_out("distributed.fsdp.fully_shard")
