"""``glassroom doctor``: what is installed, which devices there are, and what to do about what is missing.

Each check is a function that returns a `Finding` and never raises, whatever state the machine is in.
"""

import argparse
import json
import os
import shutil
import sys
import webbrowser
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from glassroom.cli.arguments import ByColumns
from glassroom.cli.requirements import install_command, numpy_problem
from glassroom.records.columns import columns, ljust
from glassroom.translations.templates import as_is, word
from glassroom.workspace.learner_folder import require_usable, working_folder
from glassroom.workspace.problems import Exit, Problem
from glassroom.workspace.sources import course_notebooks, notebooks_folder

ENOUGH_DISK = 500 * 2**20
ORACLE = "2.13"
STATES = {"ok": word("ok"), "missing": word("missing"), "optional": word("optional")}  # as they are read

EPILOG = """\
examples:
  glassroom doctor             a table to read
  glassroom doctor --json      the same, for a program

It exits with 0 when the course can run, and with 1 when something that it needs is missing.
"""


@dataclass(frozen=True)
class Finding:
    """One line of the table. `needed`: without it the course cannot run."""

    what: str
    found: str
    ok: bool
    needed: bool = True
    advice: str = ""

    @property
    def state(self) -> str:
        """The word in the table."""
        return "ok" if self.ok else ("missing" if self.needed else "optional")


def add(commands: Any) -> None:
    """Declare the sub-command."""
    parser = commands.add_parser(
        "doctor",
        help="what is installed, and what to do about what is missing",
        description="Look at everything the course uses, and say what to do about what is missing.",
        epilog=EPILOG,
        formatter_class=ByColumns,
        allow_abbrev=False,
    )
    parser.add_argument("folder", nargs="?", metavar="FOLDER", help="your working copy (./glassroom-course)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the findings; the exit code says whether the course can run."""
    findings = examine(working_folder(arguments.folder))
    ready = all(finding.ok for finding in findings if finding.needed)
    if arguments.json:
        stored = [{**asdict(finding), "state": finding.state} for finding in findings]
        print(json.dumps({"ready": ready, "findings": stored}, indent=2))
    else:
        print(table(findings))
        print("\nThe course can run." if ready else "\nThe course cannot run yet: see what is missing above.")
    return Exit.OK if ready else Exit.FAILED


def examine(folder: Path) -> list[Finding]:
    """Everything the course uses, in the order in which to repair it."""
    return [
        Finding("Python", f"{sys.version.split()[0]} ({sys.executable})", True),
        _numpy(),
        _package("ml_dtypes", "course", needed=False, why=word("for bfloat16")),
        _package("jupyterlab", "course"),
        _package("ipykernel", "course"),
        _package("ipywidgets", "course"),
        _package("anywidget", "course"),
        _kernel(),
        _browser(),
        Finding(
            "device cpu",
            f"{os.cpu_count()} cores, by NumPy",
            numpy_problem() is None,
            advice="see NumPy above",
        ),
        _gpu(),
        _oracle(),
        _package("pytest", "course,test", needed=False, why="for glassroom test"),
        _chromium(),
        _course(),
        _folder(folder),
        _disk(folder),
    ]


def table(findings: list[Finding]) -> str:
    """The findings as aligned text, each piece of advice on a line of its own."""
    width = max(columns(finding.what) for finding in findings)
    states = max(map(columns, STATES.values()))
    lines = []
    for finding in findings:
        lines.append(f"{ljust(STATES[finding.state], states)}  {ljust(finding.what, width)}  {finding.found}")
        if not finding.ok and finding.advice:
            lines.append(f"{'':<{states}}  {'':<{width}}  -> {finding.advice}")
    return "\n".join(lines)


def _numpy() -> Finding:
    problem = numpy_problem()
    if problem:
        what, _, advice = problem.partition(". ")
        return Finding("NumPy", what, False, advice=advice)
    return Finding("NumPy", metadata.version("numpy"), True)


def _package(name: str, extras: str, needed: bool = True, why: str = "") -> Finding:
    purpose = f" ({why})" if why else ""
    if find_spec(name) is None:
        return Finding(name, f"not installed{purpose}", False, needed, install_command(extras))
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:  # only a folder of that name, not the package
        return Finding(name, word(f"damaged{purpose}"), False, needed, install_command(extras))
    return Finding(name, f"{version}{purpose}", True, needed)


def _kernel() -> Finding:
    """Whether notebooks run on this Python and not on another one that is registered as ``python3``."""
    what = "notebook kernel"
    try:
        command = import_module("jupyter_client.kernelspec").get_kernel_spec("python3").argv[0]
    except Exception as error:  # Jupyter is missing or damaged; other lines report that in full
        return Finding(what, word(f"unknown ({type(error).__name__})"), False, advice=install_command("course"))
    # A bare name is replaced by this very Python when a kernel is started.
    if os.path.dirname(command) and not _same_file(command, sys.executable):
        advice = as_is(f"{sys.executable} -m ipykernel install --sys-prefix")
        return Finding(what, f"python3 is another Python: {command}", False, advice=advice)
    return Finding(what, "python3, this Python", True)


def _same_file(one: str, other: str) -> bool:
    return os.path.normcase(os.path.abspath(one)) == os.path.normcase(os.path.abspath(other))


def _browser() -> Finding:
    try:
        name = getattr(webbrowser.get(), "name", "found")
    except webbrowser.Error:
        if path := _path_of_chromium():
            return Finding(
                "web browser", f"no default; open the address that `glassroom lab` prints in {path}", True, False
            )
        advice = "open the address that `glassroom lab` prints in a browser that reaches this machine"
        return Finding("web browser", "none found here", False, needed=False, advice=advice)
    return Finding("web browser", str(name), True, needed=False)


def _gpu() -> Finding:
    what = "device cuda"
    if find_spec("cupy") is None:
        return Finding(what, "CuPy is not installed", False, False, f"with an NVIDIA GPU: {install_command('gpu')}")
    return _attempt(what, _look_for_gpu, advice="install the NVIDIA driver; the course runs without a GPU")


def _look_for_gpu() -> tuple[str, bool]:
    cupy = import_module("cupy")
    if not cupy.cuda.is_available():
        return f"CuPy {cupy.__version__}, but no GPU that it can use", False
    return f"CuPy {cupy.__version__}, {cupy.cuda.runtime.getDeviceCount()} GPU", True


def _attempt(what: str, look: Callable[[], tuple[str, bool]], advice: str) -> Finding:
    """A finding about something optional, whose examination may raise anything."""
    try:
        said, ok = look()
    except Exception as error:  # drivers and compiled packages fail with errors of their own classes
        said, ok = f"{type(error).__name__}: {error}", False
    return Finding(what, said, ok, needed=False, advice=advice)


def _oracle() -> Finding:
    what, advice = "PyTorch", install_command("course,test,parity")
    if find_spec("torch") is None:
        return Finding(what, f"not installed (the parity tests ask PyTorch {ORACLE})", False, False, advice)
    try:
        version = metadata.version("torch")
    except metadata.PackageNotFoundError:
        return Finding(what, "damaged (for the parity tests)", False, False, advice)
    return Finding(what, f"{version} (for the parity tests)", version.startswith(f"{ORACLE}."), False, advice)


def _chromium() -> Finding:
    path = shutil.which("chromium-headless-shell") or _path_of_chromium()  # the first is no browser for people
    advice = "install Chromium with your system's package manager, e.g. apt-get install chromium"
    return Finding("Chromium", path or "not found (for the browser tests)", path is not None, False, advice)


def _path_of_chromium() -> str | None:
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next(filter(None, map(shutil.which, names)), None)


def _course() -> Finding:
    try:
        folder = notebooks_folder()
    except Problem as problem:
        return Finding(word("course"), str(problem), False)
    count = len(course_notebooks(folder))
    return Finding(word("course"), f"{count} notebooks in {folder}", count > 0, advice="install tensorglass again")


def _folder(folder: Path) -> Finding:
    try:
        require_usable(folder)
    except Problem as problem:
        place_found, _, advice = str(problem).rpartition(". ")
        return Finding("working copy", place_found, False, advice=advice)
    nearest = _nearest_existing(folder)
    writable = os.access(nearest, os.W_OK)
    state = "" if nearest == folder else ", not there yet: `glassroom lab` makes it"
    place_found = f"{folder}{state}" if writable else f"{nearest} cannot be written"
    return Finding("working copy", place_found, writable, advice="name a folder of your own: glassroom lab FOLDER")


def _disk(folder: Path) -> Finding:
    try:
        free = shutil.disk_usage(_nearest_existing(folder)).free
    except OSError as error:
        return Finding("free disk", word(f"unknown ({error.strerror})"), True, needed=False)
    advice = f"free some: {ENOUGH_DISK / 2**20:.0f} MiB are enough"
    return Finding("free disk", f"{free / 2**30:.1f} GiB", free >= ENOUGH_DISK, advice=advice)


def _nearest_existing(folder: Path) -> Path:
    """The folder itself or, before it is made, the nearest one above it that is there."""
    return next((path for path in (folder, *folder.parents) if os.path.lexists(path)), folder)
