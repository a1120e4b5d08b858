"""An attack: one of several processes that exchange tensors by MPI is lost while the others call one operation.

Each round draws how it is lost, and the operation. The program ends, with a failure, and says why: mpiexec names the
signal, or the others' calls raise that the time is over. No process is left, and no name in /dev/shm.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from attacks import lost_rank

MPIEXEC = Path(sys.executable).with_name("mpiexec")
PATIENCE = 120  # seconds on a busy machine; MPI starts for three of them
TIMED_OUT = "Timed out waiting 2000ms for"
BY_MPIEXEC = "EXIT STRING"  # followed by a signal: perhaps the one by which mpiexec ended another process
SAID = {
    "killed": (BY_MPIEXEC,),
    "ended": (BY_MPIEXEC,),
    "crashed": (BY_MPIEXEC,),
    "raises": ("ZeroDivisionError: the last process has failed",),
    "leaves": (TIMED_OUT,),
    "stopped": (TIMED_OUT,),
}


def run(amount: int, seed: int, calls: tuple[str, ...] = ()) -> dict[str, Any]:
    """Lose a process `amount` times. Returns how many of each kind there were, and what went wrong."""
    drawn, tried, broken = random.Random(seed), Counter[str](), list[str]()
    calls = calls or tuple(lost_rank.calls(0, 3))
    for number in range(amount):
        way, call = lost_rank.WAYS[number % len(lost_rank.WAYS)], drawn.choice(calls)
        broken += [f"{way}, {call}, round {number}: {fault}" for fault in lost(way, call, drawn.choice((2, 3, 4)))]
        tried[way] += 1
    return {"tried": sum(tried.values()), "kinds": dict(tried), "broken": broken}


def lost(way: str, call: str, processes: int) -> list[str]:
    """Lose one of the processes in this way, during this call. Returns what went wrong."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        output = folder / "output"
        command = [str(MPIEXEC), "-n", str(processes), sys.executable, lost_rank.__file__, way, call, place]
        with open(output, "w") as file:
            started = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT, start_new_session=True)
        (folder / "mpiexec").write_text(str(started.pid))
        faults = []
        try:
            code = started.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            faults.append("no end")
            os.killpg(started.pid, signal.SIGKILL)
            code = started.wait()
        said = output.read_text()
        if not code and way != "exits":  # after `os._exit(0)` MPICH ends all, and with two processes it reports nothing
            faults.append("mpiexec returned 0")
        if not faults and way in SAID and not any(words in said for words in SAID[way]):
            faults.append(f"said {said[-500:]!r}")
        if left := _running(folder):
            faults.append(f"{len(left)} of {processes} processes are left")
            for number in left:
                os.kill(number, signal.SIGKILL)
        names = {name for line in folder.iterdir() if line.name.isdigit() for name in line.read_text().splitlines()}
        return [*faults, *(f"{name} is left" for name in names if os.path.exists(name))]


def _running(folder: Path) -> list[int]:
    """Which of the processes still run; the last ones may end after mpiexec."""
    until = time.monotonic() + 20
    while True:
        left = [int(path.name) for path in folder.iterdir() if path.name.isdigit() and _is_running(path.name, folder)]
        if not left or time.monotonic() > until:
            return left
        time.sleep(0.05)


def _is_running(number: str, folder: Path) -> bool:
    try:
        return str(folder).encode() in Path(f"/proc/{number}/cmdline").read_bytes()
    except OSError:
        return False
