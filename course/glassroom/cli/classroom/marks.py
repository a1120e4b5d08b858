"""``glassroom marks``: marks as a table, for people, Moodle or Canvas; and the table that a person fills in."""

import argparse
import csv
import io
import sys
from pathlib import Path
from typing import Any

from glassroom.cli.classroom import add_command, course_of
from glassroom.records.printable import printable
from glassroom.workspace.problems import Exit, Problem
from glassroom.workspace.whole_files import write_atomically

EPILOG = """\
examples:
  glassroom marks tensors-2030 --csv marks.csv
  glassroom marks tensors-2030 --by-hand                     manual.csv, with every answer in words, to be filled in
  glassroom marks tensors-2030 memory-02 --lms moodle --csv moodle.csv
  glassroom marks tensors-2030 memory-02 --lms canvas --roster gradebook-export.csv --csv canvas.csv
"""


def add(commands: Any) -> None:
    """Declare the sub-command."""
    parser = add_command(commands, "marks", "for teachers: marks as a table", "Write the marks of a class.", EPILOG)
    parser.add_argument("course", metavar="DIR", help="the class's folder")
    parser.add_argument("assignments", nargs="*", default=[], metavar="ASSIGNMENT", help="which (all of them)")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="where to write (the terminal)")
    parser.add_argument("--lms", choices=("moodle", "canvas"), help="in the form that this LMS takes, one assignment")
    parser.add_argument(
        "--roster", type=Path, metavar="FILE", help="Canvas's export of the gradebook, or Moodle's worksheet"
    )
    parser.add_argument("--by-hand", action="store_true", help="write manual.csv, for what a person marks")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write or print the table."""
    from glassroom.classroom.batch import learners_of, read_rows
    from glassroom.classroom.by_hand import MANUAL, read_manual
    from glassroom.classroom.lms import NO_PERSON, left_out, lms_csv, numbers_of
    from glassroom.classroom.marks import absentees, manual_template, marks_csv, result

    course = course_of(arguments)
    manual = read_manual(course)
    assignments = course.chosen(arguments.assignments)
    results = [
        result(course, assignment, row, manual)
        for assignment in assignments
        for row in read_rows(course, assignment.name).values()
    ]
    if not results:
        raise Problem(f"Nothing is marked yet. Run: glassroom grade {arguments.course}")
    path = arguments.csv
    if arguments.by_hand:
        path, table = course.folder / MANUAL, manual_template(results)
    elif arguments.lms:
        if len(assignments) != 1:
            raise Problem(
                f"An LMS takes one assignment at a time: glassroom marks {arguments.course} NAME --lms …", Exit.USAGE
            )
        numbers = numbers_of(course, results)
        table = lms_csv(arguments.lms, assignments[0], results, arguments.roster, numbers)
        if arguments.roster:
            unknown, without = left_out(arguments.lms, results, arguments.roster, numbers)
            if unknown:
                names = "; ".join(map(printable, unknown))
                print(f"marked, and left out, because {arguments.roster} does not have them: {names}", file=sys.stderr)
            if without:
                names = "; ".join(map(printable, without))
                print(f"in {arguments.roster}, and without a mark: {names}", file=sys.stderr)
        if waiting := [result.row.learner for result in results if result.waiting]:
            names = "; ".join(map(printable, waiting))
            print(f"with answers that wait for a person's mark, and count 0 in this table: {names}", file=sys.stderr)
    else:
        present = {(result.row.learner, result.row.assignment) for result in results}
        marked = {assignment for _, assignment in present}
        everybody = (
            (learner, assignment.name)
            for assignment in assignments
            if assignment.name in marked
            for learner in learners_of(course)
        )
        table = marks_csv([*results, *absentees(course, [pair for pair in everybody if pair not in present])])
    if path is None:
        print(table, end="")
    else:
        write_atomically(path, table.encode())
        _, *lines = csv.reader(io.StringIO(table))
        rows = len([line for line in lines if arguments.lms != "canvas" or line[0].strip() != NO_PERSON])
        print(f"1 row in {path}" if rows == 1 else f"{rows} rows in {path}")
    return Exit.OK
