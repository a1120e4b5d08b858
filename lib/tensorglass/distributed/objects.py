"""Python objects between processes. They are pickled: receive them only from programs that you trust."""

from __future__ import annotations

from typing import Any

from tensorglass.distributed.groups import Group, get_global_rank, member_of, rank_in


def all_gather_object(object_list: list[Any], obj: Any, group: Group = None) -> None:
    """Write the objects of all processes to `object_list`, in the order of ranks."""
    if (chosen := member_of(group, "all_gather_object")) is not None:
        object_list[: chosen.size()] = chosen.gather_objects(obj)


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
    gathered = chosen.gather_objects(obj, root)
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
        object_list[:] = chosen.broadcast_object(list(object_list), root)


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
        scatter_object_output_list[0] = chosen.scatter_objects(scatter_object_input_list, root)


def send_object_list(
    object_list: list[Any],
    dst: int | None = None,
    group: Group = None,
    device: Any = None,
    group_dst: int | None = None,
    use_batch: bool = False,
) -> None:
    """Send the objects in the list to the process `dst`, which receives them by `recv_object_list`."""
    if (chosen := member_of(group, "send_object_list")) is None:
        return
    target = rank_in(chosen, dst, group_dst)
    if target == chosen.rank():
        raise ValueError(
            "Invalid destination rank: destination rank should not be the same as the rank of the current process."
        )
    chosen.send_object(list(object_list), target)


def recv_object_list(
    object_list: list[Any],
    src: int | None = None,
    group: Group = None,
    device: Any = None,
    group_src: int | None = None,
    use_batch: bool = False,
) -> int:
    """Replace the objects in the list by those that the process `src` sends; its number, or -1 outside the group."""
    if (chosen := member_of(group, "recv_object_list")) is None:
        return -1
    is_from_any = src is None and group_src is None
    source, objects = chosen.receive_object(chosen.any_source if is_from_any else rank_in(chosen, src, group_src))
    object_list[:] = objects
    return get_global_rank(group, source)
