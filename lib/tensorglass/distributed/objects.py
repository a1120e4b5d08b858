"""Python objects between processes. They are pickled: receive them only from programs that you trust."""

from __future__ import annotations

from typing import Any

from tensorglass.distributed.groups import Group, member_of, rank_in


def all_gather_object(object_list: list[Any], obj: Any, group: Group = None) -> None:
    """Write the objects of all processes to `object_list`, in the order of ranks."""
    if (chosen := member_of(group, "all_gather_object")) is not None:
        object_list[: chosen.size()] = chosen.exchange("allgather", obj)


def gather_object(
    obj: Any,
    object_gather_list: list[Any] | None = None,
    dst: int | None = None,
    group: Group = None,
    group_dst: int | None = None,
) -> None:
    """Write the objects of all processes to `object_gather_list` of the process `dst` (0 unless told)."""
    if (chosen := member_of(group, "gather_object")) is None:
        return
    root = rank_in(chosen, 0 if dst is None and group_dst is None else dst, group_dst)
    is_destination = root == chosen.rank()
    if is_destination and not object_gather_list:
        raise ValueError("Argument ``gather_list`` must be specified on destination rank.")
    if object_gather_list and not is_destination:
        raise ValueError("Argument ``gather_list`` must NOT be specified on non-destination ranks.")
    gathered = chosen.exchange("gather", obj, root)
    if object_gather_list:
        object_gather_list[: chosen.size()] = gathered


def broadcast_object_list(
    object_list: list[Any],
    src: int | None = None,
    group: Group = None,
    device: Any = None,
    group_src: int | None = None,
) -> None:
    """Replace the objects in the list by those of the process `src` (0 unless told)."""
    if (chosen := member_of(group, "broadcast_object_list")) is not None:
        root = rank_in(chosen, 0 if src is None and group_src is None else src, group_src)
        object_list[:] = chosen.exchange("bcast", list(object_list), root)


def scatter_object_list(
    scatter_object_output_list: list[Any],
    scatter_object_input_list: list[Any] | None = None,
    src: int | None = None,
    group: Group = None,
    group_src: int | None = None,
) -> None:
    """Write each object of the process `src` (0 unless told) to the first place of one process's list."""
    if (chosen := member_of(group, "scatter_object_list")) is not None:
        root = rank_in(chosen, 0 if src is None and group_src is None else src, group_src)
        scatter_object_output_list[0] = chosen.exchange("scatter", scatter_object_input_list, root)
