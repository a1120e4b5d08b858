"""The sentences of scripts: like `templates` for Python, for strings and template literals in JavaScript."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from glassroom.translations import catalogue
from glassroom.translations.homes import PACKAGE, home
from glassroom.translations.language import catalogues_spoken
from glassroom.translations.templates import LONGEST_PLACEHOLDER, Replace, is_prose

_FOR_PROGRAMS = re.compile(r"gr[- ].*|\..*|[\w-]*(\$\{[^{}]*\}[\w-]*)+")  # classes, selectors, lengths
#: The argument after it is a selector, or marked as text for programs.
_AS_IT_IS = re.compile(r"\b(querySelector(All)?|closest|matches|matchMedia|asIs)\($")
_WORD = re.compile(r"\b(counted\([^,]*, |word\()$")  # the argument after it is a word
_PLACEHOLDER = re.compile(r"\$\{[^{}]*\}")


def in_the_language(script: Path) -> str:
    """The script's text, in the language of this process."""
    text = script.read_text("utf-8")
    folder = catalogues_spoken()
    script = script.resolve()
    if folder is None or not script.is_relative_to(PACKAGE):
        return text
    module = script.relative_to(PACKAGE).as_posix()
    table = catalogue.read(folder / f"{home(module)}.po")
    return translated(text, lambda sentence: table.get((module, sentence)))


def sentences(script: str) -> list[str]:
    """The sentences of a script, in the order of its code."""
    texts: list[str] = []

    def noted(text: str) -> None:
        texts.append(text)

    translated(script, noted)
    return texts


def translated(script: str, replace: Replace) -> str:
    """The script with its sentences replaced by what `replace` returns; None leaves one as it is."""
    said, before = [], ""
    for piece in _pieces(script):
        is_word = _WORD.search(before) is not None
        said.append(piece if _AS_IT_IS.search(before) else _said(piece, replace, is_word))
        before = piece
    return "".join(said)


def _said(piece: str, replace: Replace, is_word: bool) -> str:
    if piece[0] == "`":
        return _said_of_template(piece, replace)
    if piece[0] not in "\"'" or len(piece) < 2:
        return piece
    text = re.sub(r"\\(.)", lambda match: "\n" if match[1] == "n" else match[1], piece[1:-1])
    said = replace(text) if is_word or _is_said(text) else None
    return piece if said is None else f'"{_escaped(said, chr(34))}"'


def _said_of_template(piece: str, replace: Replace) -> str:
    parts = list(_parts(piece[1:-1]))
    inner = [translated(part[2:-1], replace) if part.startswith("${") else part for part in parts]
    values: dict[str, str] = {}
    text = ""
    for part, own in zip(parts, inner, strict=True):
        if part.startswith("${"):
            is_short = len(part) <= LONGEST_PLACEHOLDER + 3 and not re.search(r"[\"'`{}]", part[2:-1])
            shown = part if is_short else f"${{_{len(values) + 1}}}"
            values[shown] = own
            text += shown
        else:
            text += part
    said = replace(text) if _is_said(text) else None
    if said is None:
        return (
            "`"
            + "".join(f"${{{own}}}" if part.startswith("${") else part for part, own in zip(parts, inner, strict=True))
            + "`"
        )
    return "`" + _PLACEHOLDER.sub(lambda match: f"${{{values[match[0]]}}}" if match[0] in values else "", said) + "`"


def _is_said(text: str) -> bool:
    return not _FOR_PROGRAMS.fullmatch(text) and is_prose(_PLACEHOLDER.sub("{x}", text))


def _escaped(text: str, quote: str) -> str:
    return text.replace("\\", "\\\\").replace(quote, "\\" + quote).replace("\n", "\\n")


def _pieces(script: str) -> Iterator[str]:
    """The script split into strings, template literals, comments and the code between them."""
    place = begin = 0
    while place < len(script):
        sign, two = script[place], script[place : place + 2]
        if two in ("//", "/*"):
            end = script.find("\n" if two == "//" else "*/", place)
            after = len(script) if end < 0 else end + (two == "/*") * 2
        elif sign in "\"'`":
            after = _end_of_string(script, place)
        elif sign == "/" and re.search(r"(?:[=(,:?&|!\[{};]|return|=>)\s*$", script[begin:place] or "="):
            after = place + len(re.match(r"/(?:\\.|\[(?:\\.|[^\]])*\]|[^/\\\n])+/\w*|/", script[place:])[0])  # type: ignore[index]  # the second always fits
            place = after
            continue
        else:
            place += 1
            continue
        if begin < place:
            yield script[begin:place]
        yield script[place:after]
        place = begin = after
    if begin < len(script):
        yield script[begin:]


def _end_of_string(script: str, begin: int) -> int:
    quote, place = script[begin], begin + 1
    while place < len(script) and script[place] != quote:
        if script[place] == "\\":
            place += 1
        elif quote == "`" and script.startswith("${", place):
            place = _end_of_expression(script, place) - 1
        place += 1
    return place + 1


def _end_of_expression(script: str, begin: int) -> int:
    """The end of the `${…}` that begins there."""
    depth, place = 1, begin + 2
    while place < len(script) and depth:
        if script[place] in "\"'`":
            place = _end_of_string(script, place)
            continue
        depth += {"{": 1, "}": -1}.get(script[place], 0)
        place += 1
    return place


def _parts(body: str) -> Iterator[str]:
    """The parts of a template literal: its words, and its expressions as `${…}`."""
    begin = place = 0
    while place < len(body):
        if body[place] == "\\":
            place += 2
        elif body.startswith("${", place):
            if begin < place:
                yield body[begin:place]
            end = _end_of_expression(body, place)
            yield body[place:end]
            begin = place = end
        else:
            place += 1
    if begin < len(body):
        yield body[begin:]
