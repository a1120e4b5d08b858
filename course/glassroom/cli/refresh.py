"""``glassroom refresh``: run the source notebooks again and store their outputs, normalised.

For those who write the course. A notebook whose cell raises keeps its old file.
"""

import argparse
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glassroom.cli.requirements import require_modules, require_numpy
from glassroom.workspace.execution import CellFailed, execute
from glassroom.workspace.normalise import normalised
from glassroom.workspace.notebook_json import DamagedNotebook, parse, serialise
from glassroom.workspace.problems import Exit, Problem
from glassroom.workspace.sources import course_notebooks, notebooks_folder
from glassroom.workspace.whole_files import write_atomically

EPILOG = """\
examples:
  glassroom refresh                                   every notebook of the course
  glassroom refresh notebooks/1_memory/06*.ipynb      some of them
  glassroom refresh --check                           change nothing; exit with 1 if something would change
"""


@dataclass(frozen=True)
class Outcome:
    """What became of one notebook: unchanged, changed, or failed with a reason."""

    path: Path
    changed: bool = False
    failure: str | None = None


def add(commands: Any) -> None:
    """Declare the sub-command."""
    parser = commands.add_parser(
        "refresh",
        help="run the course's notebooks again and store their outputs",
        description="Run source notebooks in fresh kernels and store their normalised outputs. "
        "A notebook with a cell that raises keeps its old file.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "notebooks", nargs="*", type=Path, metavar="NOTEBOOK", help="notebooks or folders (all of the course)"
    )
    parser.add_argument("--check", action="store_true", help="only say whether anything would change")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="how many notebooks to run at once (2)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Refresh every notebook asked for, and say what changed and what failed."""
    require_numpy()
    require_modules("nbclient", "nbformat", "ipykernel", "tqdm")
    outcomes = list(_refreshed(_chosen(arguments.notebooks), arguments.check, max(1, arguments.jobs)))
    failed = [outcome for outcome in outcomes if outcome.failure]
    changed = [outcome for outcome in outcomes if outcome.changed]
    for outcome in failed:
        print(f"failed   {outcome.path}, {outcome.failure} (the old file was kept)")
    for outcome in changed:
        print(f"{'differs ' if arguments.check else 'changed '} {outcome.path}")
    print(f"{len(outcomes)} notebooks: {len(changed)} changed, {len(failed)} failed")
    return Exit.FAILED if failed or (arguments.check and changed) else Exit.OK


def refresh(path: Path, check: bool = False) -> Outcome:
    """Run one notebook and store it in its normalised form, unless `check` or a cell failed."""
    old = path.read_bytes()
    try:
        notebook = parse(old)
    except DamagedNotebook as error:
        return Outcome(path, failure=f"not a notebook: {error}")
    try:
        new = serialise(normalised(execute(notebook, path.parent)))
    except CellFailed as error:
        return Outcome(path, failure=str(error))
    if new != old and not check:
        write_atomically(path, new)
    return Outcome(path, changed=new != old)


def _refreshed(paths: list[Path], check: bool, jobs: int) -> Iterable[Outcome]:
    """Every notebook's outcome, in the order of `paths`, with a progress bar while they run."""
    from tqdm import tqdm

    with ThreadPoolExecutor(jobs) as pool:
        futures = {pool.submit(refresh, path, check): path for path in paths}
        with tqdm(total=len(futures), unit="notebook", dynamic_ncols=True) as bar:
            for future in as_completed(futures):
                bar.set_postfix_str(futures[future].name)
                bar.update()
        return [future.result() for future in futures]


def _chosen(asked_for: list[Path]) -> list[Path]:
    """The notebooks to run: those asked for, folders unfolded, or all of the course."""
    if not asked_for:
        asked_for = [notebooks_folder()]
    chosen: list[Path] = []
    for path in asked_for:
        if path.is_dir():
            chosen += [path / name for name in course_notebooks(path)]
        elif path.is_file():
            chosen.append(path)
        else:
            raise Problem(f"There is no notebook {path}.", Exit.USAGE)
    if not chosen:
        raise Problem(f"There are no notebooks in {', '.join(map(str, asked_for))}.", Exit.USAGE)
    return chosen
