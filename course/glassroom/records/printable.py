"""Making foreign text safe to print: names of variables and messages of exceptions."""

from __future__ import annotations


def printable(words: str) -> str:
    """`words` with control characters written as Python writes them: `\\x1b`, so that no terminal obeys them."""
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in words)
