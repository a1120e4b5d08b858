"""``glassroom test``: every layer of tests, one after the other, and one table at the end.

Each folder under ``tests/`` is a layer, which pytest runs in a process of its own. `available_layers` adds
those that are no such folder: ``outputs``, the notebooks' stored outputs, run by nbval; ``exercises``; and the second
runs without shortcuts. Skipped tests are listed with their reasons, and the cases that sweeps leave to other days are
counted: nothing is left out silently.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from glassroom.cli.arguments import ByColumns, jobs
from glassroom.cli.requirements import require_modules, require_numpy
from glassroom.records.columns import ljust, rjust
from glassroom.translations.templates import as_is, word
from glassroom.workspace.execution import CELL_SECONDS
from glassroom.workspace.problems import Exit, Problem
from glassroom.workspace.sources import checkout, notebooks_folder

NO_TESTS_COLLECTED = 5

# In the order in which a failure is best understood: what everything else depends on comes first. A folder that is not
# named here is run after these.
ORDER = (
    "style", "geometry", "library", "library-plain", "array_api", "parity", "parity-plain", "attacks", "programs",
    "course", "exercises", "classroom", "outputs", "notebooks", "browser", "site", "wasm", "pythons", "package",
)  # fmt: skip
WHAT = {
    "geometry": "the integer arithmetic on size, stride and offset",
    "library": "tensorglass: storages, headers, operators",
    "library-plain": "half of the same without the library's shortcuts",
    "array_api": "the namespace of the array API standard, by its reference implementation",
    "parity": "the same programs on real PyTorch",
    "parity-plain": "half of operators, gradients, indices, layouts without shortcuts",
    "attacks": "generated programs: with shortcuts, without them, and on PyTorch",
    "programs": "the runner of public programs, tried on programs of our own",
    "course": "glassroom: inspectors, translations, the command",
    "exercises": "glassroom: the exercises' checks, with right and wrong answers",
    "classroom": "handing out, sandboxes and hostile submissions, marks, pages, a cluster, JupyterHub",
    "outputs": "every stored output of the notebooks, by nbval",
    "notebooks": "the notebooks on PyTorch, and as a learner's copy",
    "browser": "JupyterLab in headless Chromium",
    "site": "three notebooks and all other pages as a web site, in headless Chromium",
    "wasm": "the library and notebooks in Pyodide: pointers of 32 bits, no processes",
    "pythons": "half of the library's tests on Python 3.12, 3.13 and 3.14, a third of it on each",
    "package": "the wheel, alone in an empty environment",
    "style": "ruff, mypy, and which room imports which",
}
# The files that run once more without the library's shortcuts (``TENSORGLASS_FAST=0``), half of them at a time. Of
# `parity` they are those about all operators: values, gradients of both orders, indices, layouts and strides; and the
# first thousand of the generated programs.
PLAIN_FILES = {
    "library": ("test_*.py",),
    "parity": (
        "test_*grad*.py", "test_*graph*.py", "test_func*.py", "test_forward*.py", "test_hooks*.py",
        "test_operators*.py", "test_*index*.py", "test_*layout*.py", "test_*strides*.py", "test_*products*.py",
        "test_*programs*.py", "test_results*.py", "test_shortcuts*.py", "test_short_ways*.py", "test_three_calls*.py",
    ),
}  # fmt: skip
WITHOUT_SHORTCUTS = {"TENSORGLASS_FAST": "0", "TENSORGLASS_PROGRAMS": "1000"}
# Tests that the second run leaves out, in this order, since they
# - read sources and pages, or set TENSORGLASS_FAST themselves for the processes that they start;
# - compare shortcuts with the plain way already;
# - check derivatives by small differences, which `parity-plain` compares with PyTorch's;
# - look for leaks, which only what shortcuts keep could cause;
# - are about processes, imports, files and a process's memory, where little is computed.
SAME_EITHER_WAY = {
    "library": (
        "test_reading.py", "test_without_shortcuts.py", "fast/test_one_arithmetic.py", "fast/test_seams.py",
        "fast/test_three_calls.py", "autograd/test_gradcheck.py", "test_soak.py",
        "test_stubs.py::test_the_stubs_are_what_the_operator_table_makes",
        "as_torch/test_running_programs.py", "backends/test_host_memory.py", "bootstrap/test_importing.py",
        "distributed/test_lost_ranks.py", "multiprocessing/test_sharing.py", "serialization/test_files_and_memory.py",
        "serialization/test_files_in_place.py", "serialization/test_many_writers.py", "utils/test_lost_workers.py",
    ),
}  # fmt: skip
# Folders of a layer whose tests are a layer of their own. The inspector of holders searches the whole process: with the
# ten thousand tests of exercises loaded, it would take ten times as long.
APART = {"course": ("exercises",)}
# How tests are dealt out to processes: one at a time, but file by file where those of a file share a server, a build or
# a notebook's kernel; and in `browser`, where they share a page, by files and classes.
DEALT = dict.fromkeys(("classroom", "outputs", "package", "site"), "loadfile") | {"browser": "loadscope"}
# A layer has one process more than there are cores, since its tests wait for other processes; with a browser, two more;
# where they only compute, none.
BESIDES = {"browser": 2, "style": 0, "geometry": 0, "array_api": 0}

EPILOG = """\
examples:
  glassroom test                        everything
  glassroom test geometry library       two layers
  glassroom test -k transpose           the tests whose names match
  glassroom test course -- -x --lf      what stands after -- goes to pytest
  glassroom test --list                 the layers there are
  glassroom test --course my-course     for teachers: notebooks of your own, as you and as learners have them

It ends with one line, "N passed, N failed, N skipped", and exits with 1 when anything failed.
"""


@dataclass(frozen=True)
class Layer:
    """A name, the arguments for pytest, and what is added to its environment."""

    name: str
    arguments: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict)


@dataclass
class Result:
    """The result of a layer's tests."""

    layer: str
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    left: int = 0  # cases of sweeps, to other days
    seconds: float = 0.0
    reasons: Counter[str] = field(default_factory=Counter)


def add(commands: Any) -> None:
    """Declare the sub-command."""
    parser = commands.add_parser(
        "test",
        help="run every test: library, course, notebooks, browser",
        description="Run the tests, layer by layer.",
        epilog=EPILOG,
        formatter_class=ByColumns,
        allow_abbrev=False,
    )
    parser.add_argument("layers", nargs="*", metavar="LAYER", help="the layers to run (all of them)")
    parser.add_argument("-k", dest="expression", metavar="EXPRESSION", help="only the tests whose names match")
    parser.add_argument(
        "--jobs", type=jobs, default=min(os.cpu_count() or 1, 4), metavar="N", help="processes (one a core, up to 4)"
    )
    parser.add_argument("--course", type=Path, metavar="DIR", help="a class's own notebooks, in place of the course")
    parser.add_argument("--list", action="store_true", help="list the layers and stop")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the layers asked for and print the table."""
    if arguments.course:
        return _own_course(arguments.course, arguments.jobs, arguments.passed_on)
    root = checkout()
    layers = _chosen(arguments.layers, available_layers(root, arguments.jobs))
    if arguments.list:
        for layer in layers:
            print(f"{layer.name:<14} {WHAT.get(layer.name, '')}".rstrip())
        return Exit.OK
    require_numpy()
    require_modules("pytest", "xdist", "nbval", "pytest_timeout", extras="course,test")
    if root is None:
        print("A wheel carries no tests, so this runs the notebooks alone. Clone the repository for the rest.")
    options = [*(["-k", arguments.expression] if arguments.expression else []), *arguments.passed_on]
    results = [_run(layer, options, root) for layer in layers]
    print(report(results), flush=True)
    return Exit.FAILED if any(result.failed for result in results) else Exit.OK


def _own_course(folder: Path, jobs: int, passed_on: list[str]) -> int:
    """Try a class's own notebooks: stored outputs, solutions, learners' copies, last hints."""
    from glassroom.classroom.course_file import read_course
    from glassroom.classroom.own_course import NOTEBOOKS, declare_own_exercises, own_notebooks
    from glassroom.classroom.rehearsal import faults_of

    require_numpy()
    require_modules("pytest", "xdist", "nbval", "pytest_timeout", "nbclient", extras="classroom,test")
    read_course(folder)
    names = own_notebooks(folder)
    if not names:
        raise Problem(f"{folder / NOTEBOOKS} has no notebooks. Make one: glassroom new notebook NAME --course {folder}")
    declare_own_exercises(folder)
    results = [_run(_outputs(folder / NOTEBOOKS, jobs), passed_on, None)]
    by_what: dict[str, Result] = {}
    for name in names:
        for what, faults in faults_of(name, folder).items():
            result = by_what.setdefault(what, Result(what))
            result.passed += not faults
            result.failed += bool(faults)
            for fault in faults:
                print(f"{name}, {what}, {fault}")
    print(report([*results, *by_what.values()]), flush=True)
    return Exit.FAILED if any(result.failed for result in [*results, *by_what.values()]) else Exit.OK


def _outputs(folder: Path, jobs: int) -> Layer:
    """The layer that compares every stored output of the notebooks in a folder."""
    compared = ("--nbval", "--nbval-current-env", f"--nbval-cell-timeout={CELL_SECONDS}")
    kernels = ("-p", "glassroom.testing.nbval_kernels")
    return Layer("outputs", (*compared, *kernels, *_processes("outputs", jobs), str(folder.resolve())))


def available_layers(root: Path | None, jobs: int) -> list[Layer]:
    """The layers there are in this checkout, in order; in an installed wheel only the notebooks' outputs."""
    layers = {"outputs": _outputs(notebooks_folder(), jobs)}
    tests = root / "tests" if root else None
    if tests and tests.is_dir():
        for folder in sorted(tests.iterdir()):
            if any(folder.rglob("test_*.py")):
                # No test looks at logs, for which pytest would add a handler to each of PyTorch's loggers each time.
                spread = ("-p", "no:nbval", "-p", "no:logging", *_processes(folder.name, jobs))
                apart = [folder / name for name in APART.get(folder.name, ()) if (folder / name).is_dir()]
                layers[folder.name] = Layer(
                    folder.name, (*spread, *(f"--ignore={part}" for part in apart), str(folder))
                )
                for part in apart:
                    layers[part.name] = Layer(part.name, (*spread, str(part)))
                patterns = PLAIN_FILES.get(folder.name, ())
                files = _todays_half({path for pattern in patterns for path in folder.rglob(pattern)})
                if files:
                    plain = f"{folder.name}-plain"
                    same = [f"--deselect=tests/{folder.name}/{test}" for test in SAME_EITHER_WAY.get(folder.name, ())]
                    layers[plain] = Layer(plain, (*spread, *same, *files), WITHOUT_SHORTCUTS)
    return [layers[name] for name in sorted(layers, key=_place_in_order)]


def _todays_half(files: set[Path]) -> list[str]:
    """Half of the files, small and large ones alike; ``SWEEPS=whole`` asks for all.

    The other half follows after three days: by then each sweep within them has taken more than one part.
    """
    if os.environ.get("SWEEPS") == "whole":
        return sorted(map(str, files))
    by_size = sorted(files, key=lambda path: (path.stat().st_size, path))
    return sorted(map(str, by_size[_day() // 3 % 2 :: 2]))


def _day() -> int:
    """The day whose part of the tests is run, as a number; `tests/by_day.py` reads the same variable."""
    return int(os.environ.get("SWEEPS_DAY") or date.today().toordinal())


def report(results: list[Result]) -> str:
    """The table, a line for every reason for skips, and the totals alone on the last line."""
    heads = (word("layer"), word("passed"), word("failed"), word("skipped"), word("time"))
    rows = [
        (result.layer, str(result.passed), str(result.failed), str(result.skipped), f"{result.seconds:.0f} s")
        for result in results
    ]
    table = [ljust(row[0], 14) + "".join(map(rjust, row[1:], (8, 8, 9, 9))) for row in (heads, *rows)]
    lines = ["", *table, ""]
    for result in results:
        everything = result.passed + result.failed == 0
        for reason, count in result.reasons.items():
            lines.append(f"skipped: {result.layer}{'' if everything else f' ({count} tests)'}: {reason}")
    if left := sum(result.left for result in results):
        lines.append(f"left to other days: {left:,} cases of sweeps (SWEEPS=whole takes them too)")
    sums = [sum(getattr(result, count) for result in results) for count in ("passed", "failed", "skipped")]
    lines.append(as_is("{} passed, {} failed, {} skipped").format(*sums))  # programs read this line
    return "\n".join(lines)


def _place_in_order(name: str) -> tuple[int, str]:
    return (ORDER.index(name) if name in ORDER else len(ORDER), name)


def _processes(layer: str, jobs: int) -> tuple[str, ...]:
    """The arguments that tell pytest how many processes a layer uses, and how its tests are distributed among them."""
    if jobs <= 1:
        return ()
    processes = ("-n", str(jobs + BESIDES.get(layer, 1)), "--dist", DEALT.get(layer, "worksteal"))
    # xdist would begin with the files that have most tests; `tests/conftest.py` puts those first that take longest.
    return (*processes, "--no-loadscope-reorder") if layer in ("classroom", "site") else processes


def _chosen(names: list[str], layers: list[Layer]) -> list[Layer]:
    """The layers with those names, in their order; all of them if none is named."""
    known = [layer.name for layer in layers]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise Problem(f"There is no layer {', '.join(unknown)}. There are: {', '.join(known)}.", Exit.USAGE)
    return [layer for layer in layers if not names or layer.name in names]


def _run(layer: Layer, options: list[str], root: Path | None) -> Result:
    """Run one layer in a process of its own. A process that ends without a report counts as one failure."""
    print(f"\n== {layer.name}: {WHAT.get(layer.name, 'more tests')}", flush=True)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="glassroom-test-") as folder:
        outcome = Path(folder, "report.xml")
        command = [sys.executable, "-m", "pytest", "-q", "--tb=short", "--no-header", f"--junitxml={outcome}"]
        command.append(f"--advise-from={os.getcwd()}")
        here = ["-p", "no:cacheprovider", f"--rootdir={folder}"] if root is None else []
        left = Path(folder, "left")
        # More than one thread per process would only slow the processes down.
        environment = {"OMP_NUM_THREADS": "1", **os.environ, **layer.environment}
        environment |= {"SWEEPS_LEFT": str(left), "SWEEPS_DAY": str(_day())}
        # The tests start hundreds of Pythons, each of which would compile the library anew.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        code = subprocess.run(
            [*command, *here, *layer.arguments, *options], cwd=root or folder, env=environment
        ).returncode
        result = _counted(layer.name, outcome)
        result.left = int(left.read_text()) if left.exists() else 0
    result.seconds = time.monotonic() - began
    if code == NO_TESTS_COLLECTED and not result.skipped:
        reason = word("no test was selected")
        result.reasons[reason] += 1
    elif code not in (0, NO_TESTS_COLLECTED) and not result.failed:
        result.failed += 1
    return result


def _counted(name: str, outcome: Path) -> Result:
    """The counts and the reasons for skips from pytest's XML report, if there is one."""
    result = Result(name)
    for case in _cases(outcome):
        skip = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            result.failed += 1
        elif skip is not None:
            result.skipped += 1
            result.reasons[_reason(skip)] += 1
        else:
            result.passed += 1
    return result


def _reason(skip: ElementTree.Element) -> str:
    """Why a test was skipped. For a whole file pytest puts the reason into the text of the element."""
    whole_file = re.search(r"Skipped: (.*?)['\"]\)\s*$", skip.text or "", re.DOTALL)
    return whole_file[1] if whole_file else skip.get("message", "no reason given")


def _cases(outcome: Path) -> Iterator[ElementTree.Element]:
    try:
        yield from ElementTree.parse(outcome).getroot().iter("testcase")
    except (FileNotFoundError, ElementTree.ParseError):
        return
