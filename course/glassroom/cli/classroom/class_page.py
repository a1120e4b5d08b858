"""``glassroom class``: a page on which a teacher sees the class."""

import argparse
from pathlib import Path
from typing import Any

from glassroom.cli.classroom import add_command
from glassroom.workspace.problems import Exit


def add(commands: Any) -> None:
    """Declare the sub-command."""
    parser = add_command(
        commands,
        "class",
        "for teachers: a page of the whole class",
        "Write class.html: learners and exercises as a heat map, what goes wrong most, who is stuck, what to look at "
        "by hand. In a notebook: from glassroom.classroom.pages import class_page; class_page(DIR).",
    )
    parser.add_argument("course", metavar="DIR", help="the class's folder")
    parser.add_argument("assignments", nargs="*", default=[], metavar="ASSIGNMENT", help="which to show (all of them)")
    parser.add_argument("--html", type=Path, metavar="FILE", help="where to write (DIR/class.html)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the page, and say the same in a few lines."""
    from glassroom.classroom.pages.overview import class_page

    page = class_page(arguments.course, *arguments.assignments)
    path = page.save(arguments.html or Path(arguments.course) / "class.html")
    print(page)
    print(path)
    return Exit.OK
