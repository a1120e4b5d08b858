"""``glassroom mark``: a page in which a person marks answers in words."""

import argparse
import contextlib
import webbrowser
from typing import Any

from glassroom.cli.arguments import port
from glassroom.cli.classroom import add_command, course_of
from glassroom.workspace.problems import Exit, Problem


def add(commands: Any) -> None:
    """Declare the sub-command."""
    parser = add_command(
        commands,
        "mark",
        "for teachers: mark answers in words, in a page",
        "Open a page with every answer that a person marks, question by question: points, the rubric of course.toml "
        "and a comment, by the keyboard. What is typed is saved to manual.csv at once. The page is on this machine "
        "alone, and its address holds a token; Ctrl-C ends it.",
    )
    parser.add_argument("course", metavar="DIR", help="the class's folder")
    parser.add_argument("assignments", nargs="*", default=[], metavar="ASSIGNMENT", help="which to mark (all of them)")
    parser.add_argument("--port", type=port, default=0, metavar="N", help="the port (any that is free)")
    parser.add_argument("--no-browser", action="store_true", help="print the address alone")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C."""
    from glassroom.classroom.batch import read_rows
    from glassroom.classroom.by_hand import MANUAL
    from glassroom.classroom.marking import MarkingServer
    from glassroom.classroom.pages.marking import answers_to_mark

    course = course_of(arguments)
    assignments = [item for item in course.chosen(arguments.assignments) if read_rows(course, item.name)]
    if not assignments:
        raise Problem(f"Nothing is marked yet. Run: glassroom grade {arguments.course}")
    answers = answers_to_mark(course, assignments)
    if not answers:
        print("There is nothing to mark by hand: no question in words, and no mark to look at.")
        return Exit.OK
    try:
        server = MarkingServer(course, assignments, arguments.port)
    except OSError as error:
        raise Problem(f"Port {arguments.port} cannot be used: {error.strerror}.") from error
    print(
        f"{len(answers)} answers to mark, into {course.folder / MANUAL}. Ctrl-C ends this.\n{server.address}",
        flush=True,
    )
    if not arguments.no_browser:
        webbrowser.open(server.address)
    with contextlib.suppress(KeyboardInterrupt), server:
        server.serve_forever()
    return Exit.OK
