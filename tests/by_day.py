"""Sweeps over many cases that are alike take a part of them each day, and the next part tomorrow.

A test marked ``@pytest.mark.sweep(3)`` runs a third of its cases each day, one marked ``@pytest.mark.sweep`` half of
them; `tests/conftest.py` leaves the others out. A test that goes through its cases itself asks `todays`.
``SWEEPS=whole`` in the environment has all taken.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import date
from typing import TypeVar

import pytest

Case = TypeVar("Case")
WHOLE = os.environ.get("SWEEPS") == "whole"
# Kept for the processes that pytest starts: a run that begins before midnight has one day.
DAY = int(os.environ.setdefault("SWEEPS_DAY", str(date.today().toordinal())))


def todays(cases: Sequence[Case], parts: int = 2) -> list[Case]:
    """Today's part of the cases: every second of them, or every third, …"""
    return list(cases) if WHOLE else list(cases[DAY % parts :: parts])


def of_other_days(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """Those cases of marked tests that are not in today's part. Tests over the same cases take different ones."""
    left, numbers = list[pytest.Item](), dict[str, int]()
    for item in items:
        if not WHOLE and (sweep := item.get_closest_marker("sweep")):
            parts = sweep.args[0] if sweep.args else 2
            test = item.nodeid.partition("[")[0]
            number = numbers.setdefault(test, len(numbers))
            numbers[test] += 1
            if number % parts != DAY % parts:
                left.append(item)
    return left
