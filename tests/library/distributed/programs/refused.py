"""Calls that two processes are refused, with PyTorch's words; the last words are `fine` from each."""

import warnings
from datetime import timedelta

import pytest

import tensorglass as torch
from tensorglass import distributed as dist

dist.init_process_group(timeout=timedelta(seconds=20))
rank = dist.get_rank()
other = 1 - rank
x = torch.zeros(4)


def refused(error, words, call, *arguments, **named):
    with pytest.raises(error) as raised:
        call(*arguments, **named)
    assert str(raised.value).startswith(words), raised.value


refused(ValueError, "trying to initialize the default process group twice!", dist.init_process_group)
words = "Invalid function argument. Expected parameter `tensor` of type torch.Tensor"
refused(TypeError, words, dist.all_reduce, [1])
refused(TypeError, words, dist.broadcast, 1, 0)
words = "Invalid function argument. Expected parameter `tensor_list` of type List[torch.Tensor]"
refused(TypeError, words, dist.all_gather, x, x)
refused(TypeError, words, dist.all_gather, [1], x)
words = "Invalid usage of tensors with different dtypesFound torch.float64 and  torch.float32"
refused(ValueError, words, dist.all_gather, [x.double(), x.double()], x)
refused(RuntimeError, "All gather: number of output tensors", dist.all_gather, [x], x)
refused(RuntimeError, "Tensors are not equal in size", dist.all_gather, [torch.zeros(3)] * 2, x)
refused(RuntimeError, "All gather: input tensor size", dist.all_gather_single, torch.zeros(3), x)
refused(RuntimeError, "invalid input tensor list size, must be world size", dist.reduce_scatter, x, [x])
for call, name, side in ((dist.scatter, "scatter_list", "source"), (dist.gather, "gather_list", "destination")):
    words = f"Argument ``{name}`` must be specified on {side} rank."
    refused(ValueError, words, call, x, None, rank)
    words = f"Argument ``{name}`` must NOT be specified on non-{side} ranks."
    refused(ValueError, words, call, x, [x, x], other)
refused(ValueError, "Must specify global_rank or group_rank", dist.broadcast, x)
refused(ValueError, "Can't specify both group_rank and global_rank", dist.broadcast, x, 0, group_src=0)
refused(RuntimeError, "ProcessGroupMPI::broadcast: invalid root rank: 7", dist.broadcast, x, 7)
refused(ValueError, "Invalid destination rank: destination rank should not be the same", dist.send, x, rank)
refused(RuntimeError, "input tensor has to be contiguous", dist.send, torch.zeros(4, 4)[:, 0], other)
refused(RuntimeError, "Cannot use ReduceOp.BAND with non-integral dtype", dist.all_reduce, x, dist.ReduceOp.BAND)
words = "all_reduce does not support RedOpType.MAX on complex tensors"
refused(ValueError, words, dist.all_reduce, x + 1j, dist.ReduceOp.MAX)
words = "result type Float can't be cast to the desired output type Long"
refused(RuntimeError, words, dist.all_reduce, x.long(), dist.ReduceOp.AVG)
refused(TypeError, "(): incompatible function arguments.", dist.all_reduce, x, "sum")
words = "Rank 7 is out of range. Valid ranks are 0 to 1 (world_size=2)"
refused(ValueError, words, dist.new_group, [0, 7])
refused(ValueError, "the new group's world size should be less or equal", dist.new_group, [0, 1, 2])
refused(RuntimeError, "Split sizes doesn't match total dim 0 size", dist.all_to_all_single, x, x, [1, 1], [1, 3])

alone = dist.new_group([1])
if rank == 0:
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        assert dist.all_reduce(x, group=alone) is None
    words = "Running all_reduce on global rank 0 which does not belong to the given group."
    assert [str(warning.message) for warning in given] == [words]
    refused(ValueError, "Invalid process group specified", dist.send, x, 1, group=alone)
    refused(ValueError, "Global rank 0 is not part of group -100", dist.get_group_rank, alone, 0)

# The message is sent only after both have waited for it in vain.
refused(RuntimeError, "Timed out waiting 50ms for", dist.irecv(x, other, tag=3).wait, timedelta(milliseconds=50))
dist.barrier()
dist.send(x, other, tag=3)

print("fine", flush=True)
