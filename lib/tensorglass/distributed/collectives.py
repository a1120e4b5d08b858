"""Collective operations: every process of a group calls them, in the same order.

Each has PyTorch's arguments. It writes to the tensors that it is given and returns None; or, with `async_op=True`, a
`Work`, after whose `wait()` the tensors have their new elements. A process that is not in the group is warned,
and gets None.

`src` and `dst` are numbers among all processes, `group_src` and `group_dst` numbers in the group.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from itertools import accumulate
from math import prod
from typing import TYPE_CHECKING, Any

from tensorglass.core.errors import warn
from tensorglass.distributed.groups import Group, member_of, rank_in
from tensorglass.distributed.reduce_op import RedOpType, ReduceOp
from tensorglass.distributed.windows import Window, as_bytes, in_a_row
from tensorglass.distributed.work import Work
from tensorglass.ops.rearrange.cat_stack import cat
from tensorglass.tensor.tensor import Tensor

if TYPE_CHECKING:
    from tensorglass.distributed.process_group import ProcessGroup

_FOR_INTEGERS = (RedOpType.BAND, RedOpType.BOR, RedOpType.BXOR)
_FOR_COMPLEX = (RedOpType.SUM, RedOpType.AVG)


def all_reduce(
    tensor: Tensor, op: RedOpType = ReduceOp.SUM, group: Group = None, async_op: bool = False
) -> Work | None:
    """Reduce a tensor over all processes, in place; all get the result."""
    check_tensor(tensor, "tensor")
    if (chosen := member_of(group, "all_reduce")) is None:
        return None
    _check_reduction(tensor, op, "all_reduce")
    window = Window.for_sum(tensor)
    arguments = chosen.in_place, window.array, chosen.reduction(op)
    return _done(chosen.start("Iallreduce", *arguments, finish=_reduced(window, op, chosen)), async_op)


def reduce(
    tensor: Tensor,
    dst: int | None = None,
    op: RedOpType = ReduceOp.SUM,
    group: Group = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:
    """Reduce a tensor over all processes; the process `dst` gets the result, in place."""
    chosen = member_of(group, "reduce")
    if chosen is None:
        return None
    root = rank_in(chosen, dst, group_dst)
    check_tensor(tensor, "tensor")
    _check_reduction(tensor, op, "reduce")
    _check_root(root, chosen, "reduce")
    window, mpi_op = Window.for_sum(tensor), chosen.reduction(op)
    if root == chosen.rank():
        arguments = chosen.in_place, window.array, mpi_op, root
        return _done(chosen.start("Ireduce", *arguments, finish=_reduced(window, op, chosen)), async_op)
    return _done(chosen.start("Ireduce", window.array, None, mpi_op, root), async_op)


def broadcast(
    tensor: Tensor,
    src: int | None = None,
    group: Group = None,
    async_op: bool = False,
    group_src: int | None = None,
) -> Work | None:
    """Send the tensor of the process `src` to all others, whose tensors of the same size and dtype it is written to."""
    chosen = member_of(group, "broadcast")
    if chosen is None:
        return None
    root = rank_in(chosen, src, group_src)
    check_tensor(tensor, "tensor")
    _check_root(root, chosen, "broadcast")
    window = Window(tensor)
    return _done(chosen.start("Ibcast", window.bytes, root, finish=window.store), async_op)


def all_gather(tensor_list: list[Tensor], tensor: Tensor, group: Group = None, async_op: bool = False) -> Work | None:
    """Write the tensors of all processes to the tensors in `tensor_list`, in the order of ranks."""
    _check_list(tensor_list, "tensor_list")
    check_tensor(tensor, "tensor")
    _check_dtypes(tensor, *tensor_list)
    if (chosen := member_of(group, "all_gather")) is None:
        return None
    _check_length(tensor_list, chosen, "All gather: number of output tensors should equal to the world size")
    _check_sizes(tensor, tensor_list)
    window, arrived = Window(tensor), in_a_row(tensor_list)
    return _done(
        chosen.start("Iallgather", window.bytes, as_bytes(arrived), finish=_handed_out(arrived, tensor_list)), async_op
    )


def all_gather_into_tensor(
    output_tensor: Tensor, input_tensor: Tensor, group: Group = None, async_op: bool = False
) -> Work | None:
    """Deprecated: `all_gather_single`."""
    _warn_of_new_name("all_gather_into_tensor", "all_gather_single")
    return all_gather_single(output_tensor, input_tensor, group, async_op)


def all_gather_single(
    output_tensor: Tensor, input_tensor: Tensor, group: Group = None, async_op: bool = False
) -> Work | None:
    """Write the tensors of all processes to one tensor, one after another: concatenated, or stacked."""
    check_tensor(input_tensor, "input_tensor")
    check_tensor(output_tensor, "output_tensor")
    _check_dtypes(input_tensor, output_tensor)
    if (chosen := member_of(group, "all_gather_single")) is None:
        return None
    _check_shares(output_tensor, input_tensor, chosen)
    sent, arrived = Window(input_tensor), Window(output_tensor)
    return _done(chosen.start("Iallgather", sent.bytes, arrived.bytes, finish=arrived.store), async_op)


def _all_gather_base(
    output_tensor: Tensor, input_tensor: Tensor, group: Group = None, async_op: bool = False
) -> Work | None:
    """Deprecated: `all_gather_single`."""
    _warn_of_private_name("_all_gather_base", "all_gather_single")
    return all_gather_single(output_tensor, input_tensor, group, async_op)


def gather(
    tensor: Tensor,
    gather_list: list[Tensor] | None = None,
    dst: int | None = None,
    group: Group = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:
    """Write the tensors of all processes to the tensors in `gather_list` of the process `dst` (0 unless told)."""
    check_tensor(tensor, "tensor")
    lists = gather_list or []
    _check_list(lists, "gather_list")
    _check_dtypes(tensor, *lists)
    if (chosen := member_of(group, "gather")) is None:
        return None
    root = rank_in(chosen, 0 if dst is None and group_dst is None else dst, group_dst)
    _check_root(root, chosen, "gather")
    window = Window(tensor)
    if root != chosen.rank():
        if lists:
            raise ValueError("Argument ``gather_list`` must NOT be specified on non-destination ranks.")
        return _done(chosen.start("Igather", window.bytes, None, root), async_op)
    if not lists:
        raise ValueError("Argument ``gather_list`` must be specified on destination rank.")
    _check_length(lists, chosen, "Gather: number of output tensors should equal to the world size")
    _check_sizes(tensor, lists)
    arrived = in_a_row(lists)
    return _done(
        chosen.start("Igather", window.bytes, as_bytes(arrived), root, finish=_handed_out(arrived, lists)), async_op
    )


def scatter(
    tensor: Tensor,
    scatter_list: list[Tensor] | None = None,
    src: int | None = None,
    group: Group = None,
    async_op: bool = False,
    group_src: int | None = None,
) -> Work | None:
    """Write each tensor in `scatter_list` of the process `src` (0 unless told) to `tensor` of one process."""
    check_tensor(tensor, "tensor")
    lists = scatter_list or []
    _check_list(lists, "scatter_list")
    _check_dtypes(tensor, *lists)
    if (chosen := member_of(group, "scatter")) is None:
        return None
    root = rank_in(chosen, 0 if src is None and group_src is None else src, group_src)
    _check_root(root, chosen, "scatter")
    window = Window(tensor)
    if root == chosen.rank():
        if not lists:
            raise ValueError("Argument ``scatter_list`` must be specified on source rank.")
        _check_length(lists, chosen, "Scatter: number of input tensors should equal to the world size")
        _check_sizes(tensor, lists)
        sent = as_bytes(in_a_row(lists))
    else:
        if lists:
            raise ValueError("Argument ``scatter_list`` must NOT be specified on non-source ranks.")
        sent = None
    return _done(chosen.start("Iscatter", sent, window.bytes, root, finish=window.store), async_op)


def reduce_scatter(
    output: Tensor,
    input_list: list[Tensor],
    op: RedOpType = ReduceOp.SUM,
    group: Group = None,
    async_op: bool = False,
) -> Work | None:
    """Reduce each tensor in `input_list` over all processes; the process of that rank gets the result."""
    check_tensor(output, "output")
    _check_list(input_list, "input_list")
    _check_dtypes(output, *input_list)
    if (chosen := member_of(group, "reduce_scatter")) is None:
        return None
    _check_length(input_list, chosen, "invalid input tensor list size, must be world size")
    _check_sizes(output, input_list)
    return _reduce_scatter(output, in_a_row(input_list), op, chosen, async_op)


def reduce_scatter_tensor(
    output: Tensor, input: Tensor, op: RedOpType = ReduceOp.SUM, group: Group = None, async_op: bool = False
) -> Work | None:
    """Deprecated: `reduce_scatter_single`."""
    _warn_of_new_name("reduce_scatter_tensor", "reduce_scatter_single")
    return reduce_scatter_single(output, input, op, group, async_op)


def _reduce_scatter_base(
    output: Tensor, input: Tensor, op: RedOpType = ReduceOp.SUM, group: Group = None, async_op: bool = False
) -> Work | None:
    """Deprecated: `reduce_scatter_single`."""
    _warn_of_private_name("_reduce_scatter_base", "reduce_scatter_single")
    return reduce_scatter_single(output, input, op, group, async_op)


def reduce_scatter_single(
    output: Tensor, input: Tensor, op: RedOpType = ReduceOp.SUM, group: Group = None, async_op: bool = False
) -> Work | None:
    """Reduce a tensor over all processes, and give each process its part: as many elements as `output` has."""
    check_tensor(output, "output")
    check_tensor(input, "input")
    _check_dtypes(output, input)
    if (chosen := member_of(group, "reduce_scatter_single")) is None:
        return None
    _check_shares(input, output, chosen)
    return _reduce_scatter(output, input, op, chosen, async_op)


def _reduce_scatter(output: Tensor, rows: Tensor, op: RedOpType, group: ProcessGroup, async_op: bool) -> Work | None:
    _check_reduction(output, op, "reduce_scatter")
    sent, window = Window.for_sum(rows), Window.for_sum(output)
    mpi_op = group.reduction(op)
    return _done(
        group.start(
            "Ireduce_scatter_block",
            sent.array.reshape(-1),
            window.array.reshape(-1),
            mpi_op,
            finish=_reduced(window, op, group),
        ),
        async_op,
    )


def all_to_all(
    output_tensor_list: list[Tensor], input_tensor_list: list[Tensor], group: Group = None, async_op: bool = False
) -> Work | None:
    """Send one tensor to each process, and write those that arrive to `output_tensor_list`. Sizes may differ."""
    _check_list(output_tensor_list, "output_tensor_list")
    _check_list(input_tensor_list, "input_tensor_list")
    _check_dtypes(*output_tensor_list, *input_tensor_list)
    if (chosen := member_of(group, "all_to_all")) is None:
        return None
    _check_length(input_tensor_list, chosen, "Number of input tensors are not equal to group size")
    _check_length(output_tensor_list, chosen, "Number of output tensors are not equal to group size")
    sent = cat([tensor.data.to("cpu").reshape(-1) for tensor in input_tensor_list])
    arrived = cat([tensor.data.to("cpu").reshape(-1) for tensor in output_tensor_list])

    lengths_in = [tensor.numel() for tensor in input_tensor_list]
    lengths_out = [tensor.numel() for tensor in output_tensor_list]

    def finish() -> list[Tensor]:
        for target, part in zip(output_tensor_list, arrived.split(lengths_out), strict=True):
            target.data.copy_(part.view(target.shape))
        return output_tensor_list

    messages = _runs(Window(sent), lengths_in), _runs(Window(arrived), lengths_out)
    return _done(chosen.start("Ialltoallv", *messages, finish=finish), async_op)


def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: list[int] | None = None,
    input_split_sizes: list[int] | None = None,
    group: Group = None,
    async_op: bool = False,
) -> Work | None:
    """Send rows of `input` to each process, and write those that arrive to `output`, in the order of ranks.

    The split sizes say how many rows go to, and come from, each process; without them, all parts are of one size.
    """
    check_tensor(output, "output")
    check_tensor(input, "input")
    _check_dtypes(output, input)
    if (chosen := member_of(group, "all_to_all_single")) is None:
        return None
    lengths_out = _row_lengths(output, output_split_sizes, chosen.size())
    lengths_in = _row_lengths(input, input_split_sizes, chosen.size())
    arrived = Window(output)
    messages = _runs(Window(input), lengths_in), _runs(arrived, lengths_out)
    return _done(chosen.start("Ialltoallv", *messages, finish=arrived.store), async_op)


def barrier(
    group: Group = None, async_op: bool = False, device_ids: Any = None, timeout: timedelta | None = None
) -> Work | None:
    """Wait until all processes of the group have come here."""
    if (chosen := member_of(group, "barrier")) is None:
        return None
    work = chosen.start("Ibarrier")
    if async_op:
        return work
    work.wait(timeout or timedelta(0))
    return None


# How an operation is begun and ended.


def _warn_of_private_name(old: str, new: str) -> None:
    warn(
        f"`torch.distributed.{old}` is a private function and will be deprecated. Please use "
        f"`torch.distributed.{new}` instead.",
        FutureWarning,
    )


def _warn_of_new_name(old: str, new: str) -> None:
    warn(f"`torch.distributed.{old}` is deprecated. Please use `torch.distributed.{new}` instead.", FutureWarning)


def _runs(window: Window, lengths: list[int]) -> tuple[Any, tuple[list[int], list[int]]]:
    """The data for or from each process, in MPI's form: the bytes, the counts, and the displacements."""
    counts = [length * window.data.element_size() for length in lengths]
    return window.bytes, (counts, [0, *accumulate(counts)][:-1])


def _done(work: Work, async_op: bool) -> Work | None:
    if async_op:
        return work
    work.wait()
    return None


def _reduced(window: Window, op: RedOpType, group: ProcessGroup) -> Callable[[], Sequence[Tensor]]:
    def finish() -> Sequence[Tensor]:
        if op is RedOpType.AVG:
            window.data.div_(group.size())
        return window.store()

    return finish


def _handed_out(rows: Tensor, targets: list[Tensor]) -> Callable[[], Sequence[Tensor]]:
    def finish() -> Sequence[Tensor]:
        for target, row in zip(targets, rows, strict=True):
            target.data.copy_(row)
        return targets

    return finish


# What is refused, in PyTorch's words.


def check_tensor(value: Any, name: str) -> None:
    """Refuse what is not a tensor."""
    if not isinstance(value, Tensor):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{name}` of type torch.Tensor\n"
            f"             but got {type(value)} instead."
        )


def _check_list(value: Any, name: str) -> None:
    if not isinstance(value, list) or not all(isinstance(item, Tensor) for item in value):
        elements = f"with elements of type {[type(item) for item in value]}" if isinstance(value, list) else "instead"
        raise TypeError(
            f"Invalid function argument. Expected parameter `{name}` of type List[torch.Tensor]\n"
            f"             but got {type(value)} {elements}."
        )


def _check_dtypes(first: Tensor, *others: Tensor) -> None:
    for other in others:
        if other.dtype != first.dtype:
            raise ValueError(f"Invalid usage of tensors with different dtypesFound {other.dtype} and  {first.dtype}")


def _check_reduction(tensor: Tensor, op: RedOpType, caller: str) -> None:
    if not isinstance(op, RedOpType):
        raise TypeError("(): incompatible function arguments. The following argument types are supported:")
    if tensor.is_complex() and op not in _FOR_COMPLEX:
        raise ValueError(f"{caller} does not support {op} on complex tensors")
    if op in _FOR_INTEGERS and tensor.is_floating_point():
        raise RuntimeError(f"Cannot use ReduceOp.{op.name} with non-integral dtype")
    if op is RedOpType.AVG and not (tensor.is_floating_point() or tensor.is_complex()):
        raise RuntimeError(f"result type Float can't be cast to the desired output type {tensor.dtype.scalar_type}")


def _check_root(root: int, group: ProcessGroup, caller: str) -> None:
    if not 0 <= root < group.size():
        raise RuntimeError(f"ProcessGroup{group.kind}::{caller}: invalid root rank: {root}")


def _check_length(tensors: list[Tensor], group: ProcessGroup, words: str) -> None:
    if len(tensors) != group.size():
        raise RuntimeError(words)


def _check_sizes(tensor: Tensor, others: list[Tensor]) -> None:
    if any(other.shape != tensor.shape for other in others):
        raise RuntimeError("Tensors are not equal in size or data type")


def _check_shares(whole: Tensor, share: Tensor, group: ProcessGroup) -> None:
    if whole.numel() != share.numel() * group.size():
        raise RuntimeError("All gather: input tensor size times world size should equal to output tensor size")


def _row_lengths(tensor: Tensor, rows: list[int] | None, size: int) -> list[int]:
    """How many elements go to or come from each process."""
    in_row = prod(tensor.shape[1:])
    if rows:
        if len(rows) != size:
            raise RuntimeError("Number of tensor splits not equal to group size")
        if sum(rows) != tensor.shape[0]:
            raise RuntimeError("Split sizes doesn't match total dim 0 size")
        return [row * in_row for row in rows]
    if tensor.shape[0] % size:
        raise RuntimeError("Tensor's dim 0 does not divide equally across group size")
    return [tensor.shape[0] // size * in_row] * size
