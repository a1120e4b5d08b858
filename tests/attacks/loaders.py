"""An attack: workers of a DataLoader that are killed, stopped or ended while they work.

Each round draws a loader, and what happens to one of its workers at which moment. The loop over the batches ends with
all of them, in order, or with a RuntimeError that says which worker was lost or that the time is over. Afterwards no
process, thread, descriptor or name in shared memory is left, and nobody has waited long.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import random
import re
import signal
import threading
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any

import tensorglass as torch
from tensorglass.utils.data import DataLoader, Dataset, IterableDataset

PATIENCE = 60.0  # seconds for a round on a busy machine; a stopped worker alone takes 11
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP, signal.SIGHUP, signal.SIGUSR1)
SAID = re.compile(
    r"DataLoader (timed out after [\d.]+ seconds"
    r"|worker \(pid \d+\) is killed by signal: [\w ()]+\. "
    r"|worker \(pid\(s\) [\d, ]+\) exited unexpectedly)"
)


class Numbers(Dataset[Any]):
    """Small tensors, or tensors for which a batch must be sent in pieces; some take their time."""

    def __init__(self, count: int, width: int, pause: float) -> None:
        self.count, self.width, self.pause = count, width, pause

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, at: int) -> torch.Tensor:
        time.sleep(self.pause)
        return torch.full((self.width,), float(at))


class ManyAtOnce(Numbers):
    """Returns one tensor for each batch; a batch has more indices than a pipe holds."""

    def __getitems__(self, many: list[int]) -> list[torch.Tensor]:
        return [self[many[0]]]


class Stream(IterableDataset[Any], Numbers):
    """The same tensors as a stream; each worker yields all of them."""

    def __iter__(self) -> Iterator[torch.Tensor]:
        return (self[at] for at in range(self.count))


def run(amount: int, seed: int) -> dict[str, Any]:
    """Lose a worker `amount` times. Returns how many of each kind there were, and what went wrong."""
    warnings.filterwarnings("ignore", message="This DataLoader will create", category=UserWarning)
    drawn, tried, broken = random.Random(seed), Counter[str](), list[str]()
    _round(random.Random(0), signal.SIGKILL)  # what is created once, such as the thread that sends storages
    for number in range(amount):
        kind = drawn.choice(SIGNALS)
        before, began = held(), time.monotonic()
        faults = _round(drawn, kind)
        took = time.monotonic() - began
        if took > PATIENCE:
            faults.append(f"took {took:.0f} seconds")
        faults += [f"{thing} is left" for thing in left_since(before)]
        broken += [f"{kind.name}, round {number}: {fault}" for fault in faults]
        tried[kind.name] += 1
    return {"tried": sum(tried.values()), "kinds": dict(tried), "broken": broken}


def _round(drawn: random.Random, kind: signal.Signals) -> list[str]:
    data = drawn.choice(
        (Numbers(48, 50, 0.002), Numbers(48, 40_000, 0), ManyAtOnce(300_000, 5, 0.01), Stream(24, 50, 0.002))
    )
    persistent, width = drawn.random() < 0.3, 40_000 if isinstance(data, ManyAtOnce) else 4
    loader = DataLoader(
        data,
        batch_size=width,
        num_workers=drawn.choice((1, 2, 3)),
        timeout=1 if kind is signal.SIGSTOP else 0,
        persistent_workers=persistent,
        in_order=drawn.random() < 0.7,
    )
    batches = iter(loader)
    seen = [float(next(batches)[0, 0]) for _ in range(drawn.choice((0, 1, 3)))]
    if drawn.random() < 0.5:
        time.sleep(drawn.random() ** 3 * 0.1)
    lost = drawn.choice(multiprocessing.active_children())
    os.kill(lost.pid or 0, kind)
    del lost
    if drawn.random() < 0.2:  # the rest is not fetched
        return []
    try:
        seen += [float(batch[0, 0]) for batch in batches]
        if persistent:
            list(loader)
    except RuntimeError as error:
        return [] if SAID.fullmatch(str(error)) else [f"said {error}"]
    if isinstance(data, Stream):
        wanted = sorted(number for _ in range(loader.num_workers) for number in map(float, range(0, data.count, 4)))
    else:
        wanted = list(map(float, range(0, data.count, width)))
    return [] if sorted(seen) == wanted else [f"gave {sorted(seen)} without an error"]


def left_since(before: set[str]) -> list[str]:
    """What is held now and was not held then; a thread that has been told to end has a second to do so."""
    gc.collect()
    until = time.monotonic() + 1
    while (left := held() - before) and time.monotonic() < until:
        time.sleep(0.01)
    return sorted(left)


def held() -> set[str]:
    """The open files, children and threads of this process, and its names in shared memory."""
    resources = {f"descriptor {name} of {_target(name)}" for name in os.listdir("/proc/self/fd")}
    resources |= {f"process {process.pid}" for process in multiprocessing.active_children()}
    resources |= {f"thread {thread.name}" for thread in threading.enumerate()}
    resources |= {f"/dev/shm/{name}" for name in os.listdir("/dev/shm") if "tensorglass" in name}
    return {name for name in resources if "/proc/" not in name and not name.endswith(" of ")}


def _target(name: str) -> str:
    try:
        return os.readlink(f"/proc/self/fd/{name}")
    except OSError:
        return ""
