"""Sentences in lines that fit a notebook in half a window. JupyterLab breaks longer ones anywhere, within words too."""

from __future__ import annotations

from glassroom.records.columns import broken, columns

WIDTH = 78


def in_lines(text: str) -> str:
    """The text with its long lines broken between words; continued lines are indented by two."""
    return "\n".join(line if columns(line) <= WIDTH else _broken(line) for line in text.splitlines())


def _broken(line: str) -> str:
    return "\n".join(broken(line, WIDTH, indent="  "))
