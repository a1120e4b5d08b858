"""From a sentence in the language of this process back to English, for figures whose fonts lack its characters."""

from __future__ import annotations

import re
from functools import cache

from glassroom.translations import catalogue
from glassroom.translations.language import catalogues_spoken

LONGEST = 200  # characters; figures show labels and single lines
_MARKS = {"，": ", ", "：": ": ", "、": ", ", "；": "; ", "（": " (", "）": ")", "。": "."}
_COUNTED = re.compile(r"(\d[\d,]*) (byte|cell|element|event|line|node|row|step|storage|tensor|transfer)\b")
_OTHER_LETTERS = re.compile("[\u3000-\u9fff\uff00-\uffef]+")
_PARTS = re.compile(r"( · |: )|(?=[，：、；（）。])")  # the parts of a text, each with the mark before it
_PLACEHOLDER = re.compile(r"\{[^{}]+\}")


def english(text: str) -> str:
    """The English of a text from a catalogue, with its values; if the whole is in no catalogue, that of its parts.
    Parts that are in no catalogue are left out.
    """
    if not text or text.isascii():
        return text
    exact, patterns = _sentences()
    if text in exact:
        return exact[text]
    for pattern, names, said in patterns:
        if match := pattern.fullmatch(text):
            return _filled(said, dict(zip(names, map(english, match.groups()), strict=True)))
    if text[0] in _MARKS:
        return _MARKS[text[0]] + english(text[1:])
    parts = [part for part in _PARTS.split(text) if part]
    if len(parts) > 1:
        return "".join(part if part.isascii() else english(part) for part in parts).replace(": :", ":")
    for known in sorted((part for part in exact if part in text), key=len, reverse=True):
        text = text.replace(known, exact[known])
    return _OTHER_LETTERS.sub("…", _COUNTED.sub(_in_number, text))


def _in_number(match: re.Match[str]) -> str:
    """ "6 cells": Chinese words have no plural, so the catalogue has only the English singular."""
    number, unit = match.groups()
    return f"{number} {unit if number == '1' else f'{unit}s'}"


def _filled(said: str, values: dict[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda name: values.get(name[0], ""), said)


def _letters(said: str) -> int:
    """The number of characters in a sentence that are not English, without its values."""
    return sum(sign.isalpha() and not sign.isascii() for sign in _PLACEHOLDER.sub("", said))


@cache
def _sentences() -> tuple[dict[str, str], list[tuple[re.Pattern[str], tuple[str, ...], str]]]:
    """The sentences of the language's catalogues with their English: whole sentences, and patterns for those with
    values."""
    folder = catalogues_spoken()
    exact: dict[str, str] = {}
    patterns = []
    paths = sorted(folder.rglob("*.po"), key=lambda path: (path.stem != "inspectors", path)) if folder else ()
    for path in paths:
        for (_, text), said in catalogue.read(path).items():
            names = tuple(_PLACEHOLDER.findall(said))
            if said.isascii() or len(said) > LONGEST:
                continue
            if not names:
                exact.setdefault(said.strip(), text.strip())
            elif len(set(names)) == len(names) and (letters := _letters(said)):
                words = map(re.escape, _PLACEHOLDER.split(said))
                patterns.append((letters, (re.compile("((?:(?! · ).)*?)".join(words)), names, text)))
    patterns.sort(key=lambda pair: pair[0], reverse=True)  # the longest first
    return exact, [pattern for _, pattern in patterns]
