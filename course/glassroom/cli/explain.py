"""``glassroom explain``: a message of PyTorch, and the lesson on it."""

import argparse
import sys
from typing import Any

from glassroom.cli.arguments import ByColumns
from glassroom.lessons.lesson import explain, lessons
from glassroom.records.printable import printable
from glassroom.workspace.problems import Exit, Problem

EPILOG = """\
examples:
  glassroom explain "mat1 and mat2 shapes cannot be multiplied (5x3 and 4x2)"
  python train.py 2>&1 | glassroom explain     what a program printed, its traceback included
  glassroom explain                            paste the message, then end with Ctrl+D
  glassroom explain --list                     the messages that have a lesson
"""


def add(commands: Any) -> None:
    """Declare the sub-command."""
    parser = commands.add_parser(
        "explain",
        help="a lesson on an error message of PyTorch",
        description="Say what an error message of PyTorch means, with a program that raises it, and the same mended.",
        epilog=EPILOG,
        formatter_class=ByColumns,
        allow_abbrev=False,
    )
    parser.add_argument("message", nargs="*", metavar="MESSAGE", help="the message (otherwise read from the input)")
    parser.add_argument("--list", action="store_true", help="list the messages that have a lesson")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the lesson on a message."""
    if arguments.list:
        print(*(lesson.heading for lesson in lessons()), sep="\n")
        return Exit.OK
    if not arguments.message and sys.stdin.isatty():
        print("Paste the message, then press Enter and Ctrl+D.", file=sys.stderr)
    message = " ".join(arguments.message) or sys.stdin.read()
    if not message.strip():
        raise Problem("There is no message. Name one, as in: glassroom explain MESSAGE", Exit.USAGE)
    try:
        lesson = explain(message)
    except ValueError as unknown:
        said = [f"glassroom: {unknown}", "`glassroom explain --list` lists the messages that have a lesson."]
        print(*map(printable, "\n".join(said).splitlines()), sep="\n", file=sys.stderr)
        return Exit.USAGE
    print(*map(printable, repr(lesson).splitlines()), sep="\n")
    return Exit.OK
