"""Differentiable collective operations.

Every process calls them in the same order, and every process calls backward, in which the opposite operations run: for
a broadcast, a sum at its source; for a gather, a scatter; for a reduction, a broadcast. Unlike `torch.distributed`'s,
they return new tensors.
"""

from __future__ import annotations

from typing import Any

from tensorglass.autograd.function import Function
from tensorglass.distributed import collectives
from tensorglass.distributed.groups import Group, get_rank, get_world_size
from tensorglass.distributed.reduce_op import RedOpType, ReduceOp
from tensorglass.ops.creation.fill import empty, empty_like, zeros_like
from tensorglass.ops.rearrange.cat_stack import stack
from tensorglass.tensor.tensor import Tensor


def broadcast(tensor: Tensor, src: int, group: Group = None) -> Tensor:
    """The tensor of the process `src`; the others give one of the same size and dtype."""
    return _Broadcast.apply(src, group, tensor)


def gather(tensor: Tensor, dst: int = 0, group: Group = None) -> tuple[Tensor, ...]:
    """The tensors of all processes, at the process `dst`; zeros at all others."""
    return _Gather.apply(dst, group, tensor)


def scatter(tensors: list[Tensor], src: int = 0, group: Group = None) -> Tensor:
    """This process's tensor of those that the process `src` passes."""
    return _Scatter.apply(src, group, *tensors)


def reduce(tensor: Tensor, dst: int, op: RedOpType = ReduceOp.SUM, group: Group = None) -> Tensor:
    """The tensors of all processes reduced, at the process `dst`; undefined at the others."""
    return _Reduce.apply(dst, op, group, tensor)


def reduce_scatter(
    output: Tensor, input_list: list[Tensor], op: RedOpType = ReduceOp.SUM, group: Group = None
) -> Tensor:
    """This process's share, written to `output` and returned: the reduction of its tensor in each list."""
    return _ReduceScatter.apply(op, group, output, *input_list)


def all_gather(tensor: Tensor, group: Group = None) -> tuple[Tensor, ...]:
    """The tensors of all processes, of one size, at each of them."""
    return _AllGather.apply(group, tensor)


def all_to_all(output_tensor_list: list[Tensor], input_tensor_list: list[Tensor], group: Group = None) -> Any:
    """What each process has sent to this one, in a tuple; each sends one tensor to each."""
    return _AllToAll.apply(group, output_tensor_list, *input_tensor_list)


def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: list[int] | None = None,
    input_split_sizes: list[int] | None = None,
    group: Group = None,
) -> Tensor:
    """The rows that each process has sent to this one, one after the other."""
    return _AllToAllSingle.apply(group, output, output_split_sizes, input_split_sizes, input)


def all_reduce(tensor: Tensor, op: RedOpType = ReduceOp.SUM, group: Group = None) -> Tensor:
    """The tensors of all processes reduced, at each of them."""
    return _AllReduce.apply(op, group, tensor)


# --- the same, and the way back --------------------------------------------------------------------------------------


class _Broadcast(Function):
    @staticmethod
    def forward(ctx: Any, src: int, group: Group, tensor: Tensor) -> Tensor:
        ctx.src, ctx.group = src, group
        sent = tensor.clone()
        collectives.broadcast(sent, src, group)
        return sent

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        total = _Reduce.apply(ctx.src, ReduceOp.SUM, ctx.group, grad)
        return None, None, total if get_rank() == ctx.src else zeros_like(total)


class _Gather(Function):
    @staticmethod
    def forward(ctx: Any, dst: int, group: Group, tensor: Tensor) -> tuple[Tensor, ...]:
        ctx.dst, ctx.group = dst, group
        arrived = [zeros_like(tensor) for _ in range(get_world_size(group))]
        collectives.gather(tensor.contiguous(), arrived if get_rank() == dst else None, dst, group)
        return tuple(arrived)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        return None, None, _Scatter.apply(ctx.dst, ctx.group, *grads)


class _Scatter(Function):
    @staticmethod
    def forward(ctx: Any, src: int, group: Group, *tensors: Tensor) -> Tensor:
        ctx.src, ctx.group = src, group
        assert all(tensor.size() == tensors[0].size() for tensor in tensors)
        arrived = zeros_like(tensors[0])
        collectives.scatter(arrived, list(tensors) if get_rank() == src else None, src, group)
        return arrived

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return None, None, *_Gather.apply(ctx.src, ctx.group, grad)


class _Reduce(Function):
    @staticmethod
    def forward(ctx: Any, dst: int, op: RedOpType, group: Group, tensor: Tensor) -> Tensor:
        ctx.dst, ctx.group = dst, group
        total = tensor.clone()
        collectives.reduce(total, dst, op, group)
        return total

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return None, None, None, _Broadcast.apply(ctx.dst, ctx.group, grad)


class _ReduceScatter(Function):
    @staticmethod
    def forward(ctx: Any, op: RedOpType, group: Group, output: Tensor, *tensors: Tensor) -> Tensor:
        ctx.group = group
        collectives.reduce_scatter(output, [tensor.contiguous() for tensor in tensors], op, group)
        return output

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return None, None, None, *_AllGather.apply(ctx.group, grad)


class _AllGather(Function):
    @staticmethod
    def forward(ctx: Any, group: Group, tensor: Tensor) -> tuple[Tensor, ...]:
        ctx.group = group
        arrived = [empty_like(tensor) for _ in range(get_world_size(group))]
        collectives.all_gather(arrived, tensor.contiguous(), group)
        return tuple(arrived)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        arrived = _AllToAll.apply(ctx.group, [empty_like(grad) for grad in grads], *grads)
        return None, stack(arrived).sum(0)


class _AllToAll(Function):
    @staticmethod
    def forward(ctx: Any, group: Group, arrived: list[Tensor], *tensors: Tensor) -> tuple[Tensor, ...]:
        ctx.group, ctx.sizes = group, [tensor.size() for tensor in tensors]
        collectives.all_to_all(arrived, [tensor.contiguous() for tensor in tensors], group)
        return tuple(arrived)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        back = [empty(size, device=grads[0].device, dtype=grads[0].dtype) for size in ctx.sizes]
        return None, None, *_AllToAll.apply(ctx.group, back, *grads)


class _AllToAllSingle(Function):
    @staticmethod
    def forward(
        ctx: Any, group: Group, output: Tensor, received: list[int] | None, sent: list[int] | None, input: Tensor
    ) -> Tensor:
        ctx.group, ctx.size, ctx.received, ctx.sent = group, input.size(), received, sent
        collectives.all_to_all_single(output, input.contiguous(), received, sent, group)
        return output

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        back = empty(ctx.size, device=grad.device, dtype=grad.dtype)
        return None, None, None, None, _AllToAllSingle.apply(ctx.group, back, ctx.sent, ctx.received, grad)


class _AllReduce(Function):
    @staticmethod
    def forward(ctx: Any, op: RedOpType, group: Group, tensor: Tensor) -> Tensor:
        ctx.op, ctx.group = op, group
        total = tensor.clone()
        collectives.all_reduce(total, op, group)
        return total

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return None, None, _AllReduce.apply(ctx.op, ctx.group, grad)
