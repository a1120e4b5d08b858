"""What the child processes of `test_sharing` run. A module of its own: `spawn` imports it by name."""

from __future__ import annotations

import os
import signal
import time
from multiprocessing.connection import Connection
from typing import Any

import tensorglass as torch


def write_and_tell(inbox: Any, outbox: Any) -> None:
    """Receive (a, b), write to a, and send b back with what it shares with a."""
    a, b = inbox.get()
    a.add_(10)
    outbox.put((b, a.untyped_storage() is b.untyped_storage(), b.size(), b.stride(), b.storage_offset()))
    inbox.get()  # the sender of a handle stays until it is fetched


def write_over_pipe(end: Connection) -> None:
    """Receive tensors one by one until None comes; double each, and tell whether all have the storage of the first."""
    first, same = None, True
    while (tensor := end.recv()) is not None:
        first = tensor if first is None else first
        same = same and tensor.untyped_storage() is first.untyped_storage()
        tensor.mul_(2)
        end.send(same)


def fill_row(matrix: torch.Tensor, row: int) -> torch.Tensor:
    """For a pool: write a row of a shared matrix, and return it."""
    matrix[row].fill_(row)
    return matrix[row]


def add_many(index: int, counter: torch.Tensor, lock: Any, times: int) -> None:
    """Add 1 again and again, each time under the lock."""
    for _ in range(times):
        with lock:
            counter[0] += 1


def mark(index: int, marks: torch.Tensor) -> None:
    """Leave a mark at the place of this process."""
    marks[index] = index + 1


def fail(index: int) -> None:
    """Process 1 raises; the others would run for long."""
    if index == 1:
        raise ValueError("told by the child")
    time.sleep(60)


def end_by_signal(index: int) -> None:
    """End as a process does that the system kills."""
    os.kill(os.getpid(), signal.SIGKILL)


def hold(end: Connection) -> None:
    """Hold a tensor that was received and one of its own, and write to both until killed."""
    theirs = end.recv()
    mine = torch.ones(1000).share_memory_()
    end.send(mine)
    end.recv()
    while True:
        theirs.add_(1)
        mine.add_(1)


def never_read(end: Connection) -> None:
    """Never read the message."""
    time.sleep(60)


def exchange(end: Connection) -> None:
    """Send back everything that is received, with a tensor of its own, until killed."""
    while True:
        end.send((end.recv(), torch.ones(50)))
