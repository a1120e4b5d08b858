"""The story of a watched cell, as plain data: its steps, and what each did to memory.

The one idea: a step is a statement that has ended, told by the difference between two snapshots and by the account of
what came and went between them. The story keeps no tensor alive.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from glassroom.inspectors.watch.stepping import Statement
from glassroom.records.plain import plain
from glassroom.records.snapshot import SCHEMA, Snapshot

MUCH = 64 * 1024  # bytes that make a peak more telling than a write


@dataclass(frozen=True)
class Change:
    """One thing that a step did.

    `kind` is "allocated", "copied", "wrote", "shared", "resized", "named", "unnamed", "freed", "shown", "hidden" or
    "explained"; `words` say it; `storage` is the name of the storage that it is about, where it has one.
    """

    kind: str
    words: str
    storage: str | None = None
    nbytes: int = 0


@dataclass(frozen=True)
class Moment:
    """The state after a step, and how it differs from the one before.

    `how` is "ran", "calls f()", "after f()", "returns" or "raises …". `written` maps storages to the bytes at which the
    cells begin that changed; `facts` says of headers what a snapshot does not (their grad_fn); `gone` are the storages
    that this step freed, as they last were; `held` the bytes that are held of what the cell has allocated so far;
    `unshown` how many tensors were too many to be looked at.
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
        """The storages that this step did something to, in the order in which it is told."""
        told = [each.storage for each in self.changes if each.kind != "shown"]
        return list(dict.fromkeys([each for each in told if each is not None]))

    def did(self, kind: str) -> bool:
        """Whether a change of this kind is among them."""
        return any(change.kind == kind for change in self.changes)


@dataclass(frozen=True)
class Story:
    """What was watched: the lines of code by number, the steps, and the figures of the whole.

    `is_cut` says that there were more steps than `limit`; the figures are of the whole if `is_rest_counted`, else of
    these steps. `peak_step` is None where the peak came after the last step. `unshown` is the most tensors that were
    too many to be looked at after a step, `unread` are those that have no memory to be looked at, and `unknown` the
    names that were asked for and that no variable had. `seconds` are those of the run, `looking` those of them that
    went into watching.
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
        """The number of the step that tells most: an error, where much memory is held the peak, else the first write;
        0 if there is none.
        """
        raised = [moment.number for moment in self.moments if moment.how.startswith("raises")]
        writes = [moment.number for moment in self.moments if moment.did("wrote")]
        peak = [self.peak_step] if self.peak_step else []
        order = [*raised, *peak, *writes] if self.peak >= MUCH else [*raised, *writes, *peak]
        return [*order, min(len(self.moments), 1)][0]

    def source(self, statement: Statement) -> str:
        """The first line of a statement, with its indentation."""
        line = statement.source if statement.file else self.lines.get(statement.line, "")
        return f"{line} …" if statement.end > statement.line else line

    def as_dict(self) -> dict[str, Any]:
        """The story as JSON-ready data; times are left out, so that it is the same on every run."""
        data = {name: value for name, value in plain(self).items() if name not in ("seconds", "looking")}
        return {"schema": SCHEMA, **data}
