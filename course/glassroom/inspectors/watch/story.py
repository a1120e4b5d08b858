"""The story of a watched cell, as plain data: its steps, and what each did to memory. The one idea: a step is a
statement that has ended. It is described by the difference between two snapshots and by the account of what was made
and freed between them. The story keeps no tensor alive.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from glassroom.inspectors.watch.stepping import RAISES, Statement
from glassroom.records.plain import plain
from glassroom.records.snapshot import SCHEMA, Snapshot

MUCH = 64 * 1024  # bytes from which a peak is more interesting than a write


@dataclass(frozen=True)
class Change:
    """One thing that a step did.

    `kind` is "allocated", "copied", "wrote", "shared", "resized", "named", "unnamed", "freed", "shown", "hidden" or
    "explained"; `words` describe it; `storage` is the name of the storage concerned, if it has one.
    """

    kind: str
    words: str
    storage: str | None = None
    nbytes: int = 0


@dataclass(frozen=True)
class Moment:
    """The state after a step, and how it differs from the one before.

    `how` is "ran", "calls f()", "after f()", "returns" or "raises …". `written` maps storages to the byte offsets of
    the cells that changed; `facts` has what a snapshot does not say of headers (their grad_fn); `gone` are the storages
    that this step freed, in their last state; `held` is how many of the bytes that the cell has allocated are still
    held; `unshown` is the number of tensors left out because there were too many.
    """

    number: int
    statement: Statement
    function: str
    how: str
    changes: tuple[Change, ...]
    snapshot: Snapshot
    written: Mapping[str, tuple[int, ...]]
    facts: Mapping[str, str]
    gone: Snapshot
    held: int
    high: int
    difference: int
    unshown: int

    @property
    def touched(self) -> list[str]:
        """The storages that this step affected, in the order of its changes."""
        told = [change.storage for change in self.changes if change.kind != "shown"]
        return list(dict.fromkeys([storage for storage in told if storage is not None]))

    def did(self, kind: str) -> bool:
        """Whether the step made a change of this kind."""
        return any(change.kind == kind for change in self.changes)


@dataclass(frozen=True)
class Story:
    """What was watched: the lines of code by number, the steps, and the figures of the whole.

    `is_cut` says that there were more steps than `limit`; the figures are for the whole run if `is_rest_counted`,
    otherwise for these steps. `peak_step` is None if the peak came after the last step. `unshown` is the largest number
    of tensors left out after a step because there were too many, `unread` are those without readable memory, and
    `unknown` the requested names that no variable had. `seconds` is the duration of the run, `looking` the part of it
    spent on watching.
    """

    lines: Mapping[int, str]
    moments: tuple[Moment, ...]
    limit: int
    is_cut: bool
    is_rest_counted: bool
    allocations: int
    allocated: int
    copies: int
    copied_bytes: int
    peak: int
    peak_step: int | None
    unshown: int
    unread: tuple[str, ...]
    unknown: tuple[str, ...]
    seconds: float
    looking: float

    @property
    def telling(self) -> int:
        """The number of the step to begin at: the one with an error; else the peak, if much memory is held; else the
        first; 0 if there is none.
        """
        raised = [moment.number for moment in self.moments if moment.how.startswith(RAISES)]
        peak = [self.peak_step] if self.peak_step and self.peak >= MUCH else []
        return [*raised, *peak, min(len(self.moments), 1)][0]

    def source(self, statement: Statement) -> str:
        """The first line of a statement, with its indentation."""
        line = statement.source if statement.file else self.lines.get(statement.line, "")
        return f"{line} …" if statement.end > statement.line else line

    def as_dict(self) -> dict[str, Any]:
        """The story as JSON-ready data; times are left out, so that every run gives the same."""
        data = {name: value for name, value in plain(self).items() if name not in ("seconds", "looking")}
        return {"schema": SCHEMA, **data}
