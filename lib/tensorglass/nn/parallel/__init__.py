"""`torch.nn.parallel`: one network trained by several processes."""

from tensorglass.nn.parallel.distributed import DistributedDataParallel

__all__ = ["DistributedDataParallel"]
