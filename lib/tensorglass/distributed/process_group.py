"""`ProcessGroup`: what collective operations ask of a group. `mpi_processes` has several, `one_process` has one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

from tensorglass.distributed.reduce_op import RedOpType
from tensorglass.distributed.work import Work
from tensorglass.tensor.tensor import Tensor


class ProcessGroup(ABC):
    """Some of the processes: `ranks` are their numbers among all."""

    kind: str  #: the engine, as errors name it
    any_source: Any  #: stands for whichever process sends first
    in_place: Any  #: stands for the array that is written, where it is read too

    def __init__(self, ranks: Sequence[int], timeout: timedelta) -> None:
        self.ranks = tuple(ranks)
        self._timeout = timeout

    @abstractmethod
    def rank(self) -> int:
        """This process's number in the group."""

    def size(self) -> int:
        """The number of processes in the group."""
        return len(self.ranks)

    @abstractmethod
    def name(self) -> str:
        """The engine."""

    @abstractmethod
    def start(self, method: str, *arguments: Any, finish: Callable[[], Sequence[Tensor]] = tuple) -> Work:
        """Begin an operation by the name and arguments of one of MPI's non-blocking methods, such as "Iallreduce"."""

    @abstractmethod
    def reduction(self, op: RedOpType) -> Any:
        """The engine's operation for a reduction."""

    @abstractmethod
    def gather_objects(self, value: Any, root: int | None = None) -> list[Any]:
        """The objects of all processes, in the order of ranks: in the process `root`, and without it in all."""

    @abstractmethod
    def broadcast_object(self, value: Any, root: int) -> Any:
        """The object of the process `root`, which every process gets."""

    @abstractmethod
    def scatter_objects(self, values: Sequence[Any] | None, root: int) -> Any:
        """This process's object of those that the process `root` has, one for each."""

    @abstractmethod
    def send_object(self, value: Any, target: int) -> None:
        """Send an object to another process."""

    @abstractmethod
    def receive_object(self, source: int) -> tuple[int, Any]:
        """An object that another process sends, after the number of that process in the group."""

    @abstractmethod
    def part(self, ranks: Sequence[int], timeout: timedelta | None) -> ProcessGroup | None:
        """A group of some of this one's processes, for those that are in it."""

    @abstractmethod
    def shut_down(self) -> None:
        """Wait for running operations, and free what the engine holds."""
