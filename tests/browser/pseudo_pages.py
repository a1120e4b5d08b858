"""Writes pages in the language of this process into a folder: every inspector's live form, and that of a class."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from classes import make_class
from every_inspector import every_inspector

import tensorglass
from glassroom.classroom.batch import row_path
from glassroom.classroom.course_file import read_course
from glassroom.classroom.grading import Row, task_of
from glassroom.classroom.pages import class_page
from glassroom.exercises import judge
from glassroom.workspace.whole_files import write_atomically

out = Path(sys.argv[1])
for kind, inspector in every_inspector(tensorglass).items():
    inspector.save(out / f"{kind}.html")

folder = make_class(out / "class")
course = read_course(folder)
for number in range(9):
    row = Row(f"learner-{number}", "memory-02", marks=task_of(course, course.assignments[0]).questions())
    (folder / "submitted" / row.learner / "memory-02").mkdir(parents=True)
    for place, mark in enumerate(row.marks):
        mark.part, mark.how = float(number % (place + 2) == 0), "apart"
        mark.answer = f"answer = {number % 3}"
        mark.message = judge("00-numbers", 12 if place % 2 else ...).message
    write_atomically(row_path(course, "memory-02", row.learner), row.to_json())
class_page(folder).save(out / "class.html")
