"""Errors in a translation that a program can find. Both sides must have the same code, links, numbers, placeholders and
form. Terms must be those of the language's page of terms. A translator's comment excuses an entry: `# check: no
numbers`, or `# not-a-term: view`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_SPAN = re.compile(r"(`+)(.+?)\1(?!`)", re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]*)\)")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_PLACEHOLDER = re.compile(r"(?<!\{)\{[^{}]+\}(?!\})")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?")
_BAR = re.compile(r"(?<!\\)\|")
_NUMBER_WORD = re.compile(
    r"\b(no|half|once|twice|both|pair|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|dozen|"
    r"hundred|thousand|million|billion|first|second|third|fourth|fifth|sixth)s?\b",
    re.IGNORECASE,
)
_HAN = r"[\u4e00-\u9fff]"
_TYPOGRAPHY = {
    re.compile(rf"{_HAN}[,;:?!](?!\))|{_HAN}\.(?![\w.])"): "a half-width punctuation mark after a Chinese character",
    re.compile(rf"{_HAN}[A-Za-z0-9`]|[A-Za-z0-9`]{_HAN}"): "no space between a Chinese character and Latin or code",
    re.compile(
        r"[，。；：？！、）”] (?!\|)|(?<!\|) [，。；：？！、（“]"
    ): "a space beside a full-width punctuation mark",
}
# CommonMark: a mark followed by punctuation opens bold type only if no word precedes it; closing marks likewise.
_NO_BOLD = re.compile(r"\A\w\*\*[^\w\s]|[^\w\s]\*\*\w\Z")


@dataclass(frozen=True)
class Term:
    """A term of the course: its allowed translations, and words that must not be used for it."""

    english: str
    told: tuple[str, ...]
    banned: tuple[str, ...]
    required: bool

    def is_in(self, text: str) -> bool:
        return bool(re.search(rf"\b{re.escape(self.english)}(s|es)?\b", text, re.IGNORECASE))


def terms(page: str) -> list[Term]:
    """The terms that a page of terms fixes: rows `| English | translation | not to be used | remarks |` of its tables.

    If the translation is in parentheses, another word may be right; only the words not to be used are checked then.
    """
    terms = []
    for row in page.splitlines():
        cells = [cell.strip() for cell in row.strip().strip("|").split("|")]
        if len(cells) == 4 and row.startswith("|") and cells[0] != "English" and not set(cells[0]) <= set("-"):
            told, banned = (tuple(filter(None, re.split(r"[、/]", cell.strip("()（）")))) for cell in cells[1:3])
            terms.append(Term(cells[0], tuple(map(str.strip, told)), banned, not cells[1].startswith(("(", "（"))))
    return terms


def troubles(entry: Any, known: Sequence[Term] = ()) -> list[str]:
    """The errors in an entry of a catalogue (polib's), each in a few words."""
    if not entry.msgstr:
        return ["untranslated"]
    if "fuzzy" in entry.flags:
        return ["fuzzy: the English has changed"]
    excused = set(re.findall(r"check: no (\w+)", entry.tcomment or ""))
    faults = [
        f"{what}: {difference}"
        for what, parts in _SIDES.items()
        if what not in excused and (difference := _difference(parts(entry.msgid), parts(entry.msgstr)))
    ]
    if "numbers" not in excused and (difference := _numbers(entry.msgid, entry.msgstr)):
        faults.append(f"numbers: {difference}")
    faults += _wrong_terms(entry, known)
    if re.search(_HAN, entry.msgstr) and "typography" not in excused:
        faults += _typography(entry.msgstr.strip())
    return faults


def _spans(text: str) -> list[str]:
    return sorted({span[1].strip() for span in _SPAN.findall(_without_listings(text))})


def _listings(text: str) -> list[str]:
    """The code of listings, without its comments."""
    code = re.findall(r"```.*?```", text, re.DOTALL)
    return [re.sub(r"\s*#.*", "", line) for line in code]


def _without_listings(text: str) -> str:
    return re.sub(r"```.*?```", "", text, flags=re.DOTALL)


def _form(text: str) -> list[str]:
    """The Markdown structure of a paragraph: heading, items of a list, cells of a table, quotation."""
    form = []
    for line in _without_listings(text).split("\n"):
        if heading := re.match(r"#+ ", line):
            form.append(heading[0].strip())
        elif re.match(r"\s*([-*+]|\d+[.)]) ", line):
            form.append("item")
        elif line.startswith("|"):
            form.append(f"row of {len(_BAR.findall(line)) - 1}")
        elif line.startswith(">"):
            form.append(">")
    return sorted(set(form)) if ">" in form else form


def _edges(text: str) -> list[str]:
    return [text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]]


_SIDES: Mapping[str, Callable[[str], list[str]]] = {
    "code": _spans,
    "listings": _listings,
    "links": lambda text: sorted(_LINK.findall(text)),
    "tags": lambda text: sorted(_TAG.findall(_SPAN.sub("", text))),
    "placeholders": lambda text: sorted(set(_PLACEHOLDER.findall(text))),
    "form": _form,
    "edges": _edges,
}


def _difference(one: Sequence[str], other: Sequence[str]) -> str:
    missing, added = Counter(one) - Counter(other), Counter(other) - Counter(one)
    told = [f"{name!r} is missing" for name in missing] + [f"{name!r} is new" for name in added]
    return ", ".join(told) or ("another order" if list(one) != list(other) else "")


def _numbers(one: str, other: str) -> str:
    before, after = (
        set(_NUMBER.findall(_LINK.sub("", _SPAN.sub("", _PLACEHOLDER.sub("", text))))) for text in (one, other)
    )
    added = set() if _NUMBER_WORD.search(one) else after - before
    return _difference(sorted(before - after), []) or _difference([], sorted(added))


def _wrong_terms(entry: Any, known: Sequence[Term]) -> Iterator[str]:
    excused = set(re.findall(r"not-a-term: ([\w -]+)", entry.tcomment or ""))
    english = _SPAN.sub("", _LINK.sub("", entry.msgid))
    for term in known:
        if term.english in excused or not term.is_in(english):
            continue
        yield from (f"term: {word!r} for {term.english!r}" for word in term.banned if word in entry.msgstr)
        if term.required and not any(word in entry.msgstr for word in term.told) and term.english not in entry.msgstr:
            yield f"term: {term.english!r} is {' or '.join(term.told)}"


def _typography(text: str) -> Iterator[str]:
    bare = _LINK.sub("]", _without_listings(text))
    for pattern, what in _TYPOGRAPHY.items():
        if match := pattern.search(bare):
            yield f"typography: {what} ({bare[max(0, match.start() - 6) : match.end() + 6]!r})"
    for line in re.sub(r"`[^`]*`", "`", bare).split("\n"):
        pieces = line.split("**")
        if len(pieces) % 2:
            for before, bold, after in zip(pieces[::2], pieces[1::2], pieces[2::2], strict=False):
                if _NO_BOLD.search(f"{before[-1:]}**{bold}**{after[:1]}"):
                    yield f"typography: Markdown takes these marks for no bold type ({bold[:12]!r})"
