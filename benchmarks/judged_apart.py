"""How many exercises of each part are judged outside of the learner's process: `python benchmarks/judged_apart.py`.

Marks the course's own solution of every notebook, including capstones and reviews, as `glassroom grade` does to find
out. Prints a line for each part, and the exercises that are judged in the runner.
"""

from __future__ import annotations

import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from classes import make_class

from glassroom.classroom.course_file import Assignment, read_course
from glassroom.classroom.grading import reference, task_of
from glassroom.classroom.handout import course_notebook, exercises_of
from glassroom.classroom.sandbox import best_isolation, dismiss_referees
from glassroom.workspace.sources import course_notebooks, notebooks_folder

RULES = "[limits]\nwall = 120\ncell = 30\ncpu = 100\nmemory = 3000\nprocesses = 200\nfiles = 64\noutput = 8\n"


def main() -> None:
    """Mark the course's own solutions, two notebooks at a time."""
    source = notebooks_folder()
    names = [
        notebook.as_posix()
        for notebook in course_notebooks(source)
        if exercises_of(course_notebook(source, str(notebook)))
    ]
    with tempfile.TemporaryDirectory(prefix="glassroom-apart-") as temporary, ThreadPoolExecutor(2) as pool:
        course = read_course(make_class(Path(temporary) / "class", tuple(names), RULES))
        isolation = best_isolation([course.folder])

        def judged(assignment: Assignment) -> tuple[str, set[str], set[str], list[str]]:
            task = task_of(course, assignment)
            plan, failed = reference(task, isolation)
            every = {question.exercise for question in task.questions()}
            return assignment.notebooks[0].split("/")[0], every, {*(plan.apart or ())}, failed

        parts: dict[str, tuple[set[str], set[str]]] = {}
        for part, every, apart, failed in pool.map(judged, course.assignments):
            all_of, apart_of = parts.setdefault(part, (set(), set()))
            all_of |= every
            apart_of |= apart
            for failure in failed:
                print("does not pass:", failure)
        dismiss_referees()
    for part, (every, apart) in parts.items():
        print(f"{part}: {len(apart)} of {len(every)} apart; beside: {', '.join(sorted(every - apart))}")
    every, apart = (set().union(*(part[at] for part in parts.values())) for at in (0, 1))
    print(f"in all: {len(apart)} of {len(every)} apart, {len(every - apart)} beside")


if __name__ == "__main__":
    main()
