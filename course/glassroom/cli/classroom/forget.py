"""``glassroom forget``: everything that a class has of one person, deleted."""

import argparse
from typing import Any

from glassroom.cli.classroom import add_command, course_of
from glassroom.records.printable import printable
from glassroom.workspace.problems import Exit, Problem


def add(commands: Any) -> None:
    """Declare the sub-command."""
    parser = add_command(
        commands,
        "forget",
        "for teachers: delete everything that a class has of a person",
        "List what the class's folder has of a person, ask, and delete it: work, marks, pages, lines of tables, the "
        "student in nbgrader's gradebook. What mentions them and stays is named.",
    )
    parser.add_argument("course", metavar="DIR", help="the class's folder")
    parser.add_argument("person", metavar="PERSON", help="the name of their folder in submitted/")
    parser.add_argument("--yes", action="store_true", help="delete without asking")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """List, ask, delete, and report what is left."""
    from glassroom.classroom.forgetting import left_of, require_known, traces_of

    course, person = course_of(arguments), arguments.person
    require_known(course, person)
    traces = traces_of(course, person)
    print(f"Of {printable(person)}, {course.folder} has:")
    for trace in traces:
        print(f"  {printable(trace.what)}")
    if traces and not arguments.yes and not _agreed():
        print("Nothing was deleted.")
        return Exit.FAILED
    stayed = []
    for trace in traces:
        try:
            trace.delete()
        except (OSError, Problem) as error:
            stayed.append(f"{printable(trace.what)} was not deleted: {error}")
    print(f"{len(traces) - len(stayed)} of {len(traces)} deleted.")
    for line in left_of(course, person):
        print(printable(line))
    if stayed:
        raise Problem("; ".join(stayed))
    return Exit.OK


def _agreed() -> bool:
    try:
        return input("Delete all of this? It cannot be undone. [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        print()
        return False
