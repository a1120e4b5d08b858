"""`ProcessGroup`: several processes that exchange arrays, by an MPI communicator.

Every operation is one of MPI's non-blocking ones; `collectives` handles tensors and PyTorch's errors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

from mpi4py import MPI

from tensorglass.distributed.reduce_op import RedOpType
from tensorglass.distributed.work import Work
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


class ProcessGroup:
    """Some of the processes: `ranks` are their numbers among all."""

    any_source = MPI.ANY_SOURCE
    in_place = MPI.IN_PLACE

    def __init__(self, communicator: MPI.Intracomm, ranks: Sequence[int], timeout: timedelta) -> None:
        self._communicator = communicator
        self.ranks = tuple(ranks)
        self._timeout = timeout
        self._started: list[Work] = []

    def rank(self) -> int:
        """This process's number in the group."""
        return self._communicator.rank

    def size(self) -> int:
        """The number of processes in the group."""
        return self._communicator.size

    def name(self) -> str:
        """The engine."""
        return "mpi"

    def start(self, method: str, *arguments: Any, finish: Callable[[], Sequence[Tensor]] = tuple) -> Work:
        """Begin an operation by one of MPI's non-blocking methods, such as "Iallreduce".

        The group holds it until it is complete: the arrays that MPI reads and writes must last as long.
        """
        self._started = [work for work in self._started if not work.is_completed()]
        request = getattr(self._communicator, method)(*arguments)
        work = Work(method.removeprefix("I"), request, self._timeout, finish)
        self._started.append(work)
        return work

    def reduction(self, op: RedOpType) -> MPI.Op:
        """MPI's operation for a reduction."""
        return _OPS[op]

    def exchange(self, method: str, *arguments: Any) -> Any:
        """Call one of MPI's methods that send pickled objects."""
        return getattr(self._communicator, method)(*arguments)

    def receive(self, source: int) -> tuple[int, Any]:
        """A pickled object that another process sends, after the number of that process in the group."""
        status = MPI.Status()
        received = self._communicator.recv(source=source, status=status)
        return status.source, received

    def part(self, ranks: Sequence[int], timeout: timedelta | None) -> ProcessGroup | None:
        """A group of some of this one's processes, for those that are in it."""
        if self.rank() not in ranks:
            return None
        communicator = self._communicator.Create_group(self._communicator.group.Incl(ranks))
        return ProcessGroup(communicator, [self.ranks[rank] for rank in ranks], timeout or self._timeout)

    def shut_down(self) -> None:
        """Wait for running operations, and free the communicator."""
        for work in self._started:
            work.wait()
        self._communicator.Free()


def world(timeout: timedelta) -> ProcessGroup:
    """All processes that `mpiexec` has started."""
    communicator = MPI.COMM_WORLD.Dup()
    return ProcessGroup(communicator, range(communicator.size), timeout)


def end_all_processes() -> None:
    """End every process that `mpiexec` has started; it returns a failure."""
    MPI.COMM_WORLD.Abort(1)
