"""`torch.distributed`: tensors sent between processes, by MPI.

`mpiexec -n 4 python train.py` starts a program four times; `init_process_group("mpi")` makes the four one group. MPI is
what mpi4py finds (extra: distributed). Nothing of it is imported before a group is made.
"""

import sys
from typing import TYPE_CHECKING

from tensorglass.core.lazy_modules import fetching
from tensorglass.distributed.collectives import (
    _all_gather_base,
    _reduce_scatter_base,
    all_gather,
    all_gather_into_tensor,
    all_gather_single,
    all_reduce,
    all_to_all,
    all_to_all_single,
    barrier,
    broadcast,
    gather,
    reduce,
    reduce_scatter,
    reduce_scatter_single,
    reduce_scatter_tensor,
    scatter,
)
from tensorglass.distributed.groups import (
    Backend,
    GroupMember,
    default_pg_timeout,
    destroy_process_group,
    get_backend,
    get_global_rank,
    get_group_rank,
    get_node_local_rank,
    get_process_group_ranks,
    get_rank,
    get_world_size,
    group,
    init_process_group,
    is_available,
    is_gloo_available,
    is_initialized,
    is_mpi_available,
    is_nccl_available,
    is_torchelastic_launched,
    is_ucc_available,
    is_xccl_available,
    new_group,
    new_subgroups,
    new_subgroups_by_enumeration,
)
from tensorglass.distributed.groups import (
    default_group as _get_default_group,
)
from tensorglass.distributed.objects import (
    all_gather_object,
    broadcast_object_list,
    gather_object,
    recv_object_list,
    scatter_object_list,
    send_object_list,
)
from tensorglass.distributed.point_to_point import P2POp, batch_isend_irecv, irecv, isend, recv, send
from tensorglass.distributed.reduce_op import ReduceOp, supports_complex
from tensorglass.distributed.work import Work

if TYPE_CHECKING:
    from tensorglass.distributed.process_group import ProcessGroup as ProcessGroup

distributed_c10d = sys.modules[__name__]  #: PyTorch's module of the functions above

__getattr__ = fetching(
    globals(),
    {
        "device_mesh": ("DeviceMesh", "init_device_mesh"),
        "rpc": (),
        "buckets": ("GradBucket",),
        "stores": ("FileStore", "HashStore", "PrefixStore", "Store", "TCPStore"),
        "process_group": ("ProcessGroup",),
    },
)

__all__ = [
    "Backend",
    "GroupMember",
    "P2POp",
    "ReduceOp",
    "Work",
    "_all_gather_base",
    "_reduce_scatter_base",
    "all_gather",
    "all_gather_into_tensor",
    "all_gather_object",
    "all_gather_single",
    "all_reduce",
    "all_to_all",
    "all_to_all_single",
    "barrier",
    "batch_isend_irecv",
    "broadcast",
    "broadcast_object_list",
    "default_pg_timeout",
    "destroy_process_group",
    "gather",
    "gather_object",
    "get_backend",
    "get_global_rank",
    "get_group_rank",
    "get_node_local_rank",
    "get_process_group_ranks",
    "get_rank",
    "get_world_size",
    "group",
    "init_process_group",
    "irecv",
    "is_available",
    "is_gloo_available",
    "is_initialized",
    "is_mpi_available",
    "is_nccl_available",
    "is_torchelastic_launched",
    "is_ucc_available",
    "is_xccl_available",
    "isend",
    "new_group",
    "new_subgroups",
    "new_subgroups_by_enumeration",
    "recv",
    "recv_object_list",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_single",
    "reduce_scatter_tensor",
    "scatter",
    "scatter_object_list",
    "send",
    "send_object_list",
    "supports_complex",
]  # fmt: skip
