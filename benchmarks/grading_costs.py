"""The cost of marking, by notebook: `python benchmarks/grading_costs.py [BEGINNING …]`, as in `1_memory 5_networks/01`.

Marks a submission that solves everything, as `glassroom grade` does, and prints processor seconds and megabytes for
each notebook. Processor seconds are nearly the same on a busy machine.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from classes import make_class

from glassroom.classroom.course_file import read_course
from glassroom.classroom.grading import mark, reference, task_of
from glassroom.classroom.handout import course_notebook, exercises_of
from glassroom.classroom.sandbox import best_isolation, dismiss_referees
from glassroom.workspace.sources import course_notebooks, notebooks_folder

RULES = "[limits]\nwall = 120\ncell = 30\ncpu = 100\nmemory = 3000\nprocesses = 200\nfiles = 64\noutput = 8\n"


def main(beginnings: list[str]) -> None:
    """Print a line for each notebook whose name begins with one of the arguments, or for all notebooks."""
    source = notebooks_folder()
    every = [notebook.as_posix() for notebook in course_notebooks(source)]
    names = [name for name in every if name.startswith(tuple(beginnings or [""]))]
    names = [name for name in names if exercises_of(course_notebook(source, name))]
    print("| notebook | seconds of a core | MB |\n|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="glassroom-costs-") as temporary:
        course = read_course(make_class(Path(temporary) / "class", tuple(names), RULES))
        isolation = best_isolation([course.folder])
        for assignment in course.assignments:
            task, _ = reference(task_of(course, assignment), isolation)
            files = {f"{name}.ipynb": text.encode() for name, text in task.notebooks.items()}
            row = mark(task, "solved", files, isolation)
            assert not row.problem, row.problem
            name = assignment.notebooks[0].removesuffix(".ipynb")
            print(f"| {name} | {row.cpu:.1f} | {row.memory:.0f} |", flush=True)
        dismiss_referees()


if __name__ == "__main__":
    main(sys.argv[1:])
