"""What the kernel says of a program from outside: its processes, their memory, and the time that they had.

A program has time while it runs and while it sleeps. It has none while it waits for a core that others have, so a
busy machine takes nothing from it.
"""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Iterator

SOCKETS, SOCKET = 16, 4_000_000  # so many any program has; bytes that each further one may hold
_TICKS = os.sysconf("SC_CLK_TCK")


class TimeHad:
    """The time that some programs have had since this was made: what passes while none of them waits for a core.

    Whether one waits is seen when `look` is called, so it is called often. While any is ready to run, what their
    processes ran counts; else the clock.
    """

    def __init__(self, *pids: int) -> None:
        self._pids = pids
        self._ran: dict[int, int] = {}  # by process; one that has ended takes nothing back
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
        """Seconds of a core that went to the programs since the last look, and whether any is ready for more."""
        ticks, ready = 0, False
        for pid in (each for root in self._pids for each in descendants(root)):
            with contextlib.suppress(OSError, IndexError, ValueError), open(f"/proc/{pid}/stat") as file:
                state, *numbers = file.read().rpartition(")")[2].split()
                ran = int(numbers[10]) + int(numbers[11])
                ticks += max(0, ran - self._ran.get(pid, 0))
                self._ran[pid] = ran
                ready = ready or state == "R" or (int(numbers[16]) > 1 and _has_ready_thread(pid))
        return ticks / _TICKS, ready


def _has_ready_thread(pid: int) -> bool:
    for task in os.listdir(f"/proc/{pid}/task"):
        with contextlib.suppress(OSError, IndexError), open(f"/proc/{pid}/task/{task}/stat") as file:
            if file.read().rpartition(")")[2].split()[0] == "R":
                return True
    return False


def descendants(pid: int) -> Iterator[int]:
    """A process and all that it has started, as far as they are there."""
    found, waiting = {pid}, [pid]
    while waiting and len(found) < 5000:
        each = waiting.pop()
        yield each
        try:
            tasks = os.listdir(f"/proc/{each}/task")
            children: list[int] = []
            for task in tasks:
                with open(f"/proc/{each}/task/{task}/children") as file:
                    children += map(int, file.read().split())
        except OSError:
            continue
        waiting += [child for child in children if child not in found]
        found.update(children)


def processor(pid: int) -> float:
    """Seconds of a core that a process, those that it started, and those of them that have ended took."""
    ticks = 0
    for each in descendants(pid):
        with contextlib.suppress(OSError, IndexError, ValueError), open(f"/proc/{each}/stat") as file:
            ticks += sum(map(int, file.read().rpartition(")")[2].split()[11:15]))
    return ticks / _TICKS


def resident(pid: int) -> int:
    """The bytes of a process that lie in memory."""
    try:
        with open(f"/proc/{pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0


def nameless(family: list[int]) -> int:
    """Bytes in files that have no name and lie in memory, and that sockets may hold, which are no process's own."""
    found: dict[tuple[int, int], int] = {}
    sockets = set()
    for pid in family:
        with contextlib.suppress(OSError), os.scandir(f"/proc/{pid}/fd") as opened:
            for each in opened:
                with contextlib.suppress(OSError):
                    about = each.stat()
                    if stat.S_ISREG(about.st_mode) and about.st_nlink == 0:
                        found[about.st_dev, about.st_ino] = about.st_blocks * 512
                    elif stat.S_ISSOCK(about.st_mode):
                        sockets.add(about.st_ino)
    return sum(found.values()) + SOCKET * max(0, len(sockets) - SOCKETS)


def files_in_memory(pid: int) -> int:
    """How many files there are in the folders that a sandbox has in memory; an attribute counts as its kilobytes."""
    count = 0
    for folder in ("tmp", "home", "dev/shm"):
        with contextlib.suppress(OSError):
            about = os.statvfs(f"/proc/{pid}/root/{folder}")
            count += about.f_files - about.f_ffree
    return count
