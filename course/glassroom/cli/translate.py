"""``glassroom translate``: the catalogues of messages by which the course speaks other languages.

For those who translate the course. docs/translating.md says how.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from glassroom.cli.arguments import ByColumns
from glassroom.cli.requirements import require_modules
from glassroom.lessons.lesson import unread
from glassroom.records.columns import ljust
from glassroom.translations import checking, pages
from glassroom.translations.catalogue import Message, merged, typed_in
from glassroom.translations.extraction import catalogues
from glassroom.translations.language import Language, languages
from glassroom.translations.templates import word
from glassroom.workspace.problems import Exit, Problem
from glassroom.workspace.sources import checkout, notebooks_folder
from glassroom.workspace.whole_files import write_atomically

CHANGED = (
    "the English page has changed, or this one is new: bring the translation up to date, then run glassroom translate "
    "with --seen"
)
UNREAD = "the lesson has other parts, another message or other code than the English one, which is shown instead"

EPILOG = """\
examples:
  glassroom translate --status                            how far each language is
  glassroom translate --update                            bring the catalogues up to date with the English course
  glassroom translate --check                             what is wrong in released languages
  glassroom translate zh_CN --check 1_memory/06           the same of one catalogue, released or not
  glassroom translate zh_CN --todo 1_memory/06 > 06.json  what has no translation yet, as JSON
  glassroom translate zh_CN --fill 06.json                put the translations in that file into the catalogue
  glassroom translate zh_CN --seen docs/watch             that page says what the English one says now
"""


def add(commands: Any) -> None:
    """Declare the sub-command."""
    parser = commands.add_parser(
        "translate",
        help="the catalogues of the course's translations: bring up to date, check, fill",
        description="Catalogues hold the course's sentences in other languages. English is the source.",
        epilog=EPILOG,
        formatter_class=ByColumns,
        allow_abbrev=False,
    )
    parser.add_argument("language", nargs="?", metavar="LANGUAGE", help="such as zh_CN (every language)")
    work = parser.add_mutually_exclusive_group()
    work.add_argument(
        "--status", action="store_true", help="say how much is translated (this is what is done by itself)"
    )
    work.add_argument(
        "--update", nargs="?", const="", metavar="CATALOGUE", help="put new sentences in, and mark those that changed"
    )
    work.add_argument("--check", nargs="?", const="", metavar="CATALOGUE", help="say what is wrong")
    work.add_argument("--todo", metavar="CATALOGUE", help="print what has no translation, or one that is out of date")
    work.add_argument("--fill", type=Path, metavar="FILE", help="take translations from what --todo printed")
    work.add_argument("--seen", metavar="PAGE", help="note that a page, such as docs/watch, is up to date again")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Carry out one of the tasks, or report the state of the translation."""
    require_modules("polib")
    chosen = _chosen(arguments.language)
    if arguments.update is not None:
        return update(chosen, arguments.update)
    if arguments.check is not None:
        return check(chosen, arguments.check, whole=arguments.language is None and not arguments.check)
    if arguments.todo is not None:
        return todo(_only(chosen), arguments.todo)
    if arguments.fill is not None:
        return fill(_only(chosen), arguments.fill)
    if arguments.seen is not None:
        folder = _only(chosen).folder
        write_atomically(folder / pages.SEEN, pages.look(folder, checkout(), arguments.seen).encode())
        return Exit.OK
    return status(chosen)


def update(chosen: list[Language], wanted: str) -> int:
    """Merge the English course into the catalogues; those of notebooks that no longer exist are deleted."""
    messages = catalogues(notebooks_folder(), _library(), wanted)
    for language in chosen:
        changed = 0
        for name, told in messages.items():
            path = language.folder / f"{name}.po"
            if not name.startswith(wanted):
                continue
            content = str(merged(told, path, language.code))  # in polib's format
            if not path.is_file() or path.read_text("utf-8") != content:
                path.parent.mkdir(parents=True, exist_ok=True)
                write_atomically(path, content.encode())
                changed += 1
        for path, name in _files(language):
            if name not in messages:
                path.unlink()
                changed += 1
        print(f"{language.code}: {changed} catalogues changed")
    return Exit.OK


def status(chosen: list[Language]) -> int:
    """Say of each catalogue how many of its messages are translated."""
    for language in chosen:
        print(f"{language.code} · {language.name}{'' if language.released else ' · not yet released'}")
        done = total = 0
        for path, name in _files(language):
            entries = list(_entries(path))
            here = [entry for entry in entries if entry.translated()]
            stale = sum("fuzzy" in entry.flags for entry in entries)
            words = sum(len(entry.msgid.split()) for entry in entries if entry not in here)
            print(f"  {name:<52}{len(here):>5} of {len(entries):<5}" + f"{words:>7,} words to do" * bool(words), end="")
            print(f", {stale} out of date" if stale else "")
            done, total = done + len(here), total + len(entries)
        print(f"  {ljust(word('in all'), 52)}{done:>5} of {total:<5}")
        for page in pages.changed(language.folder, checkout()):
            print(f"  {page}, out of date")
    return Exit.OK


def check(chosen: list[Language], wanted: str, whole: bool) -> int:
    """Print what is wrong. If all languages are checked together (`whole`), only released ones must be right. Messages
    of the English course that a catalogue lacks are errors too.
    """
    wrong = 0
    current = catalogues(notebooks_folder(), _library(), wanted)
    _require(wanted, [*current, *(page for each in chosen for page, _ in pages.pages(each.folder, checkout()))])
    for language in chosen:
        if whole and not language.released:
            print(f"{language.code} is not yet released: what it lacks is no fault")
            continue
        known, waiting = _terms(language), 0
        for name, told in current.items():
            path = language.folder / f"{name}.po"
            if not name.startswith(wanted):
                continue
            for context, text, trouble in _troubles(path, told, known):
                if trouble == checking.UNTRANSLATED and not language.released:
                    waiting += 1
                    continue
                print(f"{language.code}/{name} [{context}] {_short(text)}\n    {trouble}")
                wrong += 1
        for page in pages.changed(language.folder, checkout()):
            if page.startswith(wanted):
                print(f"{language.code}/{page}\n    {CHANGED}")
                wrong += 1
        for page, heading in unread(language.folder / "lessons"):
            if f"lessons/{page}".startswith(wanted):
                print(f"{language.code}/lessons/{page} {heading}\n    {UNREAD}")
                wrong += 1
        if waiting:
            print(f"{language.code}: {waiting:,} entries have no translation yet")
    print(f"{wrong} {word('trouble') if wrong == 1 else word('troubles')}")
    return Exit.FAILED if wrong else Exit.OK


def _troubles(path: Path, told: list[Message], known: list[checking.Term]) -> Iterator[tuple[str, str, str]]:
    """What is wrong in one catalogue: the context and text of an entry, and the trouble."""
    entries = {(entry.msgctxt, entry.msgid): entry for entry in _entries(path)}
    wanted = dict.fromkeys((message.context, message.text) for message in told)
    for context, text in wanted:
        entry = entries.get((context, text))
        troubles = ["not in the catalogue: run glassroom translate --update"] if entry is None else []
        for trouble in troubles or checking.troubles(entry, known):
            yield context, text, trouble
    for context, text in entries:
        if (context, text) not in wanted:
            yield context, text, "no longer in the course: run glassroom translate --update"


def todo(language: Language, wanted: str) -> int:
    """Print the entries that need a translation, as JSON with a place for it."""
    _require(wanted, [name for _, name in _files(language)])
    waiting = [
        {
            "catalogue": name,
            "context": entry.msgctxt,
            "text": entry.msgid,
            **({"typed as an answer": typed} if (typed := typed_in(entry)) else {}),
            **({"before": entry.previous_msgid, "translated before": entry.msgstr} if "fuzzy" in entry.flags else {}),
            "translation": "",
        }
        for path, name in _files(language)
        if name.startswith(wanted)
        for entry in _entries(path)
        if not entry.translated()
    ]
    json.dump(waiting, sys.stdout, ensure_ascii=False, indent=1)
    print()
    return Exit.OK


def fill(language: Language, file: Path) -> int:
    """Put translations into their catalogues, and say what is wrong with them. Empty ones are skipped. "excuse" is
    stored as the translator's comment that lets an entry pass the check.
    """
    import polib

    try:
        given = json.loads(file.read_text("utf-8"))
        by_catalogue: dict[str, list[dict[str, str]]] = {}
        for item in given:
            by_catalogue.setdefault(item["catalogue"], []).append(item)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise Problem(f"{file} is not what --todo prints: {error}", Exit.USAGE) from error
    names = [name for _, name in _files(language)]
    for name in by_catalogue:
        if name not in names:
            raise Problem(f"{file}: {language.code} has no catalogue {name}; write its whole name.", Exit.USAGE)
    known, taken, wrong = _terms(language), 0, 0
    for name, told in by_catalogue.items():
        path = language.folder / f"{name}.po"
        catalogue = polib.pofile(str(path), wrapwidth=0)
        entries = {(entry.msgctxt, entry.msgid): entry for entry in catalogue}
        for item in told:
            entry = entries.get((item["context"], item["text"]))
            if entry is None:
                print(f"{name} [{item['context']}] {_short(item['text'])}\n    the catalogue has no such entry")
                wrong += 1
            elif item.get("translation"):
                entry.msgstr, entry.previous_msgid = item["translation"], None
                entry.flags = [flag for flag in entry.flags if flag != "fuzzy"]
                entry.tcomment = item.get("excuse") or entry.tcomment
                taken += 1
                unknown = checking.not_excuses(item.get("excuse") or "")
                further = (
                    [f"excuse: {unknown!r} is none; write check: no numbers, or not-a-term: view"] if unknown else []
                )
                for trouble in further + checking.troubles(entry, known):
                    print(f"{name} [{entry.msgctxt}] {_short(entry.msgid)}\n    {trouble}")
                    wrong += 1
        write_atomically(path, str(catalogue).encode())
    print(f"{taken} translations taken, {wrong} {word('trouble') if wrong == 1 else word('troubles')}")
    return Exit.FAILED if wrong else Exit.OK


def _require(wanted: str, names: list[str]) -> None:
    """Refuse a name with which none of these names begins."""
    if not any(name.startswith(wanted) for name in names):
        raise Problem(f"No catalogue or page has a name that begins with {wanted}.", Exit.USAGE)


def _library() -> Path:
    """The folder of tensorglass."""
    spec = find_spec("tensorglass")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def _chosen(code: str | None) -> list[Language]:
    known = languages()
    if code is None:
        return list(known.values())
    if code not in known:
        raise Problem(f"There are no catalogues of {code}. Known: {', '.join(known)}.", Exit.USAGE)
    return [known[code]]


def _only(chosen: list[Language]) -> Language:
    if len(chosen) != 1:
        raise Problem("Name the language, as in: glassroom translate zh_CN --todo 1_memory", Exit.USAGE)
    return chosen[0]


def _files(language: Language) -> list[tuple[Path, str]]:
    """The catalogues of a language, each with its name."""
    paths = sorted(language.folder.rglob("*.po"))
    return [(path, path.relative_to(language.folder).with_suffix("").as_posix()) for path in paths]


def _entries(path: Path) -> list[Any]:
    import polib

    return list(polib.pofile(str(path))) if path.is_file() else []


def _terms(language: Language) -> list[checking.Term]:
    """The terms of the language's page in docs/, where the course's own sources are."""
    root = checkout()
    page = root / "docs" / f"terms.{language.code.replace('_', '-')}.md" if root else None
    return checking.terms(page.read_text("utf-8")) if page and page.is_file() else []


def _short(text: str) -> str:
    line = re.sub(r"\s+", " ", text)
    return line if len(line) <= 100 else f"{line[:99]}…"
