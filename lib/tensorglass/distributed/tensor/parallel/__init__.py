"""`torch.distributed.tensor.parallel`: how layers would be shared among processes. None are here."""

from __future__ import annotations

from tensorglass.core.left_out import LeftOut, left_out

__all__ = [
    "ColwiseParallel",
    "ParallelStyle",
    "PrepareModuleInput",
    "PrepareModuleOutput",
    "RowwiseParallel",
    "SequenceParallel",
    "loss_parallel",
    "parallelize_module",
]


class ParallelStyle(LeftOut):
    """How a layer is shared."""


class ColwiseParallel(ParallelStyle, LeftOut):
    """Each process has some columns of the weight."""


class RowwiseParallel(ParallelStyle, LeftOut):
    """Each process has some rows of the weight."""


class SequenceParallel(ParallelStyle, LeftOut):
    """Each process has a part of the sequence."""


class PrepareModuleInput(ParallelStyle, LeftOut):
    """How a layer's input is shared."""


class PrepareModuleOutput(ParallelStyle, LeftOut):
    """How a layer's output is shared."""


loss_parallel = left_out("distributed.tensor.parallel.loss_parallel")
parallelize_module = left_out("distributed.tensor.parallel.parallelize_module")
