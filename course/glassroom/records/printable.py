"""Words that come from elsewhere, names of variables and messages of exceptions, made safe to print."""

from __future__ import annotations


def printable(words: str) -> str:
    """`words` with control characters written as Python writes them: `\\x1b`, so that no terminal obeys them."""
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in words)
