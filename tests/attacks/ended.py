"""An attack: commands of a teacher's day that are killed, ended or interrupted in the middle, and then run again.

Each round copies a prepared room, starts one command, and sends it a signal at a random moment; Ctrl-C goes to all
processes of the terminal. Then every file is whole, none is lost, and no sandbox goes on. The same command, run again,
gives what it gives undisturbed, and leaves nothing half written.
"""

from __future__ import annotations

import random
import signal
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from attacks import disks
from classes import nothing_is_left

SIGNALS = (signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
COMMANDS = tuple(name for name, line in disks.COMMANDS.items() if line)
PATIENCE = 300


def run(amount: int, seed: int, commands: tuple[str, ...] = COMMANDS) -> dict[str, Any]:
    """End `amount` commands. Returns how many of each kind there were, and what went wrong."""
    disks.import_once()
    drawn, tried, broken = random.Random(seed), Counter[str](), list[str]()
    quick = tuple(command for command in commands if command not in disks.SLOW) or commands
    slow = tuple(command for command in commands if command in disks.SLOW) or commands
    with tempfile.TemporaryDirectory() as place:
        room = disks.prepared(Path(place, "prepared"))
        undisturbed: dict[str, tuple[float, dict[str, bytes]]] = {}
        for number in range(amount):
            name = drawn.choice(slow if number % 4 == 0 else quick)
            kind = SIGNALS[number % len(SIGNALS)] if number % 3 else SIGNALS[number // 3 % len(SIGNALS)]
            if name not in undisturbed:
                with disks.disk(Path(place, "undisturbed"), room, kind="") as copy:
                    began = time.monotonic()
                    code, said = disks.carried_out(name, copy)
                    undisturbed[name] = time.monotonic() - began, disks.files(copy)
                    if code:
                        raise RuntimeError(f"{name} fails undisturbed: {said}")
            took, wanted = undisturbed[name]
            with disks.disk(Path(place, "room"), room, kind="") as copy:
                faults = _round(name, copy, kind, drawn.random() * took * 1.1, wanted)
            broken += [f"{name}, {kind.name}, round {number}: {fault}" for fault in faults]
            tried[f"{name}, {kind.name}"] += 1
    return {"tried": sum(tried.values()), "kinds": dict(tried), "broken": broken}


def _round(name: str, room: Path, kind: signal.Signals, moment: float, wanted: dict[str, bytes]) -> list[str]:
    before = disks.files(room)
    faults = []
    code, said = disks.carried_out(name, room, ended_by=kind, after=moment)
    if code != -kind and "Traceback" in said:
        faults.append(f"said {said[-1500:]!r}, exit {code}")
    if code not in (0, 1, 3, 4, 130, 143, -kind):
        faults.append(f"exit {code}, said {said[-300:]!r}")
    if not nothing_is_left(PATIENCE):
        faults.append("a sandbox goes on")
    after = disks.files(room)
    faults += disks.torn(
        {path: after[path] for path in after if not disks.LEFT.search(Path(path).name)}, before, wanted
    )
    faults += [f"{path} is lost" for path in before if path not in after and path in wanted]
    code, said = disks.carried_out(name, room)
    is_done = name in disks.BEGUN or disks.difference(disks.files(room), wanted) == ""
    if name in disks.ONCE and code in (2, 3) and is_done:
        return faults
    if code or (lacking := disks.difference(disks.files(room), wanted)):
        faults.append(f"run again, exit {code}, {said[-300:]!r}, differs: {'' if code else lacking}")
    return faults
