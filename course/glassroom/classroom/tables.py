"""Marks as CSV: numbers without trailing zeros, and cells that no spreadsheet takes for formulas."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable

#: What begins a formula, at the beginning of a cell or of what a program takes for one: in many countries a semicolon
#: parts cells. A sign with nothing after it begins none.
_FORMULA = re.compile(r"(^\s*|[;\t\n]\s*)([=+\-@|%＝＋－＠])(?!\s*(?:[;\t\n]|$))")
_ESCAPED = re.compile(r"(^\s*|[;\t\n]\s*)'(?=[=+\-@|%＝＋－＠])")


def table_csv(lines: Iterable[Iterable[str]], separator: str = ",") -> str:
    """Lines of cells as CSV, with each cell safe."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n", delimiter=separator)
    for line in lines:
        writer.writerow([safe_cell(cell) for cell in line])
    return text.getvalue()


def number(value: float | None) -> str:
    """A number of points as tables write it; "" for None."""
    return "" if value is None else f"{value:.4f}".rstrip("0").rstrip(".")


def safe_cell(text: str) -> str:
    """A cell that no spreadsheet takes for a formula: an apostrophe is put in front of one that it would."""
    cleaned = "".join(letter for letter in text if letter in "\n\t" or letter.isprintable()).strip()
    if _is_number(cleaned):
        return cleaned
    return _FORMULA.sub(r"\1'\2", cleaned)


def plain_cell(text: str) -> str:
    """The text of a safe cell, without the apostrophe that `safe_cell` may have put in front."""
    return _ESCAPED.sub(r"\1", text)


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?\d+(\.\d+)?", text) is not None
