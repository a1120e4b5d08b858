"""The long form of the tests that attack the library: each attack in a process of its own, and a table at the end.

    python benchmarks/attack.py                 everything: two to four hours, nearly all of it for the programs
    python benchmarks/attack.py --quick         a thousandth of it
    python benchmarks/attack.py --only soak --soak 60
    python benchmarks/attack.py --only programs --seed 40000 --programs 60000
                                                goes on after the first 40,000: each seed is one program

An attack is a module in `tests/attacks` with a function `run(amount, seed)`. Programs and files are run in parts, each
in a process of its own, and stderr says after each how far it is. A process that crashes or does not end counts as
failed like anything else. Exits with 1 if anything failed.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from textwrap import shorten

ROOT = Path(__file__).resolve().parents[1]
LIMIT = 3600  # seconds after which a part of an attack is ended, in case it hangs
GRACE = 600  # seconds by which an attack may exceed its given length


@dataclass(frozen=True)
class Attack:
    """A module of `tests/attacks`, and how much of it to run: a number of cases, or of seconds."""

    name: str
    what: str
    amount: int
    quick: int
    is_timed: bool = False
    part: int | None = None  #: how many cases one process runs; None: all of them


ATTACKS = (
    Attack("programs", "generated programs, three ways", 100_000, 200, part=1_000),
    Attack("files", "mangled and crafted files", 10_000, 200, part=1_000),
    Attack("places", "loads of what many processes save", 20_000, 200, part=1_000),
    Attack("folders", "updates of a working copy", 600, 30, part=100),
    Attack("disks", "commands on a full disk or in another's folder", 600, 30, part=200),
    Attack("ended", "commands that are killed or interrupted, and run again", 200, 12, part=100),
    Attack("deliveries", "deliveries with hostile names, links and archives", 600, 30, part=200),
    Attack("whole_class", "learners of a class that is marked twice, with a kill", 30, 15),
    Attack("submissions", "hostile submissions, marked beside honest ones", 400, 16, part=80),
    Attack("labels", "pictures with hostile names in a browser", 500, 18, part=250),
    Attack("interrupts", "interrupts", 10_000, 200),
    Attack("loaders", "losses of a DataLoader's worker", 500, 20, part=250),
    Attack("ranks", "losses of a process that MPI has started", 160, 8, part=80),
    Attack("threads", "seconds of 16 threads", 40, 3, is_timed=True),
    Attack("soak", "seconds of mixed work", 600, 3, is_timed=True),
)


@dataclass
class Row:
    """The result of an attack: how much was tried, what went wrong, and how long it took."""

    tried: int = 0
    broken: list[str] = field(default_factory=list)
    seconds: float = 0.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for attack in ATTACKS:
        unit = "SECONDS" if attack.is_timed else "N"
        parser.add_argument(f"--{attack.name}", type=int, metavar=unit, help=f"{attack.what} ({attack.amount:,})")
    parser.add_argument("--seed", type=int, default=0, help="what is drawn depends on it alone (0)")
    parser.add_argument("--quick", action="store_true", help="little of everything")
    parser.add_argument("--only", choices=[attack.name for attack in ATTACKS], help="this attack alone")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    chosen = [attack for attack in ATTACKS if options.only in (None, attack.name)]
    amounts = {attack: _amount(attack, options) for attack in chosen}
    if options.child:
        print(json.dumps(carried_out(options.only, amounts[chosen[0]], options.seed)))
        return 0
    print(f"{'attack':<12}{'tried':>10}{'failed':>8}{'time':>9}  worst example", flush=True)
    rows = {}
    for attack, amount in amounts.items():
        rows[attack] = row = in_parts(attack, amount, options.seed)
        example = shorten(row.broken[0], 70) if row.broken else ""
        print(f"{attack.name:<12}{row.tried:>10,}{len(row.broken):>8,}{row.seconds:>7.0f} s  {example}", flush=True)
    for attack, row in rows.items():
        for example in row.broken[:1]:
            print(f"\n{attack.name}, {attack.what}:\n{example}")
    return 1 if any(row.broken for row in rows.values()) else 0


def _amount(attack: Attack, options: argparse.Namespace) -> int:
    given = getattr(options, attack.name)
    return given if given is not None else attack.quick if options.quick else attack.amount


def in_parts(attack: Attack, amount: int, seed: int) -> Row:
    """Run an attack part by part, each with a seed that begins where the last part ended."""
    row, part = Row(), attack.part or amount
    limit = amount + GRACE if attack.is_timed else LIMIT
    for done in range(0, amount, part):
        command = [sys.executable, __file__, "--child", "--only", attack.name, "--seed", str(seed + done)]
        measured = outcome([*command, f"--{attack.name}", str(min(part, amount - done))], limit)
        row.tried, row.seconds = row.tried + measured.tried, row.seconds + measured.seconds
        row.broken += measured.broken
        if part < amount:
            seconds = f"{row.seconds:,.0f} s"
            print(f"{attack.name}: {row.tried:,} of {amount:,}, {len(row.broken)} failed, {seconds}", file=sys.stderr)
    return row


def carried_out(name: str, amount: int, seed: int) -> dict[str, object]:
    """Run an attack in this process, and return how much it tried and descriptions of what went wrong."""
    report = import_module(f"attacks.{name}").run(amount, seed)
    broken = report.get("differences", report.get("broken", []))
    return {"tried": report.get("tried", report.get("files")), "broken": [_in_words(fault) for fault in broken]}


def _in_words(broken: object) -> str:
    return "\n".join(f"{key}: {value}" for key, value in broken.items()) if isinstance(broken, dict) else str(broken)


def outcome(command: list[str], limit: float) -> Row:
    """The report that a process prints on its last line; if there is none, how the process ended."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT / "tests"), os.environ.get("PYTHONPATH", "")])),
        "PYTHONFAULTHANDLER": "1",
        "OMP_NUM_THREADS": "1",
        # What is freed goes back to the system, so that the resident bytes are those that are held.
        "MALLOC_ARENA_MAX": "1",
        "MALLOC_MMAP_THRESHOLD_": str(2**20),
    }
    began = time.monotonic()
    process = subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        said, complained = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        return Row(0, [f"no end after {limit:g} seconds"], time.monotonic() - began)
    finally:
        _end(process)
    row = Row(seconds=time.monotonic() - began)
    if process.returncode == 0:
        report = json.loads(said.splitlines()[-1])
        row.tried, row.broken = report["tried"], report["broken"]
    else:
        code = process.returncode
        ended = f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with {code}"
        row.broken = [f"{ended}: {(complained.strip().splitlines() or ['without a word'])[-1]}\n{complained.strip()}"]
    return row


def _end(process: subprocess.Popen[str]) -> None:
    """End a process that is still running, and the children that it left."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


if __name__ == "__main__":
    sys.exit(main())
