"""The bytes that a tensor reaches, as runs: for counting what two tensors share, and what several reach together.

A tensor's bytes are runs of equal length, placed by its outer strides, so they can be counted without visiting an
element. If there are more than 65,536 runs, only the range from the first byte to the last is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

MOST_RUNS = 65_536


@dataclass(frozen=True)
class Runs:
    """The bytes [start, end) of each run, in order and not touching; `exact` is False if there may be gaps in
    between."""

    starts: np.ndarray
    ends: np.ndarray
    exact: bool = True

    @property
    def nbytes(self) -> int:
        """The number of bytes in all runs."""
        return int((self.ends - self.starts).sum())

    @property
    def span(self) -> tuple[int, int] | None:
        """The first byte and the one after the last; None if there are no bytes."""
        return (int(self.starts[0]), int(self.ends[-1])) if len(self.starts) else None


def runs_of(first_byte: int, size: Sequence[int], strides: Sequence[int], itemsize: int) -> Runs:
    """The runs of a tensor's bytes; strides are in bytes."""
    if 0 in size:
        return Runs(*np.zeros((2, 0), np.int64))
    steps = sorted((abs(step), n) for n, step in zip(size, strides, strict=True) if n > 1 and step)
    low = first_byte + sum(min((n - 1) * step, 0) for n, step in zip(size, strides, strict=True))
    length = itemsize
    while steps and steps[0][0] <= length:  # the next dimension begins at the run's end or within it
        step, n = steps.pop(0)
        length += (n - 1) * step
    starts = np.array([low], np.int64)
    if not steps:
        return Runs(starts, starts + length)
    for step, n in steps:
        if len(starts) * n > MOST_RUNS:
            reach = sum((n - 1) * step for step, n in steps)
            return Runs(np.array([low]), np.array([low + reach + length]), exact=False)
        starts = (starts[:, None] + np.arange(n) * step).reshape(-1)
    return together([Runs(starts, starts + length)])


def together(several: Iterable[Runs]) -> Runs:
    """The union of several sets of runs."""
    runs = list(several)
    if len(runs) == 1 and len(runs[0].starts) < 2:
        return runs[0]
    starts = np.concatenate([run.starts for run in runs]) if runs else np.zeros(0, np.int64)
    ends = np.concatenate([run.ends for run in runs]) if runs else np.zeros(0, np.int64)
    order = np.argsort(starts, kind="stable")
    starts, ends = starts[order], np.maximum.accumulate(ends[order]) if len(ends) else ends
    new = np.ones(len(starts), bool)
    new[1:] = starts[1:] > ends[:-1]
    last = np.append(new[1:], True)[: len(new)]
    return Runs(starts[new], ends[last], all(run.exact for run in runs))


def shared(one: Runs, other: Runs) -> int | None:
    """How many bytes two tensors have in common; None if that is not known."""
    if one.span is None or other.span is None or one.span[0] >= other.span[1] or other.span[0] >= one.span[1]:
        return 0
    if not (one.exact and other.exact):
        return None
    return one.nbytes + other.nbytes - together([one, other]).nbytes
