"""`torch.distributed.fsdp`: libraries ask whether a network's parameters are shared among processes. None are here."""

from __future__ import annotations

from enum import Enum, auto

from tensorglass.core.left_out import LeftOut, left_out

__all__ = [
    "BackwardPrefetch",
    "CPUOffload",
    "CPUOffloadPolicy",
    "FSDPModule",
    "FSDPState",
    "FullOptimStateDictConfig",
    "FullStateDictConfig",
    "FullyShardedDataParallel",
    "LocalStateDictConfig",
    "MixedPrecision",
    "MixedPrecisionPolicy",
    "OffloadPolicy",
    "OptimStateDictConfig",
    "ShardedOptimStateDictConfig",
    "ShardedStateDictConfig",
    "ShardingStrategy",
    "StateDictConfig",
    "StateDictType",
    "fully_shard",
]


class ShardingStrategy(Enum):
    """What would be shared: programs give it in arguments that they have for FSDP."""

    FULL_SHARD = auto()
    SHARD_GRAD_OP = auto()
    NO_SHARD = auto()
    HYBRID_SHARD = auto()
    _HYBRID_SHARD_ZERO2 = auto()


class BackwardPrefetch(Enum):
    """When parameters would be gathered."""

    BACKWARD_PRE = auto()
    BACKWARD_POST = auto()


class StateDictType(Enum):
    """What a file would have."""

    FULL_STATE_DICT = auto()
    LOCAL_STATE_DICT = auto()
    SHARDED_STATE_DICT = auto()


class FullyShardedDataParallel(LeftOut):
    """A network whose parameters are shared among processes. No network here is one."""


class FSDPModule(LeftOut):
    """A network that `fully_shard` was called with. No network here is one."""


class FSDPState(LeftOut):
    """What `fully_shard` keeps of a network."""


class MixedPrecision(LeftOut):
    """The dtypes of a network that is shared."""


class MixedPrecisionPolicy(LeftOut):
    """The dtypes of a network that `fully_shard` was called with."""


class CPUOffload(LeftOut):
    """Whether parameters wait on the CPU."""


class OffloadPolicy(LeftOut):
    """Where parameters wait."""


class CPUOffloadPolicy(OffloadPolicy, LeftOut):
    """That parameters wait on the CPU."""


class StateDictConfig(LeftOut):
    """How the parameters go to a file."""


class FullStateDictConfig(StateDictConfig, LeftOut):
    """That whole parameters go to a file."""


class LocalStateDictConfig(StateDictConfig, LeftOut):
    """That each process has a file of its part."""


class ShardedStateDictConfig(StateDictConfig, LeftOut):
    """That parameters go to a file in parts."""


class OptimStateDictConfig(LeftOut):
    """How an optimizer's state goes to a file."""


class FullOptimStateDictConfig(OptimStateDictConfig, LeftOut):
    """That an optimizer's whole state goes to a file."""


class ShardedOptimStateDictConfig(OptimStateDictConfig, LeftOut):
    """That an optimizer's state goes to a file in parts."""


fully_shard = left_out("distributed.fsdp.fully_shard")
