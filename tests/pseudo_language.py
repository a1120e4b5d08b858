"""A language of which every sentence stands in brackets and is half as long again: what is outside of brackets is not
translated, and what cannot grow is cut off.
"""

from __future__ import annotations

import re
from pathlib import Path

import tensorglass
from glassroom.translations.catalogue import merged
from glassroom.translations.extraction import catalogues
from glassroom.translations.templates import is_code
from glassroom.workspace.sources import notebooks_folder

CODE = "qps"
BRACKETED = re.compile(r"⟦[^⟦⟧]*⟧")


#: What begins a line of Markdown, and what stands between the texts of a line: tags, and the bars of a table.
_BEGINNING = re.compile(r"(?:\s*(?:#+|[-*+>]|\d+[.)])(?=\s))*\s*")
_BETWEEN = re.compile(r"(</?[A-Za-z][^<>]*>|(?<!\|)\|(?!\|))")
#: What stands between the words of a sentence in code: its values, but for those in backticks and in tags.
_VALUE = re.compile(r"((?<!\{)\$?\{(?!\{)[^{}]*\}(?!\})(?![^<>]*>)(?=(?:[^`]*`[^`]*`)*[^`]*$))")


def pseudo(text: str) -> str:
    """The text in brackets and half as long again, line by line; what makes it Markdown or HTML stays as it is, and of
    a listing all but its comments."""
    if "\n" in text and is_code(text):
        return re.sub(r"(?<=# ).+", lambda comment: _words(comment[0]), text)
    return "\n".join(map(_line, text.split("\n")))


def _line(line: str) -> str:
    if not re.search(r"[A-Za-z]{2}", line) or line.lstrip().startswith(("```", "|--")):
        return line
    beginning = _BEGINNING.match(line)
    start = beginning[0] if beginning else ""
    parts = _BETWEEN.split(line[len(start) :]) if "<" in line or line.startswith("|") else [line[len(start) :]]
    return start + "".join(part if _BETWEEN.fullmatch(part) else _words(part) for part in parts)


def _around_values(text: str) -> str:
    return "".join(part if _VALUE.fullmatch(part) else pseudo(part) for part in _VALUE.split(text))


def _words(part: str) -> str:
    body = part.strip()
    if not re.search(r"[A-Za-z]", body):
        return part
    half = len(body) // 2
    more = "é" * half if half < 6 else " ".join(["éééé"] * (half // 5 + 1))
    return part.replace(body, f"⟦{body}{more}⟧", 1)


def write_pseudo_language(folder: Path, values_outside: bool = False) -> Path:
    """The folder with the language in it, for `GLASSROOM_TRANSLATIONS`. With `values_outside`, brackets end before a
    value in a sentence and begin again behind it: `⟦It has ⟧3 views⟦. éé⟧`, so that a value that is English is found.
    """
    (folder / CODE).mkdir()
    (folder / CODE / "language.json").write_text('{"name": "Pseudo", "released": true}')
    for name, messages in catalogues(notebooks_folder(), Path(tensorglass.__file__).parent).items():
        book = merged(messages, folder / "none.po", CODE)
        for entry in book:
            apart = values_outside and entry.msgctxt.endswith((".py", ".js"))
            entry.msgstr = _around_values(entry.msgid) if apart else pseudo(entry.msgid)
        path = folder / CODE / f"{name}.po"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{book}\n", encoding="utf-8")
    return folder


def outside_of_brackets(text: str) -> str:
    while (less := BRACKETED.sub("", text)) != text:
        text = less
    return text
