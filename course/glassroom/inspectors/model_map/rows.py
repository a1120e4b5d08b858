"""The rows of a model map: one for each module, but only the first of identical siblings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from glassroom.inspectors.model_map.modules import Module

MOST_ROWS = 60


@dataclass(frozen=True)
class Row:
    """A module and, where others beside it are like it, their number and the last one's name."""

    module: Module
    name: str
    alike: int = 0
    last: str = ""


def rows_of(modules: Sequence[Module]) -> tuple[list[Row], int]:
    """The rows, and how many modules are too many to have one."""
    rows: list[Row] = []
    at = 0
    while at < len(modules):
        one, length = modules[at], _length(modules, at)
        alike, after = 0, at + length
        while after < len(modules) and _looks(modules, after) == _looks(modules, at) and one.depth:
            alike += 1
            last = modules[after]
            after += length
        if alike:
            rows.append(Row(one, _own_name(one), alike, _own_name(last)))
            inner, _ = rows_of(modules[at + 1 : at + length])
            rows += inner
            at = after
        else:
            rows.append(Row(one, _own_name(one)))
            at += 1
    return rows[:MOST_ROWS], max(len(rows) - MOST_ROWS, 0)


def _own_name(module: Module) -> str:
    return module.path.rpartition(".")[2] if module.depth else module.path


def _length(modules: Sequence[Module], at: int) -> int:
    """The number of modules of which the one at `at` is made, itself among them."""
    depth = modules[at].depth
    return next((n for n, each in enumerate(modules[at + 1 :], 1) if each.depth <= depth), len(modules) - at)


def _looks(modules: Sequence[Module], at: int) -> object:
    """What two modules have in common that are alike: classes, sizes and dtypes of all that is in them."""
    one = modules[at]
    return tuple(
        (each.kind, each.depth, each.path.removeprefix(one.path), tuple((t.size, t.dtype) for t in each.tensors))
        for each in modules[at : at + _length(modules, at)]
    )
