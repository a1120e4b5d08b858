"""``glassroom grade``: marks for everybody, each submission in a sandbox of its own."""

import argparse
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from glassroom.cli.arguments import jobs
from glassroom.cli.classroom import add_command
from glassroom.cli.requirements import require_modules, require_numpy
from glassroom.records.printable import printable
from glassroom.translations.templates import word
from glassroom.workspace.other_language import course_in
from glassroom.workspace.problems import Exit
from glassroom.workspace.sources import notebooks_folder
from glassroom.workspace.whole_files import write_atomically

if TYPE_CHECKING:
    from glassroom.classroom.batch import Report

EPILOG = """\
A submission is an untrusted program. Each runs in a sandbox: bubblewrap where it is installed, else the kernel's
namespaces. Where neither works, this command stops; --trust lets submissions run as you, without isolation.

Killed in the middle, it goes on where it was. Run again, it marks only what has changed.

Who has handed in nothing is known from tensors-2030/learners.txt, if you write one: a line for each learner, with the
name that their folder in submitted/ has or would have.

examples:
  glassroom grade tensors-2030                    every assignment of the class
  glassroom grade tensors-2030 memory-02 --jobs 8
  glassroom grade tensors-2030 --cluster local    with dask.distributed, on a cluster of this machine's own
  glassroom grade tensors-2030 --cluster tcp://scheduler:8786
"""


def add(commands: Any) -> None:
    """Declare the sub-command."""
    parser = add_command(
        commands, "grade", "for teachers: mark what was handed in", "Mark the submissions of a class.", EPILOG
    )
    parser.add_argument("course", metavar="DIR", help="the class's folder")
    parser.add_argument("assignments", nargs="*", default=[], metavar="ASSIGNMENT", help="which to mark (all of them)")
    parser.add_argument(
        "--jobs", type=jobs, default=os.cpu_count() or 1, metavar="N", help="how many at a time (one a core)"
    )
    parser.add_argument("--cluster", metavar="ADDRESS", help='a dask scheduler\'s address, or "local"')
    parser.add_argument("--again", action="store_true", help="mark everything anew")
    parser.add_argument(
        "--trust", action="store_true", help="where there is no sandbox, run submissions without isolation"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Grade with a progress bar, then say what could not be run and what to look at."""
    from glassroom.classroom.batch import grade, on_this_machine, require_folder
    from glassroom.classroom.by_hand import read_manual
    from glassroom.classroom.course_file import read_course
    from glassroom.classroom.marks import absentees, marks_csv, result
    from glassroom.classroom.release import changed_since, is_released, needs_force
    from glassroom.classroom.sandbox import best_isolation

    require_numpy()
    require_modules("IPython", "tqdm")
    from tqdm import tqdm

    course = read_course(Path(arguments.course))
    require_folder(course)
    assignments = course.chosen(arguments.assignments)
    if not arguments.assignments and any(is_released(course, assignment) for assignment in assignments):
        for assignment in assignments:
            if not is_released(course, assignment):
                print(
                    f"{assignment.name} is not handed out yet: "
                    f"glassroom release {assignment.name} --course {arguments.course}"
                )
        assignments = [assignment for assignment in assignments if is_released(course, assignment)]
    isolation = best_isolation([course.folder], arguments.trust)
    print(f"Isolation: {isolation.says}", flush=True)
    run_all = on_this_machine(arguments.jobs)
    if arguments.cluster:
        require_modules("distributed", extras="cluster")
        from glassroom.classroom.cluster import on_cluster

        run_all = on_cluster(arguments.cluster, arguments.jobs)
    with tqdm(unit=word(" submissions"), dynamic_ncols=True) as bar:

        def progress(done: int, of: int, name: str) -> None:
            bar.total, bar.n = of, done
            bar.set_postfix_str(printable(name))

        report = grade(course, assignments, isolation, run_all, threading.Event(), progress, arguments.again)
    with course_in(course.language, notebooks_folder()) as notebooks:
        changed = {
            each.name: " --force" if needs_force(course, each, notebooks) else ""
            for each in assignments
            if changed_since(course, each, notebooks)
        }
    report.warnings += [
        f"{name}: course.toml or the notebooks have changed since it was released, and the marks rest on what was "
        f"released. To renew it: glassroom release {name} --course {arguments.course}{force}"
        for name, force in changed.items()
    ]
    manual = read_manual(course)
    results = [result(course, course.assignment(row.assignment), row, manual) for row in report.rows]
    results += absentees(course, report.missing)
    write_atomically(course.folder / "marks.csv", marks_csv(results).encode())
    print(told(report))
    print(f"Marks: {course.folder / 'marks.csv'}")
    print(f"Next: glassroom class {arguments.course}, glassroom feedback {arguments.course}")
    return Exit.OK


def told(report: "Report") -> str:
    """The report for the person who graded: a line for everything unusual, and a summary."""
    lines = []
    for row in report.troubled:
        name = printable(row.learner)
        lines += [f"{name}, {row.assignment}: {printable(trouble)}" for trouble in row.trouble]
    for row in report.doubtful:
        lines += [
            f"look at {printable(row.learner)}, {row.assignment}, {mark.id}: {printable(mark.doubt)}"
            for mark in row.to_look_at
        ]
    lines += report.warnings
    beside = sorted({mark.exercise for row in report.rows for mark in row.marks if mark.how == "beside"})
    if beside:
        lines.append(
            "Judged inside the submission's own process, because the answers cannot be passed out of it as data "
            f"(a program written for the purpose could forge its own marks here): {', '.join(beside)}"
        )
    lines.append(
        f"{report.marked} marked, {report.kept} unchanged, {len(report.missing)} not handed in, "
        f"{len(report.troubled)} with trouble, {len(report.doubtful)} to look at"
    )
    return "\n".join(lines)
