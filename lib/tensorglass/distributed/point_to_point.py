"""From one process to another: `send` and `recv`, which wait, `isend` and `irecv`, which do not.

`src` and `dst` are numbers among all processes, `group_src` and `group_dst` numbers in the group. What is sent with a
`tag` is received with the same.
"""

from __future__ import annotations

from collections.abc import Callable

from tensorglass.distributed.collectives import check_tensor
from tensorglass.distributed.groups import Group, found, get_global_rank, member_of, rank_in
from tensorglass.distributed.windows import Window
from tensorglass.distributed.work import Work
from tensorglass.tensor.tensor import Tensor


def isend(
    tensor: Tensor,
    dst: int | None = None,
    group: Group = None,
    tag: int = 0,
    group_dst: int | None = None,
) -> Work | None:
    """Begin to send a tensor, which must not change before the work is complete."""
    chosen = found(group)
    if chosen is None:
        raise ValueError("Invalid process group specified")
    target = rank_in(chosen, dst, group_dst)
    if target == chosen.rank():
        raise ValueError(
            "Invalid destination rank: destination rank should not be the same as the rank of the current process."
        )
    check_tensor(tensor, "tensor")
    if not tensor.is_contiguous():
        raise RuntimeError("input tensor has to be contiguous")
    return chosen.start("Isend", Window(tensor).bytes, target, tag)


def irecv(
    tensor: Tensor,
    src: int | None = None,
    group: Group = None,
    tag: int = 0,
    group_src: int | None = None,
) -> Work | None:
    """Begin to receive a tensor of this size and dtype, from the process `src`, or from any."""
    check_tensor(tensor, "tensor")
    if (chosen := member_of(group, "irecv")) is None:
        return None
    is_from_any = src is None and group_src is None
    source = chosen.any_source if is_from_any else rank_in(chosen, src, group_src)
    if not tensor.is_contiguous():
        raise RuntimeError("input tensor has to be contiguous")
    window = Window(tensor)
    return chosen.start("Irecv", window.bytes, source, tag, finish=window.store)


def send(
    tensor: Tensor,
    dst: int | None = None,
    group: Group = None,
    tag: int = 0,
    group_dst: int | None = None,
) -> None:
    """Send a tensor; after that it may change."""
    work = isend(tensor, dst, group, tag, group_dst)
    if work is not None:
        work.wait()


def recv(
    tensor: Tensor,
    src: int | None = None,
    group: Group = None,
    tag: int = 0,
    group_src: int | None = None,
) -> int:
    """Receive a tensor, and return the number among all of the process that sent it; -1 outside the group."""
    work = irecv(tensor, src, group, tag, group_src)
    return -1 if work is None else get_global_rank(group, work.source_rank())


class P2POp:
    """A tensor that `batch_isend_irecv` sends or receives: `op` is `isend` or `irecv`, `peer` the other process."""

    def __init__(
        self,
        op: Callable[..., Work | None],
        tensor: Tensor,
        peer: int | None = None,
        group: Group = None,
        tag: int = 0,
        group_peer: int | None = None,
    ) -> None:
        if op not in (isend, irecv):
            raise ValueError(
                "Invalid ``op``. Expected ``op`` to be of type ``torch.distributed.isend`` or "
                "``torch.distributed.irecv``."
            )
        check_tensor(tensor, "tensor")
        self.op = op
        self.tensor = tensor
        chosen = found(group)
        if chosen is None:
            raise ValueError("Invalid process group specified")
        self.group = chosen
        self.group_peer = rank_in(chosen, peer, group_peer)
        self.peer = get_global_rank(self.group, self.group_peer)
        self.tag = tag


def batch_isend_irecv(p2p_op_list: list[P2POp]) -> list[Work]:
    """Begin all of these operations, whatever their order in the other processes; the works to wait for."""
    if not isinstance(p2p_op_list, list) or not all(isinstance(p2p_op, P2POp) for p2p_op in p2p_op_list):
        raise ValueError(
            "Invalid ``p2p_op_list``. Each op is expected to to be of type ``torch.distributed.P2POp``."  # sic
        )
    if any(p2p_op.group is not p2p_op_list[0].group for p2p_op in p2p_op_list):
        raise ValueError("All ops need to use the same group.")
    works = []
    for p2p_op in p2p_op_list:
        named = {"group_dst" if p2p_op.op is isend else "group_src": p2p_op.group_peer}
        work = p2p_op.op(p2p_op.tensor, group=p2p_op.group, tag=p2p_op.tag, **named)
        if work is not None:
            works.append(work)
    return works
