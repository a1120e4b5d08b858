"""The hints of each exercise, the last of which is the answer, and the code before it in its notebook. They are kept
apart from `exercises()`, so that a learner who explores that finds no answer that `hint` did not give and count. Anyone
who reads the course's sources finds them all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

_hints: dict[str, tuple[str, ...]] = {}
_setups: dict[str, str] = {}
_lent: dict[str, str] = {}


def enter(id: str, hints: tuple[str, ...], setup: str) -> None:
    """Store the hints and the setup of an exercise."""
    _hints[id], _setups[id] = hints, setup


def hints_of(id: str) -> tuple[str, ...]:
    """The four hints of an exercise: the concept, where to look, nearly the code, the answer."""
    *rungs, answer = _hints[id]
    return (*rungs, _lent.get(id, answer))


@contextmanager
def lent(answers: Mapping[str, str]) -> Iterator[None]:
    """Within the block, these are the answers to exercises whose own have been left out here."""
    _lent.update(answers)
    try:
        yield
    finally:
        _lent.clear()


def setup_of(id: str) -> str:
    """The code before an exercise, as far as the answer needs it; together with the answer it makes everything that a
    check takes."""
    return _setups[id]
