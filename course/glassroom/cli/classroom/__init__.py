"""The commands of a teacher's day: release, collect, grade, feedback, marks, class, hub. One file each."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from glassroom.cli.arguments import ByColumns

if TYPE_CHECKING:
    from glassroom.classroom.course_file import Course


def add_command(
    commands: Any, name: str, short: str, description: str, epilog: str = "", private: bool = True
) -> argparse.ArgumentParser:
    """Add a sub-command that works on a class's folder. The files that it writes are readable only by its user, if
    `private`."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=short,
        description=description,
        epilog=epilog,
        formatter_class=ByColumns,
        allow_abbrev=False,
    )
    parser.set_defaults(private=private, keeps=private)
    return parser


def course_of(arguments: argparse.Namespace) -> "Course":
    """The class that the command line names."""
    from glassroom.classroom.course_file import read_course

    return read_course(Path(arguments.course))
