"""Making foreign text safe to print: names of variables and messages of exceptions."""

from __future__ import annotations

from unicodedata import category


def printable(words: str) -> str:
    """`words` with control characters written as Python writes them: `\\x1b`, so that no terminal obeys them. Blanks of
    every width stay, such as the one that French has before a colon."""
    if words.isprintable():
        return words
    return "".join(
        letter if letter.isprintable() or category(letter) == "Zs" else repr(letter)[1:-1] for letter in words
    )
