"""One process fails, in the way that an argument says, while the others wait. Each leaves its number in a folder."""

import os
import signal
import sys
from datetime import timedelta
from pathlib import Path

import tensorglass as torch
from tensorglass import distributed as dist

way, folder = sys.argv[1:]
dist.init_process_group("mpi", timeout=timedelta(seconds=2 if way == "leaves" else 1800))
(Path(folder) / str(os.getpid())).touch()
x = torch.ones(3)
dist.all_reduce(x)
if dist.get_rank() == dist.get_world_size() - 1:
    if way == "raises":
        raise ZeroDivisionError("the last process has failed")
    if way == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    sys.exit(0)  # it ends, without an error
dist.all_reduce(x)
