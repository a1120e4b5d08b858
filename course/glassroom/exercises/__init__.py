"""Exercises and predictions: what the course asks of its learners, and how it answers.

`engine` declares, checks and hints; `expect` holds the sentences of checks; `facts` asks tensors about
themselves; `prediction` is predict-then-run. The exercises of a course part live in a package named after
the part, one module a notebook.
"""

from glassroom.exercises import running_cells
from glassroom.exercises.engine import (
    Exercise,
    Misconception,
    Verdict,
    check,
    exercise,
    exercises,
    hint,
    judge,
)
from glassroom.exercises.prediction import Prediction, predict

__all__ = [
    "Exercise",
    "Misconception",
    "Prediction",
    "Verdict",
    "check",
    "exercise",
    "exercises",
    "hint",
    "judge",
    "predict",
]
