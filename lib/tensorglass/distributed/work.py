"""`Work`: an operation between processes that has begun, and may still go on."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from tensorglass.tensor.tensor import Tensor

if TYPE_CHECKING:
    from mpi4py import MPI

#: How often MPI is polled without a pause, and the longest pause after that, in seconds.
_ASKED_WITHOUT_PAUSE, _LONGEST_PAUSE = 200, 1e-3


class Work:
    """What `async_op=True` returns. The tensors have their new elements after `wait()`."""

    def __init__(
        self, name: str, request: MPI.Request | None, timeout: timedelta, finish: Callable[[], Sequence[Tensor]]
    ) -> None:
        """`finish` is called once, when `request` is complete, or now if it is None; it stores what arrived and returns
        those tensors."""
        self._name = name
        self._request = request
        self._timeout = timeout
        self._finish = finish
        self._result: list[Tensor] | None = None if request is not None else list(finish())
        self._source = -1

    def is_completed(self) -> bool:
        """Whether the operation is complete. Polling also lets MPI make progress."""
        if self._result is None and self._request is not None:
            from mpi4py import MPI

            status = MPI.Status()
            if not self._request.Test(status):
                return False
            self._source = status.source
            self._result = list(self._finish())
        return True

    def is_success(self) -> bool:
        """The same: an operation that fails raises an error."""
        return self.is_completed()

    def wait(self, timeout: timedelta = timedelta(0)) -> bool:
        """Wait until the operation is complete; without `timeout`, the group's timeout holds.

        MPI is polled, with pauses, because neither Ctrl-C nor a timeout would end a wait inside MPI.
        """
        poll(self.is_completed, timeout or self._timeout, self._name)
        return True

    def synchronize(self) -> None:
        """Wait."""
        self.wait()

    def result(self) -> list[Tensor]:
        """The tensors that the operation has written to."""
        self.wait()
        return self._result or []

    def source_rank(self) -> int:
        """The rank in the group of the process that sent what was received."""
        self.wait()
        return self._source


def poll(is_done: Callable[[], bool], limit: timedelta, name: str) -> None:
    """Ask whether something is done until it is, or until the time is over: then PyTorch's error names it."""
    deadline = time.monotonic() + limit.total_seconds()
    asked = 0
    while not is_done():
        if time.monotonic() > deadline:
            milliseconds = round(limit.total_seconds() * 1000)
            raise RuntimeError(f"Timed out waiting {milliseconds}ms for {name} operation to complete")
        asked += 1
        time.sleep(min(max(asked - _ASKED_WITHOUT_PAUSE, 0) * 1e-6, _LONGEST_PAUSE))
