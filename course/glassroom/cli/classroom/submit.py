"""``glassroom submit``: a learner hands in, on the hub or into a folder that the class shares."""

import argparse
from pathlib import Path
from typing import Any

from glassroom.cli.classroom import add_command
from glassroom.workspace.problems import Exit, Problem

EPILOG = """\
Save your notebooks first. You can hand in as often as you like, and the last time counts. In a notebook, a cell with
!glassroom submit
hands in the folder that the notebook is in.

examples:
  glassroom submit                                     the folder that you are in
  glassroom submit memory-02                           an assignment's folder
  glassroom submit memory-02 --to /srv/exchange/tensors     without a hub: into a folder that the class shares
"""


def add(commands: Any) -> None:
    """Declare the sub-command."""
    parser = add_command(
        commands,
        "submit",
        "hand in an assignment, on a hub or in a shared folder",
        "Hand in your notebooks.",
        EPILOG,
        private=False,
    )
    parser.add_argument(
        "what", nargs="*", type=Path, metavar="FOLDER|NOTEBOOK", help="what to hand in (the folder that you are in)"
    )
    parser.add_argument("--to", type=Path, metavar="FOLDER", help="the class's shared folder (the hub's own)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Hand in, and say what and when."""
    from glassroom.classroom.handing_in import exchange_here, submit

    exchange = arguments.to or exchange_here()
    if exchange is None:
        raise Problem(
            "This is not a hub, so it is not known where to hand in. Name the folder that your class shares: "
            "glassroom submit --to FOLDER. Or hand your notebooks in where your teacher says.",
            Exit.USAGE,
        )
    for place in submit(arguments.what or [Path()], exchange):
        _, assignment, when = place.name.split("+")
        names = sorted(path.name for path in place.glob("*.ipynb"))
        print(f"Handed in: {assignment}, {', '.join(names)}, at {when[:16]} UTC")
        print(f"  {place}")
    return Exit.OK
