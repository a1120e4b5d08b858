"""The default group of processes, groups of some of them, and ranks: each process's number."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from datetime import timedelta
from importlib.util import find_spec
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeAlias

from tensorglass.core.errors import explained, warn

if TYPE_CHECKING:
    from tensorglass.distributed.process_group import ProcessGroup

#: None is the default group; an integer is `GroupMember.NON_GROUP_MEMBER`.
Group: TypeAlias = "ProcessGroup | int | None"

default_pg_timeout = timedelta(minutes=30)

_world: ProcessGroup | None = None
_parts: list[ProcessGroup] = []  # what `new_group` has made


class Backend(str):
    """PyTorch's names of engines, as `Backend.MPI`, which is "mpi"; ``Backend("MPI")`` is its name in small letters."""

    __slots__ = ()
    UNDEFINED = "undefined"
    GLOO = "gloo"
    NCCL = "nccl"
    UCC = "ucc"
    MPI = "mpi"
    XCCL = "xccl"

    def __new__(cls, name: str) -> Any:
        if not isinstance(name, str):
            raise ValueError("Backend constructor parameter must be string-ish")
        return name.lower()


class _World(type):
    @property
    def WORLD(cls) -> ProcessGroup | None:
        return _world


class group(metaclass=_World):
    """`group.WORLD`, the default group; None before `init_process_group`."""


class GroupMember(metaclass=_World):
    """`GroupMember.NON_GROUP_MEMBER` is what `new_group` returns to a process that the group leaves out."""

    NON_GROUP_MEMBER = -100


def is_available() -> bool:
    """Whether the package exists: always True. `is_mpi_available` says whether it can run."""
    return True


def is_mpi_available() -> bool:
    """Whether mpi4py is installed."""
    return find_spec("mpi4py") is not None


def is_gloo_available() -> bool:
    """False: the engine is MPI."""
    return False


def is_nccl_available() -> bool:
    """False: the engine is MPI."""
    return False


def is_ucc_available() -> bool:
    """False: the engine is MPI."""
    return False


def is_xccl_available() -> bool:
    """False: the engine is MPI."""
    return False


def is_torchelastic_launched() -> bool:
    """Whether ``torchrun`` has started this process: False, since `mpiexec` does."""
    return "TORCHELASTIC_RUN_ID" in os.environ


def get_node_local_rank(fallback_rank: int | None = None) -> int:
    """This process's number on its machine, from the environment's LOCAL_RANK, or else `fallback_rank`."""
    rank = os.environ.get("LOCAL_RANK", fallback_rank)
    if rank is None:
        raise RuntimeError(
            "LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow `get_node_local_rank` to "
            "work, assuming you are not running in a multi-device context and want the code to run locally instead."
        )
    return int(rank)


def is_initialized() -> bool:
    """Whether there is a default group."""
    return _world is not None


def init_process_group(
    backend: str | None = None,
    init_method: str | None = None,
    timeout: timedelta | None = None,
    world_size: int = -1,
    rank: int = -1,
    store: Any = None,
    group_name: str = "",
    pg_options: Any = None,
    device_id: Any = None,
) -> None:
    """Make all processes that `mpiexec` has started the default group. Every process calls it.

    `backend` is "mpi", or None for the same. An operation that takes longer than `timeout` raises a RuntimeError.
    MPI knows the ranks and where the processes are, so the other arguments are not needed.
    An exception that nothing catches in one process ends the program in all: the others would wait for it forever.

    "gloo" is for a program that one process runs, as `world_size`, `init_method` or the environment say, and needs no
    MPI. Raises PyTorch's ValueError where none of them does.
    """
    global _world
    if _world is not None:
        raise ValueError("trying to initialize the default process group twice!")
    engine = "mpi" if backend is None else backend.lower()
    if engine == "gloo":
        from tensorglass.distributed import one_process

        if one_process.how_many(init_method, world_size, rank, store) == 1:
            _world = one_process.OneProcess(timeout or default_pg_timeout)
            return
    if engine != "mpi":
        error = RuntimeError(f"Distributed package doesn't have {engine.upper()} built in")
        raise explained(error, 'The engine here is MPI: init_process_group("mpi"), and mpiexec -n 4 python train.py.')
    if not is_mpi_available():
        raise explained(
            RuntimeError(
                "Distributed package doesn't have MPI built in. MPI is only included if you build PyTorch from source "
                "on a host that has MPI installed."
            ),
            "Here mpi4py is needed: pip install 'tensorglass[distributed]'.",
        )
    if world_size != -1 or rank != -1:
        warn(
            f"For MPI backend, world_size ({world_size}) and rank ({rank}) are ignored since they are assigned by the "
            "MPI runtime."
        )
    from tensorglass.distributed import mpi_processes

    _world = mpi_processes.world(timeout or default_pg_timeout)
    if _world.size() > 1:
        sys.excepthook = _end_all


def destroy_process_group(group: Group = None) -> None:
    """Wait for the running operations of a group and destroy it; without `group`, all groups."""
    global _world
    if isinstance(group, int):
        return
    chosen = group or _world
    assert chosen is not None, "Process group cannot be None"
    if chosen is not _world:
        _parts.remove(chosen)
        chosen.shut_down()
        return
    for part in (*_parts, chosen):
        part.shut_down()
    _parts.clear()
    _world = None
    if sys.excepthook is _end_all:
        sys.excepthook = sys.__excepthook__


def _end_all(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    from tensorglass.distributed.mpi_processes import end_all_processes

    sys.__excepthook__(kind, error, traceback)
    sys.stdout.flush()
    sys.stderr.flush()
    time.sleep(0.5)  # mpiexec drops output that it has not read by then, from this process and others that fail with it
    end_all_processes()


def default_group() -> ProcessGroup:
    """The default group, or PyTorch's error that there is none."""
    if _world is None:
        raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")
    return _world


def found(group: Group) -> ProcessGroup | None:
    """The group that `group` refers to, or None if this process is not in it."""
    if isinstance(group, int):  # GroupMember.NON_GROUP_MEMBER
        return None
    return default_group() if group is None else group


def member_of(group: Group, caller: str) -> ProcessGroup | None:
    """The same, with a warning if this process is not in it."""
    chosen = found(group)
    if chosen is None:
        warn(f"Running {caller} on global rank {get_rank()} which does not belong to the given group.")
    return chosen


def rank_in(group: ProcessGroup, global_rank: int | None, group_rank: int | None) -> int:
    """A process's rank in the group, from its group rank or its global rank."""
    if group_rank is not None:
        if global_rank is not None:
            raise ValueError("Can't specify both group_rank and global_rank")
        return group_rank
    if global_rank is None:
        raise ValueError("Must specify global_rank or group_rank")
    return get_group_rank(group, global_rank)


def get_rank(group: Group = None) -> int:
    """This process's number in a group, or -1."""
    chosen = found(group)
    return -1 if chosen is None else chosen.rank()


def get_world_size(group: Group = None) -> int:
    """The number of processes in a group, or -1 for a process that is not in it."""
    chosen = found(group)
    return -1 if chosen is None else chosen.size()


def get_backend(group: Group = None) -> str:
    """The engine: "mpi"."""
    chosen = found(group)
    if chosen is None:
        raise ValueError("Invalid process group specified")
    return chosen.name()


def get_group_rank(group: Group, global_rank: int) -> int:
    """A process's number in a group, from its number among all."""
    chosen = found(group)
    if chosen is not None and chosen is _world:
        return global_rank
    ranks = () if chosen is None else chosen.ranks
    if global_rank not in ranks:
        raise ValueError(f"Global rank {global_rank} is not part of group {group}")
    return ranks.index(global_rank)


def get_global_rank(group: Group, group_rank: int) -> int:
    """A process's number among all, from its number in a group."""
    chosen = found(group)
    if chosen is not None and chosen is _world:
        return group_rank
    ranks = () if chosen is None else chosen.ranks
    if not 0 <= group_rank < len(ranks):
        raise ValueError(f"Group rank {group_rank} is not part of group {group}")
    return ranks[group_rank]


def get_process_group_ranks(group: ProcessGroup | None) -> list[int]:
    """The numbers among all of a group's processes."""
    return list((group or default_group()).ranks)


def new_group(
    ranks: Sequence[int] | None = None,
    timeout: timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    use_local_synchronization: bool = False,
    group_desc: str | None = None,
    device_id: Any = None,
    sort_ranks: bool = True,
) -> ProcessGroup | int:
    """A group of some processes, numbered in ascending order, or as in `ranks` if `sort_ranks` is False.

    The processes in it must call this; others may, and get `GroupMember.NON_GROUP_MEMBER`.
    """
    everyone = default_group()
    size = everyone.size()
    chosen = list(range(size) if ranks is None else sorted(ranks) if sort_ranks else ranks)
    if len(set(chosen)) < len(chosen):
        raise ValueError(f"ranks list must not contain duplicate entries, got {chosen}")
    if len(chosen) > size:
        raise ValueError(
            "the new group's world size should be less or equal to the world size set by init_process_group"
        )
    for rank in chosen:
        if not 0 <= rank < size:
            raise ValueError(f"Rank {rank} is out of range. Valid ranks are 0 to {size - 1} (world_size={size})")
    group = everyone.part(chosen, timeout)
    if group is None:
        return GroupMember.NON_GROUP_MEMBER
    _parts.append(group)
    return group


def new_subgroups(
    group_size: int | None = None,
    group: Group = None,
    timeout: timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    group_desc: str | None = None,
) -> tuple[ProcessGroup | int | None, list[ProcessGroup | int]]:
    """The processes of a group dealt out to groups of `group_size`, in their order: this process's, and all of them."""
    if group_size is None:
        raise ValueError(
            "Default group size only takes effect when CUDA is available.If your subgroup using a backend that does "
            "not depend on CUDA,please pass in 'group_size' correctly."  # sic
        )
    if group_size <= 0:
        raise ValueError(f"The arg 'group_size' ({group_size}) must be positive")
    world_size = get_world_size(group)
    if world_size < group_size:
        raise ValueError(f"The arg 'group_size' ({group_size}) must not exceed the world size ({world_size})")
    if world_size % group_size:
        raise ValueError(f"The world size ({world_size}) must be divisible by '{group_size=}'")
    ranks = get_process_group_ranks(found(group))
    parts = [ranks[start : start + group_size] for start in range(0, world_size, group_size)]
    return new_subgroups_by_enumeration(parts, timeout, backend, pg_options, group_desc)


def new_subgroups_by_enumeration(
    ranks_per_subgroup_list: Sequence[Sequence[int]],
    timeout: timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    group_desc: str | None = None,
) -> tuple[ProcessGroup | int | None, list[ProcessGroup | int]]:
    """A group of each of these lists of ranks: the one that this process is in, or None, and all of them."""
    if not ranks_per_subgroup_list:
        raise ValueError("The arg 'ranks_per_subgroup_list' cannot be empty")
    places: dict[int, Sequence[int]] = {}
    for ranks in ranks_per_subgroup_list:
        for rank in ranks:
            if rank in places:
                raise ValueError(f"Rank {rank} has appeared in both subgroup {places[rank]} and {ranks}")
            places[rank] = ranks
    subgroups = [new_group(ranks, timeout, backend, pg_options) for ranks in ranks_per_subgroup_list]
    own = [subgroup for subgroup, ranks in zip(subgroups, ranks_per_subgroup_list, strict=True) if get_rank() in ranks]
    return own[0] if own else None, subgroups
