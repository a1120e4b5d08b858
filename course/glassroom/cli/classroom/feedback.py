"""``glassroom feedback``: a page for each learner."""

import argparse
from typing import Any

from glassroom.cli.classroom import add_command, course_of
from glassroom.workspace.problems import Exit, Problem
from glassroom.workspace.whole_files import write_atomically


def add(commands: Any) -> None:
    """Declare the sub-command."""
    parser = add_command(
        commands,
        "feedback",
        "for teachers: an HTML page for each learner",
        "Write a page for each learner to pages/: their points, what each answer shows, and their own pictures. A page "
        "needs no network, holds no scripts, and neither solutions nor hidden tests.",
    )
    parser.add_argument("course", metavar="DIR", help="the class's folder")
    parser.add_argument("assignments", nargs="*", metavar="ASSIGNMENT", help="which to show (all of them)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the pages of all who have marks."""
    from glassroom.classroom.batch import learners_of, read_rows
    from glassroom.classroom.collecting import safe_name
    from glassroom.classroom.marks import Result, read_manual, result
    from glassroom.classroom.pages.feedback import feedback_page

    course = course_of(arguments)
    manual = read_manual(course)
    of: dict[str, list[Result]] = {}
    for assignment in course.chosen(arguments.assignments):
        for learner, row in read_rows(course, assignment.name).items():
            of.setdefault(learner, []).append(result(course, assignment, row, manual))
    if not of:
        raise Problem(f"Nothing is marked yet. Run: glassroom grade {arguments.course}")
    folder = course.folder / "pages"
    taken: set[str] = set()
    for learner in [name for name in learners_of(course) if name in of]:
        name = safe_name(learner) or "learner"
        while name.casefold() in taken:
            name += "-"
        taken.add(name.casefold())
        html = feedback_page(course.name, learner, of[learner])
        write_atomically(folder / f"{name}.html", html.encode("utf-8", "replace"))
    print(f"{len(taken)} pages in {folder}")
    return Exit.OK
