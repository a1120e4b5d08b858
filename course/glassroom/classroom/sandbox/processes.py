"""What the kernel knows about a program: its processes, their memory, and the time that they had. A program's time runs
while it computes and while it sleeps. It stops while the program waits for a core that others use, so a busy machine
costs it nothing.
"""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Iterator

SOCKETS, SOCKET = 16, 4_000_000  # sockets that every program has; bytes that each further one may hold


class TimeHad:
    """The time that some programs have had since this was made: the time that passes while none of them waits for a
    core. Whether one waits is only seen in `look`, so it must be called often. While any process is ready to run, CPU
    time counts; otherwise the clock.
    """

    def __init__(self, *pids: int) -> None:
        self._pids = pids
        self._ran: dict[int, int] = {}  # by process; the time of an ended one is kept
        self._looked = time.monotonic()
        self._look()
        self.seconds = 0.0

    def look(self) -> float:
        """The seconds until now."""
        ran, ready = self._look()
        now = time.monotonic()
        passed, self._looked = now - self._looked, now
        self.seconds += min(passed, ran) if ready else passed
        return self.seconds

    def _look(self) -> tuple[float, bool]:
        """CPU seconds of the programs since the last look, and whether any process is ready to run."""
        ticks, ready = 0, False
        for pid in (descendant for root in self._pids for descendant in descendants(root)):
            with contextlib.suppress(OSError, IndexError, ValueError), open(f"/proc/{pid}/stat") as file:
                state, *numbers = file.read().rpartition(")")[2].split()
                ran = int(numbers[10]) + int(numbers[11])
                ticks += max(0, ran - self._ran.get(pid, 0))
                self._ran[pid] = ran
                ready = ready or state == "R" or (int(numbers[16]) > 1 and _has_ready_thread(pid))
        return ticks / os.sysconf("SC_CLK_TCK"), ready


def _has_ready_thread(pid: int) -> bool:
    for task in os.listdir(f"/proc/{pid}/task"):
        with contextlib.suppress(OSError, IndexError), open(f"/proc/{pid}/task/{task}/stat") as file:
            if file.read().rpartition(")")[2].split()[0] == "R":
                return True
    return False


def descendants(pid: int) -> Iterator[int]:
    """A process and its descendants that still exist."""
    pids, waiting = {pid}, [pid]
    while waiting and len(pids) < 5000:
        process = waiting.pop()
        yield process
        try:
            tasks = os.listdir(f"/proc/{process}/task")
            children: list[int] = []
            for task in tasks:
                with open(f"/proc/{process}/task/{task}/children") as file:
                    children += map(int, file.read().split())
        except OSError:
            continue
        waiting += [child for child in children if child not in pids]
        pids.update(children)


def processor(pid: int) -> float:
    """CPU seconds of a process and its descendants, including those that have ended."""
    ticks = 0
    for process in descendants(pid):
        with contextlib.suppress(OSError, IndexError, ValueError), open(f"/proc/{process}/stat") as file:
            ticks += sum(map(int, file.read().rpartition(")")[2].split()[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def resident(pid: int) -> int:
    """The resident bytes of a process."""
    try:
        with open(f"/proc/{pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0


def nameless(family: list[int]) -> int:
    """Bytes that no process's memory shows: those in nameless files in memory, and those that sockets may hold."""
    blocks: dict[tuple[int, int], int] = {}
    sockets = set()
    for pid in family:
        with contextlib.suppress(OSError), os.scandir(f"/proc/{pid}/fd") as opened:
            for file in opened:
                with contextlib.suppress(OSError):
                    about = file.stat()
                    if stat.S_ISREG(about.st_mode) and about.st_nlink == 0:
                        blocks[about.st_dev, about.st_ino] = about.st_blocks * 512
                    elif stat.S_ISSOCK(about.st_mode):
                        sockets.add(about.st_ino)
    return sum(blocks.values()) + SOCKET * max(0, len(sockets) - SOCKETS)


def files_in_memory(pid: int) -> int:
    """The number of files in a sandbox's folders in memory; extended attributes count as files, by their kilobytes."""
    count = 0
    for folder in ("tmp", "home", "dev/shm"):
        with contextlib.suppress(OSError):
            about = os.statvfs(f"/proc/{pid}/root/{folder}")
            count += about.f_files - about.f_ffree
    return count
