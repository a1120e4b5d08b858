"""Two processes that have created networks of different shapes."""

from tensorglass import distributed as dist
from tensorglass import nn

dist.init_process_group("mpi")
nn.parallel.DistributedDataParallel(nn.Linear(2, 2 + dist.get_rank()))
dist.barrier()
