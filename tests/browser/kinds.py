"""Every kind of inspector, and what the tests of them all share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from every_inspector import KINDS as KINDS

PLAYERS = (
    *("backward stepper", "device map", "memory timeline", "watched cell", "holders", "memory comparison"),
    "memory log",
)
FAINT = (Path(__file__).parent / "inked.js").read_text(encoding="utf-8")
SAID = ".gr-status, .gr-rule, .gr-panel"  # where the words stand that change


def step(page: Any, place: Any, key: str) -> None:
    place.locator(".gr-player").focus()
    page.keyboard.press(key)
