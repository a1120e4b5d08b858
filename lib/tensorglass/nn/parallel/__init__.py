"""`torch.nn.parallel`: one network trained by several processes, or on several devices."""

from tensorglass.nn.parallel.data_parallel import DataParallel, data_parallel
from tensorglass.nn.parallel.distributed import DistributedDataParallel
from tensorglass.nn.parallel.parallel_apply import parallel_apply
from tensorglass.nn.parallel.replicate import replicate
from tensorglass.nn.parallel.scatter_gather import gather, scatter

__all__ = [
    "DataParallel", "DistributedDataParallel", "data_parallel", "gather", "parallel_apply", "replicate", "scatter",
]  # fmt: skip
