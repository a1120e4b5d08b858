"""A program for `mpiexec`: the last process is lost in the way that the first argument says, and all others call what
the second one names. Each leaves its number, with the names of MPI's shared memory, in the folder that the third one
names.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import tensorglass as torch
from tensorglass import distributed as dist
from tensorglass import nn
from tensorglass.nn.parallel import DistributedDataParallel

TIMEOUT = 2
SIGNALS = {"killed": signal.SIGKILL, "stopped": signal.SIGSTOP, "ended": signal.SIGTERM, "crashed": signal.SIGABRT}
WAYS = (*SIGNALS, "leaves", "exits", "raises", "without mpiexec")


def calls(rank: int, size: int) -> dict[str, Callable[[], object]]:
    """What waits for the last process."""
    x, large, last = torch.ones(3), torch.ones(1_000_000), size - 1

    def many() -> list[torch.Tensor]:
        return [torch.empty(3) for _ in range(size)]

    def both() -> None:
        operations = [dist.P2POp(dist.isend, large, last), dist.P2POp(dist.irecv, x, last)]
        for work in dist.batch_isend_irecv(operations):
            work.wait()

    def begun() -> None:
        work = dist.all_reduce(x, async_op=True)
        assert work is not None
        work.wait()

    def learn() -> None:
        DistributedDataParallel(nn.Linear(2, 2))(torch.ones(3, 2)).sum().backward()

    def join() -> None:
        with DistributedDataParallel(nn.Linear(2, 2)).join():
            pass

    return {
        "all_reduce": lambda: dist.all_reduce(x),
        "async": begun,
        "broadcast": lambda: dist.broadcast(x, last),
        "all_gather": lambda: dist.all_gather(many(), x),
        "gather": lambda: dist.gather(x, many() if rank == 0 else None, 0),
        "scatter": lambda: dist.scatter(x, None, last),
        "reduce_scatter": lambda: dist.reduce_scatter(torch.empty(3), many()),
        "all_to_all": lambda: dist.all_to_all(many(), many()),
        "barrier": dist.barrier,
        "send": lambda: dist.send(large, last),
        "recv": lambda: dist.recv(x, last),
        "recv from any": lambda: dist.recv(x),
        "batch": both,
        "broadcast_object_list": lambda: dist.broadcast_object_list([1], last),
        "all_gather_object": lambda: dist.all_gather_object([None] * size, "x" * 100_000),
        "gather_object": lambda: dist.gather_object("x", [None] * size if rank == 0 else None, 0),
        "scatter_object_list": lambda: dist.scatter_object_list([None], None, last),
        "send_object_list": lambda: dist.send_object_list(["x" * 10_000_000], last),
        "recv_object_list": lambda: dist.recv_object_list([None], last),
        "recv_object_list from any": lambda: dist.recv_object_list([None]),
        "new_group": lambda: dist.new_group(list(range(size))),
        "new_subgroups": lambda: dist.new_subgroups(size),
        "training": learn,
        "join": join,
    }


def main(way: str, call: str, folder: str) -> None:
    dist.init_process_group("mpi", timeout=timedelta(seconds=TIMEOUT))
    rank, size = dist.get_rank(), dist.get_world_size()
    names = re.findall(r"/dev/shm/mpich\S+", Path("/proc/self/maps").read_text())
    (Path(folder) / str(os.getpid())).write_text("\n".join(names))
    dist.barrier()
    if rank == size - 1:
        if way in SIGNALS:
            os.kill(os.getpid(), SIGNALS[way])
        if way == "exits":
            os._exit(0)
        if way == "raises":
            raise ZeroDivisionError("the last process has failed")
        if way == "without mpiexec":
            os.kill(int(Path(folder, "mpiexec").read_text()), signal.SIGKILL)
            dist.barrier()
        sys.exit(0)
    calls(rank, size)[call]()
    print(f"{rank} went on", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
