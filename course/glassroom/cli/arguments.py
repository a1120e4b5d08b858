"""Numbers on the command line, with an error message for anything else; help by a terminal's columns; and the words of
argparse, which Python has in English alone.
"""

import argparse
import re
from argparse import ArgumentTypeError, RawDescriptionHelpFormatter
from typing import Any

from glassroom.records.columns import broken, columns
from glassroom.translations.language import ENGLISH, speaking
from glassroom.translations.templates import word


def port(text: str) -> int:
    """A port that a server can listen on."""
    return _number_of_text(text, 1, 65535, "a port is a number from 1 to 65535")


def count(text: str) -> int:
    """A count, 0 or more."""
    return _number_of_text(text, 0, 65535, "this is a number from 0 to 65535")


def jobs(text: str) -> int:
    """How many processes in parallel: far more than a machine has cores would only overload it."""
    return _number_of_text(text, 1, 256, "this is a number from 1 to 256")


def _number_of_text(text: str, least: int, most: int, rule: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(most)) and least <= int(text) <= most):
        raise ArgumentTypeError(f"{rule}, not {text!r}")
    return int(text)


class ByColumns(RawDescriptionHelpFormatter):
    """Help as it is written; where lines are too long, broken at a terminal's columns, of which a Chinese character
    takes two. Paragraphs with a line that begins with a blank are examples, and stay as they are."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return broken(" ".join(text.split()), width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        paragraphs = (_filled(paragraph, width - len(indent)) for paragraph in text.split("\n\n"))
        return "".join(indent + line for line in "\n\n".join(paragraphs).splitlines(keepends=True))

    def _format_usage(self, *arguments: Any, **named: Any) -> str:
        head, *rest = super()._format_usage(*arguments, **named).split("\n")
        more = " " * (columns(head) - len(head))
        return "\n".join([head, *(more + line if line else line for line in rest)])


def _filled(paragraph: str, width: int) -> str:
    lines = paragraph.split("\n")
    if any(line.startswith(" ") for line in lines) or max(map(columns, lines)) <= width:
        return paragraph
    whole = re.sub(r"(?<=[\u3000-\uffef])\n|\n(?=[\u3000-\uffef])", "", paragraph).replace("\n", " ")
    return "\n".join(broken(whole, width))


def speak_for_argparse() -> None:
    """Have argparse take its own words, where they are translated, from our catalogues. It asks for each by calling the
    `_` of its module."""
    if speaking() != ENGLISH:
        vars(argparse)["_"] = lambda text: _OF_ARGPARSE.get(text, text)


_OF_ARGPARSE = {
    "usage: ": word("usage: "),
    "options": word("options"),
    "positional arguments": word("positional arguments"),
    "show this help message and exit": "show this help message and exit",
    "%(prog)s: error: %(message)s\n": word("%(prog)s: error: %(message)s\n"),
    "argument %(argument_name)s: %(message)s": word("argument %(argument_name)s: %(message)s"),
    "expected one argument": "expected one argument",
    "expected at least one argument": "expected at least one argument",
    "invalid choice: %(value)r (choose from %(choices)s)": word("invalid choice: %(value)r (choose from %(choices)s)"),
    "the following arguments are required: %s": "the following arguments are required: %s",
    "unrecognized arguments: %s": "unrecognized arguments: %s",
    "not allowed with argument %s": "not allowed with argument %s",
    "ignored explicit argument %r": "ignored explicit argument %r",
}
