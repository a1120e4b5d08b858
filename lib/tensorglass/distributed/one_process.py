"""A group of one process, which needs no engine: what it sends, it receives.

Programs that several processes can run are often run by one: to try them, on a laptop, in tests.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, NoReturn
from urllib.parse import parse_qs, urlsplit

from tensorglass.distributed.process_group import ProcessGroup
from tensorglass.distributed.reduce_op import RedOpType
from tensorglass.distributed.work import Work
from tensorglass.tensor.tensor import Tensor


class OneProcess(ProcessGroup):
    """This process alone."""

    kind, any_source, in_place = "Gloo", -1, None

    def __init__(self, timeout: timedelta) -> None:
        super().__init__((0,), timeout)

    def rank(self) -> int:
        return 0

    def name(self) -> str:
        return "gloo"

    def start(self, method: str, *arguments: Any, finish: Callable[[], Sequence[Tensor]] = tuple) -> Work:
        if method in ("Isend", "Irecv"):
            _refuse()
        if method in ("Iallgather", "Igather", "Iscatter", "Ireduce_scatter_block"):
            sent, arrived = arguments[:2]
            arrived[...] = sent.reshape(arrived.shape)
        elif method == "Ialltoallv":
            (sent, _), (arrived, _) = arguments
            arrived[...] = sent
        return Work(method.removeprefix("I"), None, self._timeout, finish)  # other operations leave what is there

    def reduction(self, op: RedOpType) -> RedOpType:
        return op

    def gather_objects(self, value: Any, root: int | None = None) -> list[Any]:
        return [copy.deepcopy(value)]

    def broadcast_object(self, value: Any, root: int) -> Any:
        return value

    def scatter_objects(self, values: Sequence[Any] | None, root: int) -> Any:
        if values is None or len(values) != 1:
            raise RuntimeError(
                f"ProcessGroupGloo::scatter: Incorrect input list size {len(values or ())}. "
                "Input list size should be 1, same as size of the process group."
            )
        return copy.deepcopy(values[0])

    def send_object(self, value: Any, target: int) -> None:
        _refuse()

    def receive_object(self, source: int) -> tuple[int, Any]:
        _refuse()

    def part(self, ranks: Sequence[int], timeout: timedelta | None) -> ProcessGroup | None:
        return OneProcess(timeout or self._timeout) if 0 in ranks else None

    def shut_down(self) -> None:
        """Nothing is running."""


def _refuse() -> NoReturn:
    raise RuntimeError("There is no other process in the group to send to or to receive from.")


def how_many(init_method: str | None, world_size: int, rank: int, store: Any) -> int:
    """The number of processes that a call of `init_process_group` is for, told by its arguments, or by the environment
    as ``torchrun`` leaves it. Raises PyTorch's ValueError for what is missing.
    """
    if store is not None:
        return world_size
    method = init_method or "env://"
    scheme, given = urlsplit(method).scheme, parse_qs(urlsplit(method).query)
    numbers = {"rank": rank, "world_size": world_size}
    for name, number in numbers.items():
        if number == -1 and name in given:
            numbers[name] = int(given[name][0])
        elif number == -1 and scheme != "env":
            missing = f"{name.replace('_', ' ')} parameter missing"
            raise ValueError(f"Error initializing torch.distributed using {scheme}:// rendezvous: {missing}")
        elif number == -1:
            numbers[name] = int(_from_environment(name.upper()))
    if scheme == "env":
        for name in ("MASTER_ADDR", "MASTER_PORT"):
            _from_environment(name)
    return numbers["world_size"]


def _from_environment(name: str) -> str:
    value = os.environ.get(name)
    if value is None:
        raise ValueError(
            "Error initializing torch.distributed using env:// rendezvous: environment variable "
            f"{name} expected, but not set"
        )
    return value
