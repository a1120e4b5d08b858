"""A backward that failed because a saved tensor was overwritten: which step saved it, and which wrote it.

Graph nodes are numbered in the order in which they are made, so a node belongs to the first step after which the latest
number was at least its own.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from glassroom.drawing.words import listed
from glassroom.inspectors.watch.stepping import Statement
from glassroom.inspectors.watch.story import Change, Moment
from glassroom.reading.overwritten import Overwritten, is_version_error, overwritten

MOST_LINES = 3

Numbered = Sequence[tuple[int, Statement]]  # after each step the number of the latest node, and the statement


def latest_node(nodes: Iterable[Any]) -> int:
    """The number of the latest node; -1 if there is none."""
    return max((node._sequence_nr() for node in nodes if node is not None), default=-1)


def explained(how: str, tensors: Mapping[str, Any], numbered: Numbered, moments: Sequence[Moment]) -> list[Change]:
    """The explanation of an error that a step raised, if it is of this kind and its tensor is found."""
    overwriting = overwritten(how, tensors) if is_version_error(how) else None
    if overwriting is None:
        return []
    saved = _saved_at(overwriting, numbered)
    at = "" if saved is None else f" at {saved.place}"
    head = f"`{overwriting.operator}` saved {overwriting.name}{at}"
    writes = list(dict.fromkeys(moment.statement.place for moment in _writes(overwriting, moments)))
    versions = f"version {overwriting.expected} → {overwriting.now}"
    tail = f"{listed(writes[:MOST_LINES])} wrote it" if writes else "it was written to since"
    return [Change("explained", f"{head}; {tail}: {versions}")]


def _saved_at(overwriting: Overwritten, numbered: Numbered) -> Statement | None:
    highest = -1
    risen = []
    for number, _ in numbered:
        highest = max(highest, number)
        risen.append(highest)
    at = bisect_left(risen, overwriting.node._sequence_nr())
    return numbered[at][1] if at < len(numbered) else None


def _writes(overwriting: Overwritten, moments: Sequence[Moment]) -> list[Moment]:
    """The steps that raised the tensor's version, starting from the version that was saved."""
    writes = []
    version = overwriting.expected
    for moment in moments:
        headers = [header for header in moment.snapshot.headers if header.name in overwriting.names]
        now = max((header.version for header in headers if header.version is not None), default=0)
        if now > version:
            version = now
            writes.append(moment)
    return writes
