"""Answers that two learners have in common and few others have: a reason to look, never a verdict."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from glassroom.classroom.grading import Row

SHORTEST = 40  # many people would write the same answer in fewer characters
FEW = 0.05  # share of a class; an answer that more people have is what the exercise suggests
MOST_SHARING = 8


@dataclass(frozen=True)
class Pair:
    """Two learners, and the exercises to which they gave the same answer, which few others gave."""

    learners: tuple[str, str]
    exercises: tuple[str, ...]
    alike: tuple[bool, ...]  # for each: whether even the names of variables are the same


def similar(rows: Iterable[Row], solutions: Mapping[str, str] | None = None, least: int = 2) -> list[Pair]:
    """Pairs that share at least `least` answers, those with the most first. Answers equal to the course's own solution
    are not counted."""
    own = {_shape(code) for code in (solutions or {}).values()}
    given: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    learners = set()
    for row in rows:
        learners.add(row.learner)
        for mark in row.marks:
            shape = _shape(mark.answer) if mark.id == mark.exercise and mark.how in ("apart", "beside") else ""
            if len(mark.answer) >= SHORTEST and shape and shape not in own and "Constant(value=Ellipsis)" not in shape:
                given[mark.exercise, shape][row.learner] = mark.answer
    most = min(MOST_SHARING, max(2, int(FEW * len(learners))))
    shared: dict[tuple[str, str], list[tuple[str, bool]]] = defaultdict(list)
    for (exercise, _), answers in given.items():
        if 2 <= len(answers) <= most:
            for one, other in combinations(sorted(answers), 2):
                shared[one, other].append((exercise, answers[one].split() == answers[other].split()))
    pairs = [
        Pair(names, tuple(name for name, _ in sorted(cells)), tuple(same for _, same in sorted(cells)))
        for names, cells in shared.items()
        if len(cells) >= least
    ]
    return sorted(pairs, key=lambda pair: (-len(pair.exercises), pair.learners))


def _shape(code: str) -> str:
    """A program without the names that its writer chose: programs of one shape differ only in names, comments and
    blanks."""
    try:
        tree = ast.parse(code)
        names: dict[str, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Name):
                node.id = names.setdefault(node.id, f"n{len(names)}")
            elif isinstance(node, ast.arg):
                node.arg = names.setdefault(node.arg, f"n{len(names)}")
        return ast.dump(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
