"""``glassroom contents``: the contents page of the course, and the links between its notebooks.

For those who write the course: run it after a notebook was added, removed or given another title.
"""

import argparse
from pathlib import Path
from typing import Any

from glassroom.cli.arguments import ByColumns
from glassroom.records.printable import printable
from glassroom.workspace.contents import write_contents
from glassroom.workspace.problems import Exit
from glassroom.workspace.sources import notebooks_folder


def add(commands: Any) -> None:
    """Declare the sub-command."""
    parser = commands.add_parser(
        "contents",
        help="write the contents page and the links between the notebooks anew",
        description="Make notebooks/contents.ipynb and the lines previous · contents · next from the notebooks "
        "that are in the folder.",
        formatter_class=ByColumns,
        allow_abbrev=False,
    )
    parser.add_argument("folder", nargs="?", type=Path, metavar="FOLDER", help="the course's notebooks")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write what is out of date, and say what that was."""
    changed = write_contents(arguments.folder or notebooks_folder())
    for path in changed:
        print(f"changed  {printable(str(path))}")
    print(f"{len(changed)} notebooks changed")
    return Exit.OK
