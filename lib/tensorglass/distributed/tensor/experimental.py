"""`torch.distributed.tensor.experimental`: functions on tensors whose parts are in several processes. None are here."""

from __future__ import annotations

from tensorglass.core.left_out import left_out

__all__ = ["implicit_replication", "local_map"]

implicit_replication = left_out("distributed.tensor.experimental.implicit_replication")
local_map = left_out("distributed.tensor.experimental.local_map")
