"""The three parts of `my_tensor.py`: which notebook writes each, whose answers it has, and what the course gives."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from glassroom.exercises._answer_key import hints_of
from glassroom.exercises.engine import LEFT_OUT, exercises
from glassroom.exercises.my_tensor.parts import COURSES, GIVEN, OPEN, YOURS, Part
from glassroom.translations.templates import as_is

_ANSWERS = "# The answers stand here.\n"  # in a file of what the course gives


@dataclass(frozen=True)
class Step:
    """One part: the title of the notebook that writes it, and the exercises whose answers are in it."""

    name: str
    title: str
    what: str
    exercises: tuple[str, ...] = ()

    @property
    def answers(self) -> dict[str, str]:
        """The exercises by the names of their answers."""
        known = exercises()
        return {known[id].answers[0]: id for id in self.exercises}

    def part(self, own: Mapping[str, str]) -> Part:
        """The part with these functions of the learner, and the course's own in place of the others.

        `stand_in` calls fetch those, so that the file does not reveal what an exercise asks for.
        """
        before, _, after = _given(self.name).rpartition(_ANSWERS)
        asks = any(has_answer(id) for name, id in self.answers.items() if name not in own)
        blocks = [("from glassroom import stand_in\n" if asks else "") + before.strip()]
        for name, id in self.answers.items():
            if name in own:
                blocks.append(f"# {name}: {YOURS}\n{own[name]}")
            elif has_answer(id):
                blocks.append(as_is(f'# {name}: {COURSES}\n{name} = stand_in("{id}", ...)'))
            else:
                raising = as_is(f'raise NotImplementedError("{name} is still to be written")')
                blocks.append(f"# {name}: {OPEN}\ndef {name}(*_):\n    {raising}")
        if self.exercises:
            blocks.append(GIVEN)
        return Part(self.title, "\n\n\n".join([*filter(None, blocks), after.strip()]))


STEPS = {
    step.name: step
    for step in (
        Step(
            "strides",
            "A strided tensor in 60 lines",
            "a strided tensor",
            ("11-cell", "11-stride", "11-index", "11-runs", "11-expand"),
        ),
        Step(
            "engine",
            "An engine in 60 lines",
            "it computes, and has gradients",
            ("a10-multiply", "a10-fitted", "a10-matmul", "a10-rows", "a10-turn"),
        ),
        Step("reader", "Capstone: a training step within a mebibyte", "a network that reads digits"),
    )
}


def has_answer(id: str) -> bool:
    """Whether this copy of the course has an answer to the exercise."""
    return hints_of(id)[-1] != LEFT_OUT


@cache
def names_of_the_library() -> frozenset[str]:
    """The names that `my_tensor.py` has whoever writes it: what the course gives, and the answers."""
    return frozenset(_names())


def _names() -> Iterator[str]:
    for step in STEPS.values():
        yield from step.answers
        for statement in ast.parse(_given(step.name)).body:
            if isinstance(statement, ast.FunctionDef | ast.ClassDef):
                yield statement.name
            elif isinstance(statement, ast.Import | ast.ImportFrom):
                yield from (name.asname or name.name for name in statement.names)
            elif isinstance(statement, ast.Assign):
                yield from (target.id for target in statement.targets if isinstance(target, ast.Name))


@cache
def _given(name: str) -> str:
    return (Path(__file__).parent / "given" / f"{name}.py").read_text(encoding="utf-8")
