"""``glassroom progress``: how far you are in the course."""

import argparse
from pathlib import Path
from typing import Any

from glassroom.cli.arguments import ByColumns
from glassroom.cli.requirements import require_numpy
from glassroom.records.printable import printable
from glassroom.workspace.learner_folder import working_copy_around, working_folder
from glassroom.workspace.problems import Exit, Problem


def add(commands: Any) -> None:
    """Declare the sub-command."""
    parser = commands.add_parser(
        "progress",
        help="how far you are in the course, and where to go on",
        description="Show what you have solved in your working copy of the course, the hints you took, "
        "the notebook to go on with, and the hours that are left.",
        formatter_class=ByColumns,
        allow_abbrev=False,
    )
    parser.add_argument("folder", nargs="?", metavar="FOLDER", help="your working copy (here, or ./glassroom-course)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the report on a working copy."""
    require_numpy()
    folder = working_folder(arguments.folder)
    if working_copy_around(folder) is None:
        raise Problem(f"{folder} is no working copy of the course. `glassroom lab` makes one.", Exit.USAGE)
    from glassroom.exercises.report import progress  # the exercises are only imported for this

    print(*map(printable, repr(progress(Path(folder))).splitlines()), sep="\n")
    return Exit.OK
