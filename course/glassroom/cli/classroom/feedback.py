"""``glassroom feedback``: a page for each learner."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from glassroom.cli.classroom import add_command, course_of
from glassroom.records.printable import printable
from glassroom.workspace.problems import Exit, Problem
from glassroom.workspace.whole_files import write_atomically

if TYPE_CHECKING:
    from glassroom.classroom.by_hand import Manual
    from glassroom.classroom.course_file import Course


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
    parser.add_argument("assignments", nargs="*", default=[], metavar="ASSIGNMENT", help="which to show (all of them)")
    parser.add_argument(
        "--moodle", type=Path, metavar="ZIP", help="write one assignment's pages as Moodle takes feedback files"
    )
    parser.add_argument(
        "--canvas",
        type=Path,
        metavar="ZIP",
        help="write one assignment's notebooks, with marks and comments in them, as Canvas takes them back",
    )
    parser.add_argument(
        "--roster", type=Path, metavar="FILE", help="with --moodle: its grading worksheet, where numbers are not known"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the pages of all who have marks."""
    from glassroom.classroom.batch import learners_of, read_rows
    from glassroom.classroom.by_hand import read_manual
    from glassroom.classroom.collecting import safe_name
    from glassroom.classroom.marks import Result, result
    from glassroom.classroom.pages.feedback import feedback_page
    from glassroom.classroom.pages.questions import Question, questions_of

    course = course_of(arguments)
    manual = read_manual(course)
    if arguments.moodle or arguments.canvas:
        return _write_zip(arguments, course, manual)
    of: dict[str, list[Result]] = {}
    asked: dict[str, Question] = {}
    for assignment in course.chosen(arguments.assignments):
        rows = read_rows(course, assignment.name)
        asked |= questions_of(course, assignment) if rows else {}
        for learner, row in rows.items():
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
        html = feedback_page(course.name, learner, of[learner], asked)
        write_atomically(folder / f"{name}.html", html.encode("utf-8", "replace"))
    print(f"{len(taken)} pages in {folder}")
    return Exit.OK


def _write_zip(arguments: argparse.Namespace, course: "Course", manual: "Manual") -> int:
    """Write one assignment's pages for Moodle or notebooks for Canvas, and list the learners who are not included."""
    from glassroom.classroom.batch import read_rows
    from glassroom.classroom.lms import canvas_zip, feedback_zip
    from glassroom.classroom.marks import result

    chosen = course.chosen(arguments.assignments)
    if len(chosen) != 1:
        raise Problem(
            f"An LMS takes one assignment at a time: glassroom feedback {arguments.course} NAME --moodle …", Exit.USAGE
        )
    rows = read_rows(course, chosen[0].name).values()
    if not rows:
        raise Problem(f"Nothing is marked yet. Run: glassroom grade {arguments.course}")
    results = [result(course, chosen[0], row, manual) for row in rows]
    if arguments.canvas:
        content, unknown = canvas_zip(course, results)
        if len(unknown) == len(rows):
            raise Problem("Nobody's work came by a zip file of Canvas's, so it would know none of these notebooks.")
        write_atomically(arguments.canvas, content)
        for learner in unknown:
            print(f"{printable(learner)}: their work did not come by a zip file of Canvas's, so it is not in it")
        told = f"the notebooks of {len(rows) - len(unknown)} learners in {arguments.canvas}"
        print(f"{told}. In Canvas, on the assignment: Upload submissions")
        return Exit.OK
    content, unknown = feedback_zip(course, results, arguments.roster)
    if len(unknown) == len(rows):
        raise Problem("Nobody's number in Moodle is known: name the grading worksheet with --roster FILE.")
    write_atomically(arguments.moodle, content)
    for learner in unknown:
        print(f"{printable(learner)}: their number in Moodle is not known, so their page is not in it (see --roster)")
    print(f"{len(rows) - len(unknown)} pages in {arguments.moodle}. In Moodle: Upload multiple feedback files in a zip")
    return Exit.OK
