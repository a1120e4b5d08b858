"""`torch.distributed.fsdp.sharded_grad_scaler`: a name that libraries import."""

from __future__ import annotations

from tensorglass.core.left_out import LeftOut

__all__ = ["ShardedGradScaler"]


class ShardedGradScaler(LeftOut):
    """What scales the gradients of a network that is shared."""
