"""An attack: many threads, first uses all at the same moment, and forks while threads work."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import tensorglass as torch

LARGE = 300_000  # elements, of which the pool has the bytes

#: What a fresh process does for the first time, in several threads, as soon as a barrier lets them go.
FIRST_USES = {
    "a simulated device": "a = torch.ones(3, device='sim'); b = (a + a).cpu().tolist(); ok = b == [2, 2, 2]",
    "random numbers": "ok = torch.rand(1000).shape == (1000,)",
    "random numbers there": "ok = torch.rand(3, device='sim').cpu().shape == (3,)",
    "an operator of a family": "ok = torch.linalg.det(torch.eye(3)).item() == 1",
    "a method of a family": "ok = torch.eye(3).det().item() == 1",
    "a lazily fetched module": "ok = torch.special.erf(torch.zeros(1)).item() == 0",
    "threads of large results": "ok = torch.zeros(2_000_000).exp().sum().item() == 2_000_000",
    "a gradient": "x = torch.ones(3, requires_grad=True); (x * x).sum().backward(); ok = x.grad.tolist() == [2, 2, 2]",
    "a generator": "generator.default_of(torch.ones(1, device='sim').device); ok = True",
}
_FIRST = """
import sys, threading
import tensorglass as torch
from tensorglass import backends
from tensorglass.core import devices
from tensorglass.tensor import generator
sys.setswitchinterval(1e-6)
barrier, wrong, seen = threading.Barrier(8), [], []
def work():
    barrier.wait()
    try:
        {use}
        seen.append((id(devices.with_index("sim", 0)), id(generator.default_generator._bits._engine)))
        if not ok:
            wrong.append("wrong values")
    except BaseException as error:
        wrong.append(repr(error))
threads = [threading.Thread(target=work) for _ in range(8)]
for each in threads: each.start()
for each in threads: each.join()
if len(set(seen)) > 1: wrong.append(f"{{len(set(seen))}} different devices or generators")
print(wrong or "well")
"""


def first_uses(rounds: int) -> tuple[int, list[str]]:
    """Each first use in fresh processes of eight threads. Returns how many processes, and what went wrong."""
    tried, broken = 0, []
    for _ in range(rounds):
        for name, use in FIRST_USES.items():
            done = subprocess.run(
                [sys.executable, "-c", _FIRST.format(use=use)], capture_output=True, text=True, timeout=120, check=False
            )
            tried += 1
            if done.stdout.strip() != "well":
                broken.append(f"first use of {name}: {done.stdout.strip()}{done.stderr[-500:]}")
    return tried, broken


_FORKED = """
import os, signal, sys, threading
import tensorglass as torch
from tensorglass import backends
from tensorglass.core import devices
from tensorglass.tensor import generator
def use():
    {use}
    return ok
thread, loaded = threading.Thread(target=use), len(sys.modules)
thread.start()
while thread.is_alive() and len(sys.modules) <= loaded + {later}: pass
child = os.fork()
if child == 0:
    signal.alarm(60)  # one that waits for ever is ended
    os._exit(not use())
status = os.waitpid(child, 0)[1]
thread.join()
print("well" if status == 0 else f"the child ended with {{status}}")
"""


def forks_at_first_uses(rounds: int) -> tuple[int, list[str]]:
    """A process is forked while a thread uses something for the first time; the child then uses it too."""
    tried, broken = 0, []
    for later in range(rounds):
        for name, use in FIRST_USES.items():
            script = _FORKED.format(use=use, later=later)
            done = subprocess.run(
                [sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False
            )
            tried += 1
            if done.stdout.strip() != "well":
                broken.append(f"forked at the first use of {name}: {done.stdout.strip()}{done.stderr[-500:]}")
    return tried, broken


def _work(numbers: random.Random) -> None:
    """What a thread does again and again."""
    kind = numbers.randrange(6)
    if kind == 0:
        a = torch.ones(LARGE)
        assert a.add(1)[LARGE - 1] == 2
    elif kind == 1:
        a = torch.ones(1000, device="sim")
        assert (a + a).cpu()[999] == 2
    elif kind == 2:
        assert torch.rand(LARGE).lt(1).all()
    elif kind == 3:
        x = torch.ones(50, requires_grad=True)
        (x * x).sum().backward()
        assert x.grad is not None
        assert x.grad[0] == 2
    elif kind == 4:
        with torch.no_grad():
            assert not (torch.ones(1, requires_grad=True) * 2).requires_grad
    else:
        assert torch.rand(10, device="sim").cpu().lt(1).all()


def _in_threads(count: int, seed: int, meanwhile: Callable[[list[str]], None]) -> list[str]:
    """Do something while `count` threads work. Returns what went wrong."""
    broken: list[str] = []
    stop = threading.Event()

    def work(number: int) -> None:
        numbers = random.Random(seed * 1000 + number)
        try:
            while not stop.is_set():
                _work(numbers)
        except Exception as error:  # any exception is a find
            broken.append(f"thread {number} of seed {seed}: {error!r}")

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(count)]
    try:
        for thread in threads:
            thread.start()
        meanwhile(broken)
    finally:
        stop.set()
        for thread in threads:
            thread.join(30)
        sys.setswitchinterval(interval)
    broken += [f"thread {number} waits for ever" for number, thread in enumerate(threads) if thread.is_alive()]
    return broken


def together(seconds: float, seed: int, count: int = 16) -> list[str]:
    """`count` threads work for so long."""
    return _in_threads(count, seed, lambda _: time.sleep(seconds))


def forks(count: int, seed: int) -> list[str]:
    """Processes are forked while four threads work; each must be able to do everything."""

    def fork(broken: list[str]) -> None:
        for number in range(count):
            time.sleep(0.01)
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    numbers = random.Random(seed + number)
                    for _ in range(30):
                        _work(numbers)
                    code = 0
                finally:
                    os._exit(code)
            status = _waited_for(child, 30)
            if status != 0:
                broken.append(f"child {number} of seed {seed} {'hung' if status is None else f'ended with {status}'}")

    return _in_threads(4, seed, fork)


def _waited_for(child: int, seconds: float) -> int | None:
    """A child's exit status; None if it had to be ended."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status
        time.sleep(0.01)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return None


def run(seconds: float, seed: int) -> dict[str, Any]:
    """Sixteen threads for a good half of the time, then forks, first uses, and forks at first uses."""
    started = time.monotonic()
    broken = together(seconds / 2, seed)
    tried = 16
    while time.monotonic() - started < seconds * 0.75:
        if hasattr(os, "fork"):
            broken += forks(5, seed + tried)
            tried += 5
        else:
            broken += together(1, seed + tried)
            tried += 16
    times, faults = first_uses(1)
    tried, broken = tried + times, broken + faults
    if hasattr(os, "fork"):
        times, faults = forks_at_first_uses(2)
        tried, broken = tried + times, broken + faults
    return {"tried": tried, "broken": broken}
