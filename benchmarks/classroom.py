"""Mark a thousand submissions of one notebook: `python benchmarks/classroom.py [--count N] [--jobs 1,2] [--cluster]`.

Two in a hundred are broken and two in a hundred are hostile. Every learner must get exactly one row, with the marks for
their kind of submission. Prints submissions a second for each number of jobs, and processor seconds, which say more if
other programs run. No process and no temporary folder may be left.
"""

from __future__ import annotations

import argparse
import copy
import os
import resource
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from classes import FILE, answered, make_class, sandboxes_left, teachers_notebook
from hostile_submissions import CODE
from tqdm import tqdm

from glassroom.classroom.batch import grade, on_this_machine
from glassroom.classroom.course_file import read_course
from glassroom.classroom.sandbox import best_isolation
from glassroom.workspace.notebook_json import serialise

RULES = "[limits]\nwall = 60\ncell = 5\ncpu = 30\nmemory = 1500\nprocesses = 24\nfiles = 16\noutput = 4\n"
PERIOD = 50  # of 50 submissions, one is broken and one is hostile
KINDS = {
    "ada": ({}, 4),
    "bob": ({"02-middle": "middle = a[1:5].clone().view(2, 2)"}, 3),
    "carl": ({"02-count": "headers = 5\nstorages = 2"}, 3),
    "dora": ({"02-share-storage": "def share_storage(x, y):\n    return x is y"}, 3),
}


def hand_in(folder: Path, count: int) -> dict[str, float | None]:
    """Hand in `count` submissions; returns the marks that each should earn."""
    teachers = teachers_notebook(folder)
    expected: dict[str, float | None] = {}
    harm = list(CODE)
    for number in range(count):
        place = folder / "submitted" / f"learner-{number:05}" / "memory-02"
        place.mkdir(parents=True)
        kind = number % PERIOD
        if kind == 7:
            content = serialise(teachers)[: 1000 + number]
            expected[place.parent.name] = 0
        elif kind == 23:
            code = CODE[harm[number // PERIOD % len(harm)]]
            content = serialise(answered(copy.deepcopy(teachers), {"02-middle": code}))
            expected[place.parent.name] = 0
        else:
            answers, earned = KINDS[list(KINDS)[number % len(KINDS)]]
            own = {id: f"{code}\n# {number}" for id, code in answers.items()}
            content = serialise(answered(copy.deepcopy(teachers), own, solved=True))
            expected[place.parent.name] = earned
        (place / FILE).write_bytes(content)
    return expected


def temporaries() -> set[str]:
    """The files in the temporary folder with this program's names."""
    return {name for name in os.listdir(tempfile.gettempdir()) if name.startswith(("glassroom", "dask"))}


def main() -> None:
    """Mark the class once for each number of jobs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--jobs", default="1,2")
    parser.add_argument("--cluster", action="store_true", help="on a LocalCluster of dask.distributed")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="glassroom-benchmark-") as temporary:
        folder = make_class(Path(temporary) / "class", rules=RULES)
        expected = hand_in(folder, arguments.count)
        course = read_course(folder)
        isolation = best_isolation([folder])
        before = temporaries()
        for jobs in map(int, arguments.jobs.split(",")):
            run = on_this_machine(jobs)
            if arguments.cluster:
                from glassroom.classroom.cluster import on_cluster

                run = on_cluster("local", jobs)
            began, watched = time.monotonic(), sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
            with tqdm(total=arguments.count, unit="submission", disable=not sys.stderr.isatty()) as bar:
                report = grade(
                    course, course.assignments, isolation, run, threading.Event(), lambda *_: bar.update(), again=True
                )
            seconds = time.monotonic() - began
            earned = {row.learner: sum((mark.part or 0) * mark.points for mark in row.marks) for row in report.rows}
            wrong = {
                learner: (earned.get(learner), marks)
                for learner, marks in expected.items()
                if earned.get(learner) != marks
            }
            rate = arguments.count / seconds
            alone = sorted(row.seconds for row in report.rows)
            cpu = sorted(row.cpu for row in report.rows)
            watching = sum(resource.getrusage(resource.RUSAGE_SELF)[:2]) - watched
            print(
                f"{'cluster' if arguments.cluster else 'jobs'} {jobs}: "
                f"{arguments.count} in {seconds:.0f} s, {rate:.2f} a second "
                f"({rate / jobs:.2f} for each), median {alone[len(alone) // 2]:.2f} s, longest {alone[-1]:.0f} s; "
                f"seconds of a core: {sum(cpu) / len(cpu):.2f} each, median {cpu[len(cpu) // 2]:.2f}, "
                f"most {cpu[-1]:.0f}, and {watching / len(cpu):.3f} to watch it; "
                f"{len(report.rows)} rows for {len(expected)} learners, {len(wrong)} marks not as expected; "
                f"{len(sandboxes_left())} sandboxes and {len(temporaries() - before)} temporary folders left; "
                f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores",
                flush=True,
            )
            for learner, (got, wanted) in list(wrong.items())[:10]:
                print(f"  {learner}: {got}, should be {wanted}")


if __name__ == "__main__":
    main()
