"""``glassroom refresh``: run the source notebooks again and store their outputs, normalized.

For those who write the course. A notebook whose cell raises keeps its old file.
"""

import argparse
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

from glassroom.cli.arguments import ByColumns, jobs
from glassroom.cli.requirements import require_modules, require_numpy
from glassroom.records.columns import ljust
from glassroom.records.printable import printable
from glassroom.translations.templates import word
from glassroom.workspace.execution import CellFailed, execute
from glassroom.workspace.normalize import KERNEL, normalized
from glassroom.workspace.notebook_json import DamagedNotebook, Notebook, parse, serialise
from glassroom.workspace.problems import Exit, Problem
from glassroom.workspace.sources import course_notebooks, notebooks_folder
from glassroom.workspace.whole_files import clear_leftovers, write_atomically

EPILOG = """\
examples:
  glassroom refresh                                   every notebook of the course
  glassroom refresh notebooks/1_memory/06*.ipynb      some of them
  glassroom refresh --check                           change nothing; exit with 1 if something would change
"""


@dataclass(frozen=True)
class Outcome:
    """The result for one notebook: unchanged, changed, or failed with a reason."""

    path: Path
    changed: bool = False
    failure: str | None = None


def add(commands: Any) -> None:
    """Declare the sub-command."""
    parser = commands.add_parser(
        "refresh",
        help="run the course's notebooks again and store their outputs",
        description="Run source notebooks in fresh kernels and store their normalized outputs. "
        "A notebook with a cell that raises keeps its old file.",
        epilog=EPILOG,
        formatter_class=ByColumns,
        allow_abbrev=False,
    )
    parser.add_argument(
        "notebooks", nargs="*", type=Path, metavar="NOTEBOOK", help="notebooks or folders (all of the course)"
    )
    parser.add_argument("--check", action="store_true", help="only say whether anything would change")
    parser.add_argument("--jobs", type=jobs, default=2, metavar="N", help="how many notebooks to run in parallel (2)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Refresh every notebook asked for, and say what changed and what failed."""
    require_numpy()
    require_modules("nbclient", "nbformat", "ipykernel", "tqdm")
    outcomes = list(_refreshed(_chosen(arguments.notebooks), arguments.check, arguments.jobs))
    failed = [outcome for outcome in outcomes if outcome.failure]
    changed = [outcome for outcome in outcomes if outcome.changed]
    for outcome in failed:
        print(f"failed   {printable(str(outcome.path))}, {outcome.failure} (the old file was kept)")
    state = word("differs") if arguments.check else word("changed")
    for outcome in changed:
        print(f"{ljust(state, 8)} {printable(str(outcome.path))}")
    print(f"{len(outcomes)} notebooks: {len(changed)} changed, {len(failed)} failed")
    return Exit.FAILED if failed or (arguments.check and changed) else Exit.OK


def refresh(path: Path, check: bool = False, stop: Callable[[], bool] = lambda: False) -> Outcome:
    """Run one notebook and store it in its normalized form, unless `check` or a cell failed.

    When `stop()` becomes true, the notebook ends before its next cell and keeps its old file.
    """
    try:
        old = path.read_bytes()
        notebook = parse(old)
        kernel = _kernel_of(notebook)
        if kernel != KERNEL["name"]:
            return Outcome(path, failure=f"it is for the kernel {kernel!r}, and only {KERNEL['name']} is run here")
        new = serialise(normalized(execute(notebook, path.parent, stop=stop)))
        if new != old and not check:
            write_atomically(path, new)
    except OSError as error:
        return Outcome(path, failure=f"it cannot be read: {error.strerror or error}")
    except DamagedNotebook as error:
        return Outcome(path, failure=f"not a notebook: {error}")
    except (CellFailed, Problem) as error:
        return Outcome(path, failure=str(error))
    return Outcome(path, changed=new != old)


def _kernel_of(notebook: Notebook) -> object:
    """The name of the kernel that a notebook asks for; the course's own when it asks for none."""
    wanted = notebook.get("metadata", {}).get("kernelspec", {})
    return wanted.get("name", KERNEL["name"]) if isinstance(wanted, dict) else wanted


def _refreshed(paths: list[Path], check: bool, jobs: int) -> Iterable[Outcome]:
    """Every notebook's result, in the order of `paths`, with a progress bar while they run."""
    from tqdm import tqdm

    if not check:
        for folder in {path.parent for path in paths}:
            clear_leftovers(folder)
    stopped = Event()
    with ThreadPoolExecutor(jobs) as pool:
        futures = {pool.submit(refresh, path, check, stopped.is_set): path for path in paths}
        try:
            with tqdm(total=len(futures), unit=word("notebook"), dynamic_ncols=True) as bar:
                for future in as_completed(futures):
                    bar.set_postfix_str(printable(futures[future].name))
                    bar.update()
        except KeyboardInterrupt:
            stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        return [future.result() for future in futures]


def _chosen(asked_for: list[Path]) -> list[Path]:
    """The notebooks to run: those asked for, with folders expanded, or all of the course."""
    if not asked_for:
        asked_for = [notebooks_folder()]
    chosen: list[Path] = []
    for path in asked_for:
        if os.path.isdir(path):
            chosen += [path / name for name in course_notebooks(path)]
        elif os.path.isfile(path):
            chosen.append(path)
        else:
            raise Problem(f"There is no notebook {path}.", Exit.USAGE)
    if not chosen:
        raise Problem(f"There are no notebooks in {', '.join(map(str, asked_for))}.", Exit.USAGE)
    return chosen
