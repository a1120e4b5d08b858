"""The rows of a model map: one for each module, and a single one for identical siblings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from glassroom.inspectors.model_map.modules import Held, Module

MOST_ROWS = 60


@dataclass(frozen=True)
class Row:
    """A module and, if siblings are identical to it, their number and the last one's name."""

    module: Module
    name: str
    alike: int = 0
    last: str = ""


def rows_of(modules: Sequence[Module]) -> tuple[list[Row], int]:
    """The rows, and the number of modules beyond the limit, which have none."""
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
    """The number of modules in the module at `at`, including itself."""
    depth = modules[at].depth
    return next((n for n, module in enumerate(modules[at + 1 :], 1) if module.depth <= depth), len(modules) - at)


def _looks(modules: Sequence[Module], at: int) -> object:
    """The key by which modules are identical: classes, and all that a row tells of the tensors in them."""
    one = modules[at]
    return tuple(
        (
            module.kind,
            module.depth,
            module.path.removeprefix(one.path),
            tuple(_told(tensor) for tensor in module.tensors),
        )
        for module in modules[at : at + _length(modules, at)]
    )


def _told(held: Held) -> object:
    """What a row says about a tensor, except its name and storage."""
    tied = frozenset((held.name, *held.tied)) if held.tied else None
    facts = (held.kind, held.size, held.dtype, held.device, held.requires_grad, held.gradient, held.state, held.needed)
    return held.name.rpartition(".")[2], *facts, held.is_left_out, tied
