"""Sweeps over many cases that are alike take a part of them each day, and the next part tomorrow.

``SWEEPS=whole`` in the environment has them take all.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import date
from typing import TypeVar

Case = TypeVar("Case")
WHOLE = os.environ.get("SWEEPS") == "whole"


def todays(cases: Sequence[Case], parts: int = 2) -> list[Case]:
    """Today's part of the cases: every second of them, or every third, …"""
    return list(cases) if WHOLE else list(cases[date.today().toordinal() % parts :: parts])
