"""`torch.distributed.rpc`: calls in other processes. None are made here: tensors are sent by MPI."""

from __future__ import annotations


def is_available() -> bool:
    """Whether calls in other processes can be made: never."""
    return False
