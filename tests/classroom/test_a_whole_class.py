"""A class with every kind of submission, collected, marked with a kill in between, and marked again: everybody ends
with the marks of their kind. `benchmarks/attack.py` has classes of thirty, with three assignments.
"""

from __future__ import annotations

import pytest
from attacks import whole_class

from glassroom.classroom.sandbox import best_isolation
from glassroom.workspace.problems import Problem

try:
    best_isolation()
except Problem as problem:
    pytest.skip(f"no sandbox works here: {problem}", allow_module_level=True)


@pytest.mark.timeout(900)  # a busy machine is no fault of the code
@pytest.mark.sweep(3)
@pytest.mark.parametrize("assignment", whole_class.NOTEBOOKS)
def test_everybody_ends_with_the_marks_of_their_kind(assignment: str) -> None:
    learners = len(whole_class.KINDS) + 1
    report = whole_class.run(learners, seed=0, assignments=[assignment])
    assert report == {"tried": 2 * learners, "broken": []}
