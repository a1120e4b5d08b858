"""`torch.distributed.rpc`: calls in other processes. None are made here: tensors are sent by MPI."""

from __future__ import annotations

from tensorglass.core.left_out import LeftOut, left_out

__all__ = [
    "RRef",
    "RpcBackendOptions",
    "TensorPipeRpcBackendOptions",
    "get_worker_info",
    "init_rpc",
    "is_available",
    "remote",
    "rpc_async",
    "rpc_sync",
    "shutdown",
]


class RRef(LeftOut):
    """What stands for a value in another process."""


class RpcBackendOptions(LeftOut):
    """How calls are sent."""


class TensorPipeRpcBackendOptions(RpcBackendOptions, LeftOut):
    """How PyTorch's own transport sends them."""


def is_available() -> bool:
    """Whether calls in other processes can be made: never."""
    return False


get_worker_info = left_out("distributed.rpc.get_worker_info")
init_rpc = left_out("distributed.rpc.init_rpc")
remote = left_out("distributed.rpc.remote")
rpc_async = left_out("distributed.rpc.rpc_async")
rpc_sync = left_out("distributed.rpc.rpc_sync")
shutdown = left_out("distributed.rpc.shutdown")
