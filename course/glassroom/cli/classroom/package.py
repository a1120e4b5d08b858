"""``glassroom package``: the course without its solutions, as a wheel for learners."""

import argparse
from pathlib import Path
from typing import Any

from glassroom.cli.classroom import add_command
from glassroom.cli.requirements import require_numpy
from glassroom.workspace.problems import Exit
from glassroom.workspace.sources import notebooks_folder

EPILOG = """\
Learners install this wheel instead of the whole course. Its notebooks are learners' copies, and the last hint of each
exercise, which is the answer, is left out. Checks are the same: their code can be read, and some of them compute what
they ask for. Mark with the whole course, as always.

example:
  glassroom package tensors-2030
  pip install 'tensors-2030/tensorglass-0.1.0+learners-py3-none-any.whl[course]'     on a learner's machine
"""


def add(commands: Any) -> None:
    """Declare the sub-command."""
    parser = add_command(
        commands,
        "package",
        "for teachers: the course without its solutions, for learners to install",
        "Write a wheel of the course that has no solutions.",
        EPILOG,
        private=False,
    )
    parser.add_argument(
        "folder", type=Path, metavar="FOLDER", help="where the wheel goes: a class's folder, or another"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the wheel, and say how it is installed."""
    require_numpy()
    from glassroom.classroom.learners_package import write_package

    path = write_package(arguments.folder, notebooks_folder())
    print(f"wrote {path} ({path.stat().st_size / 1e6:.1f} MB), without solutions")
    print(f"On learners' machines: pip install '{path.name}[course]'")
    return Exit.OK
