"""Errors in a translation that a program can find. Both sides must have the same code, links, numbers, placeholders and
form. Terms must be those of the language's page of terms. A translator's comment excuses an entry: `# check: no
numbers`, or `# not-a-term: view`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from glassroom.translations.catalogue import typed_in

UNTRANSLATED = "untranslated"
_SPAN = re.compile(r"(`+)(.+?)\1(?!`)", re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]*)\)")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_PLACEHOLDER = re.compile(r"(?<!\{)\{[^{}]+\}(?!\})")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?")
_PERCENT = re.compile(r"%(?:\(\w+\))?[sdr](?!\w)")
_EXCUSE = re.compile(r"check: no (\w+)|not-a-term: ([\w -]+?)(?=$|[,;]| check:| not-a-term:)")
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
        if self.english.casefold() not in text.casefold():  # most are not: no pattern need be tried
            return False
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
        return [UNTRANSLATED]
    if "fuzzy" in entry.flags:
        return ["fuzzy: the English has changed"]
    excused = {kind for kind, _ in _EXCUSE.findall(entry.tcomment or "")}
    faults = [f"excuse: {word!r} is none of {', '.join(EXCUSED)}" for word in sorted(excused - {"", *EXCUSED})]
    faults += [
        f"{what}: {difference}"
        for what, parts in _SIDES.items()
        if what not in excused and (difference := _difference(parts(entry.msgid), parts(entry.msgstr)))
    ]
    typed = [] if "answers" in excused else typed_in(entry)
    if lost := [f'"{each}"' for each in typed if f'"{each}"' not in entry.msgstr]:
        faults.append(f"answers: {_told(lost, [])}: learners type this")
    if "numbers" not in excused and (difference := _numbers(entry.msgid, entry.msgstr)):
        faults.append(f"numbers: {difference}")
    if "form" not in excused:
        faults += (f"form: {fault}" for fault in _broken(entry.msgid, entry.msgstr))
    faults += _wrong_terms(entry, known)
    if re.search(_HAN, entry.msgstr) and "typography" not in excused:
        faults += _typography(entry.msgstr.strip())
    return faults


def not_excuses(excuse: str) -> str:
    """What is no excuse in the words that are to excuse an entry; "" if all of it is."""
    return _EXCUSE.sub("", excuse).strip(" ,;")


def _broken(one: str, other: str) -> Iterator[str]:
    """Faults in the form of the translation `other` that are not in the lines of a text."""
    bare, told = (_PLACEHOLDER.sub("", _SPAN.sub("", _without_listings(text))) for text in (one, other))
    if told.count("**") < bare.count("**"):
        yield "bold type (**) is lost"
    if "\n" in other and "\n" not in one:
        yield "a paragraph is one line, and this has a line break"
    forms = told.split("|")
    if len(forms) > 1 and "|" not in bare and not (len(forms) == 2 and all(map(str.strip, forms))):
        yield "a bar (|) stands between a singular and a plural: two forms, and neither is empty"


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
    "percent": lambda text: _PERCENT.findall(_PLACEHOLDER.sub("", _SPAN.sub("", text))),
    "form": _form,
    "edges": _edges,
}


#: The words that excuse an entry from a part of the check.
EXCUSED = (*_SIDES, "answers", "numbers", "typography")


def _difference(one: Sequence[str], other: Sequence[str]) -> str:
    missing, added = Counter(one) - Counter(other), Counter(other) - Counter(one)
    return _told([*map(repr, missing)], [*map(repr, added)]) or ("another order" if list(one) != list(other) else "")


def _told(missing: Sequence[str], added: Sequence[str]) -> str:
    """What is missing, and what is too much, in words."""
    told = [f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing"] if missing else []
    told += [f"{' and '.join(added)} {'is' if len(added) == 1 else 'are'} not in the English"] if added else []
    return ", and ".join(told)


def with_english_numbers(text: str, numbers: Iterable[str]) -> str:
    """The text with these numbers, such as 1,000.5, as English writes them, where it has 1 000,5 or 1.000,5. Chinese
    writes them as English does.
    """
    if re.search(_HAN, text):
        return text
    for number in sorted(numbers, key=len, reverse=True):
        whole, _, decimals = number.partition(".")
        written = whole.replace(",", "[. \u00a0\u202f’']") + (f",{decimals}" if decimals else "")
        text = re.sub(rf"(?<![\w.,]){written}(?![\d]|[.,]\d)", number, text)
    return text


def _numbers(one: str, other: str) -> str:
    """The numbers that one side lacks."""
    before, after = (_LINK.sub("", _SPAN.sub("", _PLACEHOLDER.sub("", text))) for text in (one, other))
    wanted = set(_NUMBER.findall(before))
    found = set(_NUMBER.findall(with_english_numbers(after, wanted)))
    missing, added = sorted(wanted - found), sorted(found - wanted)
    told = _told(missing, [] if _NUMBER_WORD.search(one) else added)
    return f"the number{'s' if len(missing or added) > 1 else ''} {told}" if told else ""


def _wrong_terms(entry: Any, known: Sequence[Term]) -> Iterator[str]:
    excused = {term.strip() for _, term in _EXCUSE.findall(entry.tcomment or "")}
    english, told = (
        _PLACEHOLDER.sub("", _SPAN.sub("", _LINK.sub("", _without_listings(text))))
        for text in (entry.msgid, entry.msgstr)
    )
    for term in known:
        if term.english in excused or not term.is_in(english):
            continue
        yield from (f"term: {word!r} for {term.english!r}" for word in term.banned if _has(told, word))
        said = entry.msgstr.casefold()
        if term.required and not any(word.casefold() in said for word in (*term.told, term.english)):
            yield f"term: {term.english!r} is {' or '.join(term.told)}"


def _has(text: str, word: str) -> bool:
    """Whether a word stands in a text; one of Latin letters stands by itself."""
    if not word.isascii():
        return word in text
    return bool(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE))


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
