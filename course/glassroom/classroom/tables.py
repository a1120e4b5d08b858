"""Marks as CSV: numbers without trailing zeros, and cells that no spreadsheet takes for formulas."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterable
from pathlib import Path

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


def table_text(path: Path) -> str:
    """The text of a table as spreadsheets save it: UTF-8, UTF-16 with its mark, or Windows-1252. Raises OSError, and
    UnicodeDecodeError for any other."""
    content = path.read_bytes()
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text = content.decode("utf-16")
        if not text.partition("\n")[0].isascii():  # the names of columns are English
            raise UnicodeDecodeError("utf-16", content, 0, 2, "header")
        return text.replace("\r\n", "\n")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("cp1252")
    return text.replace("\r\n", "\n")


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
