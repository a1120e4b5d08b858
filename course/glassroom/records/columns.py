"""Widths as terminals have them: a Chinese, Japanese or Korean character takes two columns, a combining mark none."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

_FULL_WIDTH = (
    "[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\U00020000-\U0003fffd]"
)
_STICKS = "，。：；？！、）”’》】"  # marks that cannot begin a line
_PIECES = re.compile(rf"[^\S\n]+|{_FULL_WIDTH}[{_STICKS}]*|(?:(?!{_FULL_WIDTH})\S)+[{_STICKS}]*")
_WORD_BEGINS = re.compile("[a-z0-9](?=[A-Z])")  # within a name, after this letter


def columns(text: str) -> int:
    """The number of columns that the text takes."""
    if text.isascii():
        return len(text)
    return sum(map(_columns_of, text))


@cache
def _columns_of(sign: str) -> int:
    if unicodedata.combining(sign):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1


def ljust(text: str, width: int) -> str:
    """The text padded with blanks on the right, to this many columns."""
    return text + " " * (width - columns(text))


def rjust(text: str, width: int) -> str:
    """The text padded with blanks on the left, to this many columns."""
    return " " * (width - columns(text)) + text


def broken(line: str, width: int, indent: str = "") -> list[str]:
    """The line wrapped to at most this many columns, between words and after full-width characters. Continuation lines
    are indented. A word that is longer than a line is not broken.
    """
    lines, current = [""], line[: len(line) - len(line.lstrip())]
    for piece in _PIECES.findall(line.strip()):
        if current.strip() and columns(current) + columns(piece.rstrip()) > width:
            lines.append(current.rstrip())
            current = indent
        if piece.strip() or current.strip():
            current += piece
    lines.append(current.rstrip())
    return lines[1:]


def pieces(text: str, longest: int) -> list[str]:
    """The pieces between which a text may be broken: words, blanks and full-width characters, none wider than the given
    number of columns."""
    return [part for piece in _PIECES.findall(text) for part in _parts(piece, longest)]


def _parts(piece: str, longest: int) -> Iterator[str]:
    """A piece cut until none of its parts is too wide: after a mark that joins the words of a name, where there is
    one, or before a capital that begins a word."""
    while columns(piece) > longest:
        capitals = [match.end() for match in _WORD_BEGINS.finditer(piece[: longest + 1])]
        end = max(piece.rfind(mark, 0, longest) for mark in "_./") + 1 or max(capitals, default=longest)
        yield piece[:end]
        piece = piece[end:]
    if piece:
        yield piece


def joined(sentence: str, further: str) -> str:
    """One sentence after the other, with a blank between them where the language has one."""
    return sentence + further if sentence.endswith(tuple("。！？：；")) else f"{sentence} {further}"
