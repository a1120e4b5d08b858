"""Several processes that exchange arrays, by an MPI communicator.

Every operation is one of MPI's non-blocking ones; `collectives` handles tensors and PyTorch's errors.
"""

from __future__ import annotations

import os
import re
from array import array
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from itertools import accumulate
from pathlib import Path
from typing import Any

from mpi4py import MPI

from tensorglass.distributed.process_group import ProcessGroup
from tensorglass.distributed.reduce_op import RedOpType
from tensorglass.distributed.work import Work, poll
from tensorglass.tensor.tensor import Tensor

_OPS = {
    RedOpType.SUM: MPI.SUM,
    RedOpType.AVG: MPI.SUM,  # `collectives` divides it
    RedOpType.PRODUCT: MPI.PROD,
    RedOpType.MIN: MPI.MIN,
    RedOpType.MAX: MPI.MAX,
    RedOpType.BAND: MPI.BAND,
    RedOpType.BOR: MPI.BOR,
    RedOpType.BXOR: MPI.BXOR,
}
_MEETING = 32_767  # a tag that every MPI has: the largest that it must have


class MPIProcesses(ProcessGroup):
    """Some of the processes that `mpiexec` has started."""

    kind = "MPI"
    any_source = MPI.ANY_SOURCE
    in_place = MPI.IN_PLACE

    def __init__(self, communicator: MPI.Intracomm, ranks: Sequence[int], timeout: timedelta) -> None:
        super().__init__(ranks, timeout)
        self._communicator = communicator
        self._started: list[Work] = []

    def rank(self) -> int:
        return self._communicator.rank

    def name(self) -> str:
        return "mpi"

    def start(self, method: str, *arguments: Any, finish: Callable[[], Sequence[Tensor]] = tuple) -> Work:
        # The group holds it until it is complete: the arrays that MPI reads and writes must last as long.
        self._started = [work for work in self._started if not work.is_completed()]
        request = getattr(self._communicator, method)(*arguments)
        work = Work(method.removeprefix("I"), request, self._timeout, finish)
        self._started.append(work)
        return work

    def reduction(self, op: RedOpType) -> MPI.Op:
        return _OPS[op]

    def gather_objects(self, value: Any, root: int | None = None) -> list[Any]:
        method, to = ("Iallgather", ()) if root is None else ("Igather", (root,))
        arrives = root is None or root == self.rank()
        mine, sizes = MPI.pickle.dumps(value), array("q", bytes(8 * self.size()))
        self._carry_out(method, array("q", [len(mine)]), sizes if arrives else None, *to)
        arrived = memoryview(bytearray(sum(sizes)))
        self._carry_out(f"{method}v", mine, (arrived, list(sizes)) if arrives else None, *to)
        ends = list(accumulate(sizes))
        parts = [arrived[end - size : end] for end, size in zip(ends, sizes, strict=True)]
        return [MPI.pickle.loads(part) for part in parts] if arrives else []

    def broadcast_object(self, value: Any, root: int) -> Any:
        content = bytearray(MPI.pickle.dumps(value) if root == self.rank() else b"")
        size = array("q", [len(content)])
        self._carry_out("Ibcast", size, root)
        if root == self.rank():
            self._carry_out("Ibcast", content, root)
            return value
        arrived = bytearray(size[0])
        self._carry_out("Ibcast", arrived, root)
        return MPI.pickle.loads(arrived)

    def scatter_objects(self, values: Sequence[Any] | None, root: int) -> Any:
        parts: list[bytes] = []
        if is_root := root == self.rank():
            if values is None or len(values) != self.size():
                raise ValueError(f"expecting {self.size()} items, got {0 if values is None else len(values)}")
            parts = [MPI.pickle.dumps(value) for value in values]
        size = array("q", [0])
        self._carry_out("Iscatter", array("q", map(len, parts)) if is_root else None, size, root)
        arrived = bytearray(size[0])
        self._carry_out("Iscatterv", (b"".join(parts), [*map(len, parts)]) if is_root else None, arrived, root)
        return MPI.pickle.loads(arrived)

    def send_object(self, value: Any, target: int) -> None:
        self._carry_out("Isend", MPI.pickle.dumps(value), target)

    def receive_object(self, source: int) -> tuple[int, Any]:
        status, messages = MPI.Status(), list[MPI.Message]()

        def has_come() -> bool:
            message = self._communicator.Improbe(source, 0, status)
            messages.extend([message] if message else [])
            return bool(messages)

        poll(has_come, self._timeout, "recv")
        arrived = bytearray(status.Get_count(MPI.BYTE))
        Work("recv", messages[0].Irecv(arrived), self._timeout, tuple).wait()
        return status.source, MPI.pickle.loads(arrived)

    def _carry_out(self, method: str, *arguments: Any) -> None:
        self.start(method, *arguments).wait()

    def part(self, ranks: Sequence[int], timeout: timedelta | None) -> ProcessGroup | None:
        if self.rank() not in ranks:
            return None
        self._meet(ranks)
        communicator = self._communicator.Create_group(self._communicator.group.Incl(ranks))
        return MPIProcesses(communicator, [self.ranks[rank] for rank in ranks], timeout or self._timeout)

    def _meet(self, ranks: Sequence[int]) -> None:
        """Wait for all of these processes: MPI makes a communicator without a limit of time."""
        first, *others = ranks
        arrived = bytearray()
        if self.rank() == first:
            for rank in others:
                self._carry_out("Irecv", arrived, rank, _MEETING)
            for rank in others:
                self._carry_out("Isend", arrived, rank, _MEETING)
        else:
            self._carry_out("Isend", arrived, first, _MEETING)
            self._carry_out("Irecv", arrived, first, _MEETING)

    def shut_down(self) -> None:
        for work in self._started:
            work.wait()
        self._communicator.Free()


def world(timeout: timedelta) -> ProcessGroup:
    """All processes that `mpiexec` has started."""
    communicator = MPI.COMM_WORLD.Dup()
    _leave_no_name()  # all processes have come so far, so all of this machine have opened it
    return MPIProcesses(communicator, range(communicator.size), timeout)


def _leave_no_name() -> None:
    """Delete the name of MPICH's shared memory, which stays in /dev/shm where a program does not end by itself. What
    processes have of it, they keep.
    """
    with suppress(OSError):  # no Linux, or another process was first
        for name in set(re.findall(r"/dev/shm/mpich_shm_\S+", Path("/proc/self/maps").read_text())):
            os.unlink(name)


def end_all_processes() -> None:
    """End every process that `mpiexec` has started; it returns a failure."""
    MPI.COMM_WORLD.Abort(1)
