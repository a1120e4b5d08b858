"""Catalogues of messages in gettext's `.po` format.

Reading a catalogue at run time needs only the standard library; writing and merging need polib.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from pathlib import Path
from typing import Any

ALIKE = 0.6  # the similarity from which an old text's translation is offered for a new one


@dataclass(frozen=True)
class Message:
    """A piece of English text that a reader sees: where it stands, and what translators should know about it. `typed`
    are words in it that learners type as answers, in quotation marks: they stay English.
    """

    context: str
    text: str
    comment: str = ""
    typed: tuple[str, ...] = ()


Table = dict[tuple[str, str], str]
TYPED = "typed as an answer: "


def told_of(message: Message) -> str:
    """The comment of an entry: where its text stands, and the answers that the text offers."""
    answers = TYPED + ", ".join(message.typed) if message.typed else ""
    return "; ".join(filter(None, [message.comment, answers]))


def typed_in(entry: Any) -> list[str]:
    """The answers that an entry's comment (polib's) names."""
    told = (entry.comment or "").partition(TYPED)[2]
    return told.split(", ") if told else []


def read(path: Path) -> Table:
    """The translations of a catalogue by (context, text), without missing and fuzzy ones. None if there is no file."""
    try:
        about = path.stat()
    except FileNotFoundError:
        return {}
    return _read(path, about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=16)
def _read(path: Path, time: int, size: int) -> Table:
    """The same, kept in memory until the file changes: every module and script of a catalogue asks for it."""
    content = path.read_text("utf-8")
    table: Table = {}
    fields: dict[str, str] = {}
    field, fuzzy = "", False
    for line in [*content.splitlines(), ""]:
        if line.startswith("#,"):
            fuzzy = "fuzzy" in line
        elif line.startswith("#"):
            continue
        elif not line.strip():
            if fields.get("msgid") and fields.get("msgstr") and not fuzzy:
                table[fields.get("msgctxt", ""), fields["msgid"]] = fields["msgstr"]
            fields, fuzzy = {}, False
        else:
            word, _, quoted = line.partition(" ") if not line.startswith('"') else ("", "", line)
            field = word or field
            fields[field] = fields.get(field, "") + json.loads(quoted, strict=False)
    return table


def merged(messages: Sequence[Message], path: Path, language: str) -> Any:
    """The catalogue of these messages as polib's POFile, with the translations in the file at `path`. The translation
    of a text that has changed is kept, and marked fuzzy.
    """
    import polib

    old = polib.pofile(str(path), wrapwidth=0) if path.is_file() else polib.POFile(wrapwidth=0)
    new = polib.POFile(wrapwidth=0)
    new.metadata = {"Language": language, "Content-Type": "text/plain; charset=UTF-8"}
    before = {(entry.msgctxt or "", entry.msgid): entry for entry in old if not entry.obsolete}
    wanted = dict.fromkeys((message.context, message.text) for message in messages)
    left = [entry for key, entry in before.items() if key not in wanted and entry.msgstr]
    comments = {(message.context, message.text): told_of(message) for message in messages}
    for context, text in wanted:
        entry = polib.POEntry(msgctxt=context, msgid=text, comment=comments[context, text])
        if (kept := before.get((context, text))) is not None:
            entry.msgstr, entry.flags, entry.tcomment = kept.msgstr, kept.flags, kept.tcomment
            entry.previous_msgid = kept.previous_msgid
        elif moved := next((entry_left for entry_left in left if entry_left.msgid == text), None):
            entry.msgstr, entry.flags, entry.tcomment = moved.msgstr, moved.flags, moved.tcomment
        elif near := _nearest(text, (entry_left for entry_left in left if entry_left.msgctxt == context)):
            entry.msgstr, entry.tcomment, entry.flags = near.msgstr, near.tcomment, ["fuzzy"]
            entry.previous_msgid = near.msgid
        new.append(entry)
    return new


def _nearest(text: str, entries: Iterable[Any]) -> Any:
    likeness = [(SequenceMatcher(None, text, entry.msgid).ratio(), entry) for entry in entries]
    best, entry = max(likeness, key=lambda pair: pair[0], default=(0.0, None))
    return entry if best >= ALIKE else None
