"""The language of the course: the one asked for, that of the working copy, or the system's."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ENGLISH = "en"
VARIABLE = "GLASSROOM_LANG"
FURTHER = "GLASSROOM_TRANSLATIONS"  # the variable that names a folder with additional languages
REMEMBERED = Path(".glassroom", "language")  # in a working copy: the language that it was made in
FOLDER = Path(__file__).resolve().parent
_speaks: list[str] = [ENGLISH]  # the language in which this process imports modules


@dataclass(frozen=True)
class Language:
    """A language of the course: its code, its own name for itself, and whether it is complete."""

    code: str
    name: str
    released: bool
    folder: Path  # of its catalogues


@cache
def languages() -> dict[str, Language]:
    """Every language that has catalogues, by its code. English needs none."""
    languages = {}
    for place in (FOLDER, *map(Path, filter(None, [os.environ.get(FURTHER)]))):
        for about in sorted(place.glob("*/language.json")):
            told = json.loads(about.read_text("utf-8"))
            code = about.parent.name
            languages[code] = Language(code, told["name"], told["released"], about.parent)
    return languages


def known(code: str) -> str | None:
    """The course's own code of a language, as "zh_CN" is of "zh-cn", "zh_CN.UTF-8" and "zh", and "fr" of "fr_CA"; None
    if it has none: a language of another country, such as zh_TW, may be written in another way."""
    bare = code.partition(".")[0].partition("@")[0].replace("-", "_").casefold()
    if bare in (ENGLISH, "c", "posix") or bare.startswith("en_"):
        return ENGLISH
    codes = {language.casefold(): language for language in languages()}
    of_no_country = codes.get(bare) or codes.get(bare.partition("_")[0])
    return of_no_country or next((own for folded, own in codes.items() if folded.partition("_")[0] == bare), None)


def preferred(accepted: str) -> str:
    """The first language of a browser's `Accept-Language` in which the course is complete; "en" if there is none."""
    return _first_complete(accepted_name.partition(";")[0].strip() for accepted_name in accepted.split(","))


def _first_complete(names: Iterable[str]) -> str:
    """The code of the first of these languages in which the course is complete; "en" if there is none."""
    codes = filter(None, map(known, names))
    return next((code for code in codes if code == ENGLISH or languages()[code].released), ENGLISH)


def folder_of(code: str) -> str:
    """The folder of a language in the addresses of a site, as "zh" of "zh_CN"."""
    return code.partition("_")[0]


def spoken() -> str:
    """The code of the language for this process: that in `GLASSROOM_LANG`; otherwise that of the working copy around
    the current folder; otherwise the system's, if the course is complete in it; otherwise "en".
    """
    if asked := os.environ.get(VARIABLE, ""):
        return known(asked) or ENGLISH
    for folder in _around():
        try:
            return known((folder / REMEMBERED).read_text("utf-8").strip()) or ENGLISH
        except (OSError, UnicodeDecodeError):
            continue
    return _first_complete(filter(None, _of_the_system()))


def _of_the_system() -> Iterator[str]:
    """The languages that the system is set to, the preferred one first: by the variables that gettext reads; on
    Windows, which sets none, that of its menus.
    """
    locale = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    if locale.partition(".")[0] not in ("C", "POSIX"):
        yield from os.environ.get("LANGUAGE", "").split(":")
    yield locale
    if not locale and sys.platform == "win32":
        import ctypes
        from locale import windows_locale

        yield windows_locale.get(ctypes.windll.kernel32.GetUserDefaultUILanguage(), "")


def _around() -> Iterator[Path]:
    """The current folder and its parents."""
    try:
        here = Path.cwd()
    except OSError:  # the folder is gone
        return
    yield from (here, *here.parents)


def speak(code: str | None = None) -> str:
    """Import the course's modules in this language from now on, or in the process's; returns its code."""
    code = _speaks[0] = code or spoken()
    if code != ENGLISH or "glassroom.translations.loading" in sys.modules:
        from glassroom.translations.loading import load_in

        load_in(languages()[code].folder if code != ENGLISH else None)
    return code


def speaking() -> str:
    """The code of the language that this process uses."""
    return _speaks[0]


def catalogues_spoken() -> Path | None:
    """The folder with the catalogues of this process's language; None for English."""
    return None if _speaks[0] == ENGLISH else languages()[_speaks[0]].folder


def asked_for(arguments: Sequence[str]) -> str | None:
    """The language that a command line selects by `--lang`, or by naming a working copy; None if it does neither."""
    for place, argument in enumerate(arguments):
        name, _, value = argument.partition("=")
        if name == "--lang":
            return known(value or next(iter(arguments[place + 1 :]), ""))
    for argument in arguments[1:]:
        try:
            return known((Path(argument).expanduser() / REMEMBERED).read_text("utf-8").strip())
        except (OSError, ValueError, RuntimeError):
            continue
    return None
