"""Taking submissions in: from a folder, from the zip files of Moodle and Canvas, from nbgrader's exchange.

Everything is told in one line and nothing is lost: an attempt that a later one replaces, a file whose learner or
assignment cannot be told, what is no notebook, all of it is kept under `collected/`. Names in archives are read,
never obeyed: the only paths that are written are made here. Whose a file is, and when it came, is told by what the
LMS, nbgrader or the teacher wrote, and never by what lies inside a learner's own folder or zip file.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import stat
import unicodedata
import zipfile
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from glassroom.classroom.batch import learners_of
from glassroom.classroom.course_file import Course
from glassroom.classroom.marks import moment
from glassroom.classroom.submission import MOST_BYTES, Unreadable, digest_of, marks_of, read_file, read_notebook
from glassroom.records.printable import printable
from glassroom.workspace.notebook_json import parse
from glassroom.workspace.problems import Exit, Problem
from glassroom.workspace.whole_files import write_atomically

MOST_IN_ARCHIVE = 2_000_000_000
MOST_OF_ONE = 2 * MOST_BYTES  # in a learner's own zip file
MOST_FILES = 50_000
MANY, AT_ONCE = 3, 60  # so many learners do not hand in within so many seconds of each other
LONGEST_NAME = 1000  # characters of a file's name with its folders
LONGEST = 200  # bytes in the name of a learner's folder
DEEPEST = 40  # folders in folders
MOST_RATIO = 200  # a file that unpacks to so many times its size is a bomb
PERSON = ".person"  # in a learner's folder of an assignment: whose work it is, by the LMS's number or the whole name
_LITTER = {".ipynb_checkpoints", "__MACOSX"}
#: With a folder for each learner, or, where Moodle was asked for none, before each file's name.
_MOODLE = re.compile(r"^(?P<name>.+?)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)(?:_(?P<rest>.*))?$")
_CANVAS = re.compile(r"^(?P<name>[^_]+)_(?P<late>LATE_)?(?P<id>\d+)_(?P<file>\d+)_(?P<rest>.+)$")
_COPY = re.compile(r"([ _-]*\((\d+)\)|-(\d+)|[ _-]+[Cc]opy\d*|-Copy\d+)$")
_EXCHANGE = re.compile(r"^(?P<learner>.+?)\+(?P<assignment>.+?)\+(?P<when>\d{4}-\d\d-\d\d .+?)(?:\+.*)?$")


@dataclass(frozen=True)
class Item:
    """A file as it was delivered: its learner and moment where they are known, its name, and its bytes or a fault."""

    origin: str
    learner: str
    name: str
    content: bytes = b""
    fault: str = ""
    when: datetime | None = None
    assignment: str = ""
    number: str = ""  # by which the LMS tells people of one name apart

    @property
    def person(self) -> str:
        """What tells one learner from another: the LMS's number, else the name, letter by letter."""
        return self.number or unicodedata.normalize("NFC", self.learner).strip()

    @property
    def kind_and_person(self) -> str:
        """The same with what it is: "number 12", "name Ada King". A number and a name may be one person's."""
        return f"{'number' if self.number else 'name'} {self.person}"


@dataclass
class Collected:
    """What came in: submissions by learner and assignment, and a line about each oddity."""

    taken: list[tuple[str, str]] = field(default_factory=list)
    oddities: list[str] = field(default_factory=list)
    unchanged: int = 0


def collect(
    course: Course, source: Path, assignment: str = "", within: str | None = None, when: datetime | None = None
) -> Collected:
    """Take in what is at `source`: a folder of learners, a zip file of an LMS's, or nbgrader's exchange.

    `assignment` is where a file goes whose name and cells do not tell; `within` is the folder in it that has the
    learners' folders; `when` is the moment at which all of it was handed in, where files do not tell.

    Raises `Problem` for a source that is not there or is neither, and for one that does not tell whose its folders are.
    """
    if assignment:
        course.assignment(assignment)
    report = Collected()
    known = _Known(course)
    found: dict[tuple[str, str, str], list[Item]] = {}
    chosen = None if within is None else PurePosixPath(within).parts
    layout = _Layout(learners_of(course), [each.name for each in course.assignments], chosen=chosen)
    items = list(_items(source, layout))
    shared = _shared_names(items)
    report.oddities += _dates(items) if source.is_dir() and when is None else []
    for item in (replace(each, when=when) for each in items) if when else items:
        where = printable(item.origin)
        if item.fault:
            report.oddities.append(f"{where}: {item.fault}")
            _keep_aside(course, item)
            continue
        learner = safe_name(item.learner)
        if not learner:
            report.oddities.append(f"{where}: whose it is cannot be told; kept in collected/")
            _keep_aside(course, item)
            continue
        if not item.name.lower().endswith(".ipynb"):
            report.oddities.append(f"{where}: not a notebook; kept in collected/")
            _keep_aside(course, item)
            continue
        target, name, why = known.place(item, assignment)
        if why:
            report.oddities.append(f"{where}: {why}")
        if not target:
            _keep_aside(course, item)
            continue
        learner, told = _folder_of(course, learner, target, item, shared)
        if told:
            report.oddities.append(f"{where}: {told}; taken for {learner}")
        found.setdefault((learner, target, name), []).append(item)
    for (learner, target, name), items in sorted(found.items()):
        items.sort(key=lambda each: (each.when or datetime.min.replace(tzinfo=UTC), _attempt(each.name), each.origin))
        *earlier, last = items
        for each in earlier:
            report.oddities.append(f"{printable(each.origin)}: an earlier attempt of {learner}; kept in collected/")
            _keep_aside(course, each)
        _take_item(course, learner, target, name, last, report)
    for learner, target in dict.fromkeys(report.taken):
        present = {path.name for path in (course.folder / "submitted" / learner / target).glob("*.ipynb")}
        for notebook in course.assignment(target).notebooks:
            if Path(notebook).name not in present:
                report.oddities.append(f"{learner}, {target}: {Path(notebook).name} is missing")
    return report


def _dates(items: list[Item]) -> list[str]:
    """A word where the files of a folder were all written at once: they have been copied, and would all be late."""
    dates = {item.learner: item.when for item in items if item.when and item.learner and item.name.endswith(".ipynb")}
    first, last = min(dates.values(), default=None), max(dates.values(), default=None)
    if len(dates) < MANY or first is None or last is None or (last - first).total_seconds() > AT_ONCE:
        return []
    said = f"the files of all {len(dates)} learners are dated {first:%Y-%m-%d %H:%M} UTC, as if copied then"
    return [f"{said}. Lateness counts from that: copy with cp -p, or say --when 2030-01-31T18:00+01:00"]


def _shared_names(items: list[Item]) -> set[str]:
    """The names that several people in a delivery have, whatever letters are capitals."""
    numbers: dict[str, set[str]] = {}
    for item in items:
        if item.learner:
            numbers.setdefault(safe_name(item.learner).casefold(), set()).add(item.person)
    return {name for name, found in numbers.items() if len(found) > 1}


def _folder_of(course: Course, learner: str, target: str, item: Item, shared: set[str]) -> tuple[str, str]:
    """The learner's folder, and why it is not named by their name alone, if it is not.

    Moodle numbers people for each assignment anew, so whose work a folder has is remembered for each.
    """
    number = item.number or ("" if item.person == learner else digest_of(item.person)[:6])
    apart = safe_name(f"{learner[:45]} {number}")
    is_shared, before = learner.casefold() in shared, _person(course, learner, target)
    if number and before == item.kind_and_person:
        return learner, ""
    if number and (is_shared or _person(course, apart, target) == item.kind_and_person):
        return apart, "several people have this name"
    if is_shared:
        return learner, "several people have this name"
    if before and before.split(" ")[0] == item.kind_and_person.split(" ")[0] and before != item.kind_and_person:
        number = number or digest_of(item.person)[:6]
        return safe_name(f"{learner[:45]} {number}"), f"{learner} is somebody else so far ({printable(before)})"
    return learner, ""


def _person(course: Course, learner: str, target: str) -> str:
    """Whose work a folder has, as it was written down when that was taken in; nothing where nobody has."""
    try:
        return (
            read_file(course.folder / "submitted" / learner / target / PERSON, 4000).decode("utf-8", "replace").strip()
        )
    except Unreadable:
        return ""


class _Known:
    """How a file's assignment is told: by its place, its name, or the cells in it."""

    def __init__(self, course: Course) -> None:
        self.course = course
        self.by_file: dict[str, tuple[str, str]] = {}
        self.by_exercise: dict[str, tuple[str, str]] = {}
        self.by_cell: dict[str, tuple[str, str]] = {}
        for each in course.assignments:
            for notebook in each.notebooks:
                name = Path(notebook).name
                self.by_file.setdefault(name.casefold(), (each.name, name))
                path = course.folder / "source" / each.name / name
                for cell in parse(path.read_bytes())["cells"] if path.is_file() else []:
                    marks = marks_of(cell)
                    if marks.get("grade") or marks.get("solution"):
                        self.by_exercise.setdefault(marks["grade_id"], (each.name, name))
                        self.by_cell.setdefault(str(cell.get("id")), (each.name, name))

    def place(self, item: Item, fallback: str) -> tuple[str, str, str]:
        """(assignment, the notebook's proper name, what is odd about it); no assignment where none can be told."""
        plain = _plain_name(item.name)
        by_cells = self._by_cells(item.content)
        if isinstance(by_cells, str):
            exact = self._within(item.assignment or fallback, plain) or self.by_file.get(plain.casefold())
            if exact:  # it is graded as what it claims to be, and its row says that it cannot be read
                return *exact, f"taken for {exact[1]} by its name, but {by_cells}"
            return "", "", f"{by_cells}; kept in collected/"
        exact = self._within(item.assignment or fallback, plain) or (
            None if by_cells else self.by_file.get(plain.casefold())
        )
        if by_cells and (not exact or exact != by_cells):
            renamed = (
                ""
                if item.name == by_cells[1]
                else f"named {printable(item.name)}, taken for {by_cells[1]} by its cells"
            )
            return *by_cells, renamed
        if exact:
            return *exact, "" if item.name == exact[1] else f"taken for {exact[1]}"
        return "", "", "which assignment it is cannot be told (name one with --assignment); kept in collected/"

    def _within(self, assignment: str, name: str) -> tuple[str, str] | None:
        for each in self.course.assignments:
            if each.name == assignment:
                names = {Path(notebook).name.casefold(): Path(notebook).name for notebook in each.notebooks}
                if name.casefold() in names:
                    return assignment, names[name.casefold()]
        return None

    def _by_cells(self, content: bytes) -> tuple[str, str] | str | None:
        try:
            notebook = read_notebook(content)
            votes: dict[tuple[str, str], int] = {}
            for cell in notebook["cells"]:
                id = marks_of(cell).get("grade_id", "")
                place = self.by_exercise.get(id) or self.by_cell.get(str(cell.get("id")))
                if place:
                    votes[place] = votes.get(place, 0) + 1
        except Unreadable as reason:
            return f"not a notebook: {reason}"
        except Exception as error:  # whatever one file holds, those of the others are taken
            return f"not a notebook: reading it raised {type(error).__name__}"
        return max(votes, key=lambda each: votes[each]) if votes else None


@dataclass(frozen=True)
class _Layout:
    """How a delivery's folders are read: the outer ones, which are nobody's, and what learners and assignments are
    named."""

    learners: Collection[str]
    assignments: Collection[str]
    outer: int = 0
    chosen: tuple[str, ...] | None = None  # the outer folders, where the teacher has said so

    def around(self, paths: Iterable[PurePosixPath], source: str, *, is_own: bool, archive: str = "") -> _Layout:
        """The layout of these files, of a learner's own archive or of a delivery.

        What lies within a learner's own folder never tells whose it is. So a folder that everything in a delivery lies
        in, with folders in it, is asked about unless its name says that it is a learner's. Raises `Problem` then.
        A lone folder without folders is a learner's, unless it is named as the zip file is: who hands in `ada/…` is
        not Ada.
        """
        folders = {
            path.parts[:-1]
            for path in paths
            if path.suffix.lower() in (".ipynb", ".zip") and not (_is_litter(path) or _leads_out(path))
        }
        if self.chosen is not None and not is_own:
            where = "/".join(self.chosen)
            if not folders or any(names[: len(self.chosen)] != self.chosen for names in folders):
                raise Problem(f"{source} has notebooks that are not in {where!r}.", Exit.USAGE)
            return replace(self, outer=len(self.chosen), chosen=None)
        outer = [names[:1] for names in folders]
        if is_own or not outer or len({*outer}) != 1 or not outer[0]:
            return replace(self, outer=0)
        (name,) = outer[0]
        beneath = {names[1] for names in folders if len(names) > 1}
        is_learners = name in self.learners or _MOODLE.match(name) or _EXCHANGE.match(name)
        if beneath <= {*self.assignments} or is_learners:
            return replace(self, outer=int(name == archive and not beneath))
        raise Problem(
            f"{printable(source)} holds one folder, {printable(name)!r}, with folders in it, and whose they are cannot "
            f"be told. If each is a learner's: --within {shlex.quote(name)}. If all of it is one learner's: --within .",
            Exit.USAGE,
        )

    def within(self, path: PurePosixPath) -> tuple[str, ...]:
        """The folders and the name of a file, less the outer ones."""
        return path.parts[min(self.outer, len(path.parts) - 1) :]


def _items(source: Path, layout: _Layout) -> Iterator[Item]:
    """Every file that was delivered."""
    if source.is_dir():
        yield from _in_folder(source, layout)
    elif source.is_file():
        try:
            content = read_file(source, MOST_IN_ARCHIVE)
        except Unreadable as reason:
            raise Problem(f"{source}: {reason}.") from reason
        if not zipfile.is_zipfile(io.BytesIO(content)):
            raise Problem(f"{source} is neither a folder nor a zip file.", Exit.USAGE)
        yield from _in_zip(content, source.name, "", None, layout)
    else:
        raise Problem(f"There is no {source}.", Exit.USAGE)


def _in_folder(source: Path, layout: _Layout) -> Iterator[Item]:
    """A folder of learners' folders (nbgrader's `submitted/` and Moodle's among them), of files named by learner, of
    zip files, or nbgrader's exchange (`inbound/`)."""
    inbound = source / "inbound" if (source / "inbound").is_dir() else source
    walked = os.walk(inbound)
    layout = layout.around(
        (PurePosixPath(Path(at, name).relative_to(inbound)) for at, _, names in walked for name in names),
        str(source),
        is_own=False,
    )
    count = 0
    closed: list[OSError] = []
    for folder, folders, names, opened in os.fwalk(
        inbound, onerror=closed.append
    ):  # by number: a name may become a link meanwhile
        for name in sorted(folders):
            if os.path.islink(os.path.join(folder, name)):
                yield Item(
                    str(Path(folder, name).relative_to(inbound)), "", name, fault="a link, which is not followed"
                )
        folders[:] = sorted(
            each
            for each in folders
            if not (
                (each.startswith(".") and folder != str(inbound))
                or each in _LITTER
                or os.path.islink(os.path.join(folder, each))
            )
        )
        if len(Path(folder).relative_to(inbound).parts) >= DEEPEST and folders:
            yield Item(str(Path(folder).relative_to(inbound)), "", "", fault=f"more than {DEEPEST} folders deep")
            folders.clear()
        for name in sorted(names):
            relative = PurePosixPath(Path(folder, name).relative_to(inbound).as_posix())
            if name.startswith(".") or name in ("timestamp.txt", "Thumbs.db", "desktop.ini"):
                continue
            count += 1
            if count > MOST_FILES:
                raise Problem(f"{source} has more than {MOST_FILES:,} files.")
            learner, assignment, _ = _whose(relative, layout)
            try:
                content = read_file(Path(name), folder=opened)
                about = os.stat(name, dir_fd=opened, follow_symlinks=False)
            except (Unreadable, OSError) as reason:
                yield Item(str(relative), learner, name, fault=str(reason), assignment=assignment)
                continue
            own = assignment in layout.assignments and len(relative.parts) - layout.outer == 3  # nbgrader's layout
            exchanged = _EXCHANGE.match(layout.within(relative)[0])
            uids = (os.fstat(opened).st_uid, about.st_uid)
            if exchanged and (owner := _somebody_else(exchanged["learner"], uids)):
                fault = f"handed in as {exchanged['learner']} by the account {owner}; kept in collected/"
                yield Item(str(relative), owner, name, content, fault)
                continue
            when = (_timestamp(Path(), opened) if own else None) or _date(about.st_mtime)
            yield from _unfold(content, relative, "", when, layout)
    for error in closed:
        yield Item(str(error.filename), "", "", fault=f"a folder that cannot be read ({error.strerror})")


def _somebody_else(learner: str, uids: Iterable[int]) -> str:
    """The account that put this into the exchange, if it is not the learner's; nothing where no account tells.

    The exchange's folders are named by whoever writes them. What root or this account owns has been copied.
    """
    try:
        import pwd
    except ImportError:  # a system that has no such accounts
        return ""
    for uid in uids:
        if uid not in (0, os.getuid()):
            with contextlib.suppress(KeyError):  # an account of another machine's
                if (name := pwd.getpwuid(uid).pw_name) != learner:
                    return name
    return ""


def _date(seconds: float) -> datetime | None:
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):  # a file may be dated as its owner likes
        return None


class _Room:
    """How many bytes an archive, with all that is packed in it again, may still unpack to."""

    def __init__(self, most: int) -> None:
        self.most = self.left = most


def _in_zip(
    content: bytes,
    origin: str,
    learner: str,
    when: datetime | None,
    layout: _Layout,
    depth: int = 0,
    number: str = "",
    room: _Room | None = None,
) -> Iterator[Item]:
    """The files of an archive. The sizes that it states are not believed, and its paths only as names.

    In a learner's own archive, names of people and dates are not believed either; archives within it share its room.
    """
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
        infos = archive.infolist()
    except Exception as error:  # of whatever kind: it is one file of one learner's
        yield Item(origin, learner, origin, content[:MOST_BYTES], f"a zip file that cannot be read ({error})")
        return
    if len(infos) > MOST_FILES:
        yield Item(
            origin, learner, origin, fault=f"a zip file of more than {MOST_FILES:,} files, which is not unpacked"
        )
        return
    room = room or _Room(MOST_OF_ONE if learner else MOST_IN_ARCHIVE)
    stem = PurePosixPath(origin.rpartition(": ")[2]).stem
    layout = layout.around((_path_of(info) for info in infos), origin, is_own=bool(learner), archive=stem)
    for info in infos:
        path = _path_of(info)
        name = path.name
        if info.is_dir() or not name or _is_litter(path):
            continue
        where = f"{origin}: {path}"
        if len(info.filename) > LONGEST_NAME:
            yield Item(where[:LONGEST_NAME], learner, name[:100], fault="its name is too long to be a file's")
            continue
        if stat.S_ISLNK(info.external_attr >> 16):
            yield Item(where, learner, name, fault="a link, which is not followed")
            continue
        if _leads_out(path):
            yield Item(where, "", name, fault="its path leads out of the archive, so it is not taken")
            continue
        if info.flag_bits & 1:
            yield Item(where, learner, name, fault="encrypted, so it cannot be read")
            continue
        try:
            with archive.open(info) as file:
                most = min(MOST_BYTES, max(1_000_000, MOST_RATIO * max(1, info.compress_size)))
                unpacked = file.read(most + 1)
        except Exception as error:  # zipfile lets those of every method through: zlib, bz2, LZMA, struct
            yield Item(where, learner, name, fault=f"cannot be unpacked ({printable(str(error))[:200]})")
            continue
        if room.left < 0:
            return
        if len(unpacked) > most:
            yield Item(where, learner, name, fault=f"unpacks to more than {most / 1e6:,.0f} MB, so it is not taken")
            continue
        room.left -= len(unpacked)
        if room.left < 0:
            yield Item(
                where,
                learner,
                name,
                fault=f"the archive unpacks to more than {room.most / 1e6:,.0f} MB; the rest is not taken",
            )
            return
        try:
            stamp = datetime(*info.date_time).astimezone(UTC) if info.date_time > (1980, 1, 1, 0, 0, 0) else None
        except ValueError:
            stamp = None
        moment_of = (when or stamp) if learner else (stamp or when)
        yield from _unfold(unpacked, path, learner, moment_of, layout, origin, depth, number, room if learner else None)


def _is_litter(path: PurePosixPath) -> bool:
    """Whether a file is of a system's or Jupyter's own: a home has cookies, keys and history in hidden folders."""
    hidden = any(part.startswith(".") and part.strip(".") for part in path.parts[1:-1])
    return hidden or path.name.startswith(".") or not _LITTER.isdisjoint(path.parts)


def _leads_out(path: PurePosixPath) -> bool:
    return path.is_absolute() or ".." in path.parts


def _path_of(info: zipfile.ZipInfo) -> PurePosixPath:
    return PurePosixPath(info.filename.replace("\\", "/"))


def _unfold(
    content: bytes,
    path: PurePosixPath,
    learner: str,
    when: datetime | None,
    layout: _Layout,
    within: str = "",
    depth: int = 0,
    number: str = "",
    room: _Room | None = None,
) -> Iterator[Item]:
    """A file as one item, or a zip file in a delivery as the files in it."""
    origin = f"{within}: {path}" if within else str(path)
    owner, assignment, name = _whose(path, layout)
    owner, number = learner or owner, number or ("" if learner else _number_in_name(path, layout))
    exchanged = None if learner else _EXCHANGE.match(layout.within(path)[0])
    if exchanged:
        owner, assignment = exchanged["learner"], exchanged["assignment"]
        when = moment(exchanged["when"]) or when
    if path.suffix.lower() == ".zip":
        if not owner:
            fault = "a zip file whose learner its name does not tell; if it is a delivery, collect it by itself"
            yield Item(origin, "", path.name, content, fault)
            return
        if depth >= 2:
            yield Item(
                origin, owner, path.name, content, "a zip file within zip files within zip files, which is not unpacked"
            )
            return
        yield from _in_zip(content, origin, owner, when, replace(layout, outer=0), depth + 1, number, room)
        return
    yield Item(origin, owner, name, content, "", when, assignment, number)


def _whose(path: PurePosixPath, layout: _Layout) -> tuple[str, str, str]:
    """(learner, assignment, the file's own name), as far as the path tells: nbgrader's, Moodle's or Canvas's."""
    parts = layout.within(path)
    if len(parts) > 1:
        if match := _MOODLE.match(parts[0]):
            return match["name"], "", parts[-1]
        return parts[0], parts[-2] if len(parts) > 2 else "", parts[-1]
    if match := _CANVAS.match(parts[0]):
        return match["name"], "", match["rest"]
    if match := _MOODLE.match(parts[0]):
        own = match["rest"] or ""
        return match["name"], "", own if PurePosixPath(own).suffix else parts[0]
    stem = PurePosixPath(parts[0]).stem
    head, separator, rest = stem.partition("_")
    if separator and not head.isdigit() and rest:  # ada_02_views_share_a_storage.ipynb
        return head, "", f"{rest}{path.suffix}"
    return "", "", parts[0]


def _number_in_name(path: PurePosixPath, layout: _Layout) -> str:
    """The number of a learner in the names that Moodle and Canvas give; nothing in others."""
    first, *more = layout.within(path)
    match = _MOODLE.match(first) if more else _CANVAS.match(first) or _MOODLE.match(first)
    return match["id"] if match else ""


def _plain_name(name: str) -> str:
    """A notebook's name without what browsers and Canvas add to it: " (1)", "-1", "-Copy1"."""
    stem, suffix = os.path.splitext(name)
    return _COPY.sub("", stem) + suffix.lower()


def _attempt(name: str) -> int:
    match = _COPY.search(os.path.splitext(name)[0])
    return int(match[2] or match[3] or 1) if match else 0


def safe_name(text: str) -> str:
    """A learner's name as the name of a folder: no separators, no control characters, not too long; or nothing."""
    whole = unicodedata.normalize("NFC", text).strip()
    cleaned = "".join(letter if letter.isalnum() or letter in " ._@-'" else "-" for letter in whole)
    cleaned = cleaned.strip(" .")[:100].encode()[:LONGEST].decode("utf-8", "ignore").strip(" .")
    return "" if not any(letter.isalnum() for letter in cleaned) else cleaned


def _take_item(course: Course, learner: str, assignment: str, name: str, item: Item, report: Collected) -> None:
    folder = course.folder / "submitted" / learner / assignment
    path = folder / name
    for each in (folder.parent, folder, path):
        if each.is_symlink():
            report.oddities.append(f"{printable(item.origin)}: {each} is a link, which is not written through")
            _keep_aside(course, item)
            return
        if each.exists() and each.is_dir() == (each is path):
            report.oddities.append(f"{printable(item.origin)}: {each} is in the way")
            _keep_aside(course, item)
            return
    report.taken.append((learner, assignment))
    if path.is_file():
        before = path.read_bytes()
        if before == item.content:
            report.unchanged += 1
            return
        was = _timestamp(folder)
        if was and item.when and item.when < was:
            report.oddities.append(f"{printable(item.origin)}: older than what is there; kept in collected/")
            _keep_aside(course, item)
            return
        report.oddities.append(
            f"{printable(item.origin)}: replaces an earlier attempt of {learner}, which is kept in collected/"
        )
        _keep_aside(course, Item(f"{learner}-{assignment}", learner, name, before))
    write_atomically(path, item.content)
    if item.number or not (folder / PERSON).exists():
        write_atomically(folder / PERSON, f"{item.kind_and_person}\n".encode("utf-8", "replace"))
    if item.when is not None:
        stamp = item.when.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f UTC")
        write_atomically(folder / "timestamp.txt", f"{stamp}\n".encode())


def _keep_aside(course: Course, item: Item) -> None:
    """Keep what is not graded, under a name that is made of its content: the same file is kept once."""
    if not item.content:
        return
    owner = safe_name(item.learner) or "unknown"
    name = safe_name(item.name[-80:]) or "file"
    write_atomically(course.folder / "collected" / owner / f"{digest_of(item.content)[:12]}-{name}", item.content)


def _timestamp(folder: Path, opened: int | None = None) -> datetime | None:
    try:
        return moment(read_file(folder / "timestamp.txt", 200, opened).decode("utf-8", "replace").strip())
    except Unreadable:
        return None
