"""What the names of delivered files and folders tell: nbgrader's, Moodle's and Canvas's ways of naming learners."""

from __future__ import annotations

import os
import re
import shlex
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from glassroom.records.printable import printable
from glassroom.workspace.problems import Exit, Problem

LONGEST = 200  # bytes in the name of a learner's folder
LITTER = {".ipynb_checkpoints", "__MACOSX"}
#: Names a learner's folder or, if Moodle was asked for no folders, precedes each file's name.
MOODLE = re.compile(r"^(?P<name>.+?)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)(?:_(?P<rest>.*))?$")
CANVAS = re.compile(r"^(?P<name>[^_]+)_(?P<late>LATE_)?(?P<id>\d+)_(?P<file>\d+)_(?P<rest>.+)$")
EXCHANGE = re.compile(r"^(?P<learner>.+?)\+(?P<assignment>.+?)\+(?P<when>\d{4}-\d\d-\d\d .+?)(?:\+.*)?$")
_COPY = re.compile(r"([ _-]*\((\d+)\)|-(\d+)|[ _-]+[Cc]opy\d*|-Copy\d+)$")


@dataclass(frozen=True)
class Layout:
    """How the folders of a delivery are read: the outer ones, which belong to no learner, and the names of learners and
    assignments."""

    learners: Collection[str]
    assignments: Collection[str]
    outer: int = 0
    chosen: tuple[str, ...] | None = None  # the outer folders, if the teacher gave them

    def around(self, paths: Iterable[PurePosixPath], source: str, *, is_own: bool, archive: str = "") -> Layout:
        """The layout of these files, of a learner's own archive or of a delivery. The content of a learner's own folder
        never decides whose it is. So if a delivery has one folder alone, which has folders in it, and its
        name does not show that it is a learner's, the teacher must say what it is: raises `Problem`. A single folder
        without folders in it is a learner's, unless it has the zip file's name: whoever hands in `ada/…` need not be
        Ada.
        """
        folders = {
            path.parts[:-1]
            for path in paths
            if path.suffix.lower() in (".ipynb", ".zip") and not (is_litter(path) or leads_out(path))
        }
        if self.chosen is not None and not is_own:
            where = "/".join(self.chosen)
            if not folders or any(names[: len(self.chosen)] != self.chosen for names in folders):
                raise Problem(f"{source} has notebooks that are not in {where!r}.", Exit.USAGE)
            return replace(self, outer=len(self.chosen), chosen=None)
        outer = {names[0] for names in folders if names}
        if is_own or len(outer) != 1:
            return replace(self, outer=0)
        (name,) = outer
        beneath = {names[1] for names in folders if len(names) > 1}
        is_learners = name in self.learners or MOODLE.match(name) or EXCHANGE.match(name)
        if beneath <= {*self.assignments} or is_learners:
            return replace(self, outer=int(name == archive and not beneath and () not in folders))
        if () in folders:
            raise Problem(
                f"{printable(source)} holds files, and one folder, {printable(name)!r}, with folders in it. Collect "
                "that folder and each file alone; or, if the folder is one learner's: --within .",
                Exit.USAGE,
            )
        raise Problem(
            f"{printable(source)} holds one folder, {printable(name)!r}, with folders in it, and whose they are cannot "
            f"be told. If each is a learner's: --within {shlex.quote(name)}. If all of it is one learner's: --within .",
            Exit.USAGE,
        )

    def within(self, path: PurePosixPath) -> tuple[str, ...]:
        """The folders and the name of a file, without the outer folders."""
        return path.parts[min(self.outer, len(path.parts) - 1) :]


def whose(path: PurePosixPath, layout: Layout) -> tuple[str, str, str]:
    """(learner, assignment, the file's own name), as far as the path shows them: nbgrader's, Moodle's or Canvas's."""
    parts = layout.within(path)
    if len(parts) > 1:
        if match := MOODLE.match(parts[0]):
            return match["name"], "", parts[-1]
        return parts[0], parts[-2] if len(parts) > 2 else "", parts[-1]
    if match := CANVAS.match(parts[0]):
        return match["name"], "", match["rest"]
    if match := MOODLE.match(parts[0]):
        own = match["rest"] or ""
        return match["name"], "", own if PurePosixPath(own).suffix else parts[0]
    stem = PurePosixPath(parts[0]).stem
    head, separator, rest = stem.partition("_")
    if separator and not head.isdigit() and rest:  # ada_02_views_share_a_storage.ipynb
        return head, "", f"{rest}{path.suffix}"
    return "", "", parts[0]


def number_in_name(path: PurePosixPath, layout: Layout) -> str:
    """The learner's number in names that Moodle and Canvas make; "" in other names."""
    first, *more = layout.within(path)
    match = MOODLE.match(first) if more else CANVAS.match(first) or MOODLE.match(first)
    return match["id"] if match else ""


def plain_name(name: str) -> str:
    """A notebook's name without what browsers and Canvas add to it: " (1)", "-1", "-Copy1"."""
    stem, suffix = os.path.splitext(name)
    return _COPY.sub("", stem) + suffix.lower()


def attempt_of(name: str) -> int:
    match = _COPY.search(os.path.splitext(name)[0])
    return int(match[2] or match[3] or 1) if match else 0


def safe_name(text: str) -> str:
    """A learner's name as the name of a folder: no separators, no control characters, not too long; "" if nothing is
    left."""
    whole = unicodedata.normalize("NFC", text).strip()
    cleaned = "".join(letter if letter.isalnum() or letter in " ._@-'" else "-" for letter in whole)
    cleaned = cleaned.strip(" .")[:100].encode()[:LONGEST].decode("utf-8", "ignore").strip(" .")
    return "" if not any(letter.isalnum() for letter in cleaned) else cleaned


def is_litter(path: PurePosixPath) -> bool:
    """Whether a file is the system's or Jupyter's own: a home has cookies, keys and history in hidden folders."""
    hidden = any(part.startswith(".") and part.strip(".") for part in path.parts[1:-1])
    return hidden or path.name.startswith(".") or not LITTER.isdisjoint(path.parts)


def leads_out(path: PurePosixPath) -> bool:
    return path.is_absolute() or ".." in path.parts
