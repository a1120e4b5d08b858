"""A learner's working copy of the course, and how it is updated without ever losing their work. A hidden manifest
stores the digest of every file as it was handed out, and digests of a notebook's cells. A notebook that was run and
saved, but whose cells were not edited, counts as unchanged and may be replaced by a newer version. If there is a newer
version of a notebook that was edited, the learner's answers and cells go into it (see `merging`), and the notebook as
it was before is kept in `.glassroom/before`. If notebooks were renumbered or split, files and answers follow (see
`moves`). Any other file is the learner's and is never overwritten: a newer version is put beside it, under a name that
says so.
"""

import contextlib
import errno
import json
import os
import platform
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count, islice
from pathlib import Path
from stat import S_ISDIR, S_ISREG

from glassroom import __version__
from glassroom.workspace.merging import Merged, cell_digests, current_key, merged
from glassroom.workspace.moves import Moves, followed, moves
from glassroom.workspace.notebook_json import DamagedNotebook, Notebook, parse, serialise, source, without_traces
from glassroom.workspace.problems import Exit, Problem
from glassroom.workspace.sources import START_PAGE, course_files
from glassroom.workspace.whole_files import ChangedMeanwhile, clear_leftovers, content_of, digest, write_atomically
from glassroom.workspace.without_solutions import learner_copy

DEFAULT_FOLDER = Path("glassroom-course")
MANIFEST = Path(".glassroom", "manifest.json")
_SAVES = 20  # times that another program may save a file while it is updated
BEFORE = Path(".glassroom", "before")  # the learner's notebooks as they were before an update was merged into them


@dataclass
class Update:
    """What `update` did to a working copy. Paths are relative to its folder."""

    folder: Path
    created: list[Path] = field(default_factory=list)
    updated: list[Path] = field(default_factory=list)
    kept: list[Path] = field(default_factory=list)  # changed by the learner, with no newer version in the course
    merged: dict[Path, Merged] = field(default_factory=dict)  # changed by the learner, and merged with the new version
    beside: dict[Path, Path] = field(default_factory=dict)  # the learner's file -> the newer version beside it
    notes: list[str] = field(default_factory=list)  # what the learner should know: damaged files, a lost manifest
    start_page: Path | None = None


def working_folder(asked_for: str | Path | None) -> Path:
    """The folder asked for; otherwise the working copy that contains the current folder; otherwise
    ``./glassroom-course``. Raises `Problem` for a name that cannot be a working folder: an empty one, one with a NUL,
    the root of the disk.
    """
    if asked_for is None:
        here = _absolute(Path())
        return working_copy_around(here) or here / DEFAULT_FOLDER
    name = os.fspath(asked_for)
    if not name.strip() or "\0" in name:
        raise Problem(f"'{name}' is not the name of a folder. Name one, as in: glassroom lab tensors", Exit.USAGE)
    try:
        folder = _absolute(Path(name).expanduser())
    except RuntimeError as error:
        raise Problem(f"{name}: there is no such user here. Name a folder of your own.", Exit.USAGE) from error
    real = Path(os.path.realpath(folder))
    if real == real.parent:
        raise Problem(f"{folder} is the root of the disk. Name a folder, as in: glassroom lab ~/tensors", Exit.USAGE)
    return folder


def working_copy_around(place: Path) -> Path | None:
    """The working copy that a folder is or lies in; None if there is none."""
    return next((path for path in (place, *place.parents) if os.path.isfile(path / MANIFEST)), None)


def update(folder: Path, sources: Path) -> Update:
    """Make `folder` a working copy of the course in `sources`, or bring it up to date.

    Every write is atomic, so even a full disk or a power cut leaves a valid working copy in which some files are not
    yet up to date; running this again continues from there. Raises `Problem` if the folder cannot be used.
    """
    require_usable(folder)
    if Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(sources)):
        raise Problem(f"{folder} holds the course's own notebooks. Name another place: glassroom lab FOLDER")
    report = Update(folder)
    manifest = _Manifest.read(folder, report)
    for part in {(folder / path).parent for path in (MANIFEST, *course_files(sources))}:
        clear_leftovers(part)
    try:
        try:
            handouts = dict(_handouts(sources, report))
            manifest.follow(followed(folder, manifest.given, handouts))
            answers = moves(folder, manifest.cells, _news(handouts, manifest))
            for path in sorted(
                handouts, key=lambda path: path not in answers.into
            ):  # an answer arrives, and then leaves
                _hand_out(path, handouts[path], manifest, report, answers)
        finally:
            manifest.write(folder)
    except Problem as problem:
        raise Problem(f"{problem} Name a folder that is yours and has room: glassroom lab FOLDER") from problem
    if not os.access(folder, os.W_OK):
        report.notes.append(f"{folder} cannot be written: you can read and run everything, but not save.")
    start_page = manifest.ours(START_PAGE)
    report.start_page = start_page if os.path.isfile(folder / start_page) else None
    return report


def _absolute(path: Path) -> Path:
    """The path from the root on. Raises `Problem` when the current folder is gone."""
    try:
        return path.absolute()
    except FileNotFoundError as error:
        raise Problem("The current folder has been deleted. Change to another one and run this again.") from error


def require_usable(folder: Path) -> None:
    """Raise `Problem` unless `folder` is a folder, or nothing yet."""
    try:
        is_folder = S_ISDIR(os.stat(folder).st_mode)
    except FileNotFoundError:
        if not os.path.islink(folder):
            return
        reason = "is a link to what is not there"
    except OSError as error:
        reason = f"cannot be used: {error.strerror or error}"
    else:
        if is_folder:
            return
        reason = "is a file, not a folder"
    raise Problem(f"{folder} {reason}. Name another place: glassroom lab FOLDER")


def _handouts(sources: Path, report: Update) -> Iterator[tuple[Path, bytes]]:
    """Each file of the course as a learner gets it. A source that cannot be read is noted and left out."""
    for path in course_files(sources):
        try:
            content = (sources / path).read_bytes()
            if path.suffix == ".ipynb":
                content = serialise(_for_this_python(learner_copy(parse(content))))
        except (OSError, ValueError, RecursionError) as error:
            report.notes.append(
                f"The course's own {path} is damaged ({error}) and was left out. "
                "Installing tensorglass again repairs it."
            )
            continue
        yield path, content


def _for_this_python(notebook: Notebook) -> Notebook:
    """The notebook with this Python kernel's language metadata. If it is missing, JupyterLab adds it on opening the
    notebook, and then asks a learner who has only read the notebook whether to save changes.
    """
    language = {
        "codemirror_mode": {"name": "ipython", "version": 3},
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "nbconvert_exporter": "python",
        "pygments_lexer": "ipython3",
        "version": platform.python_version(),
    }
    return {**notebook, "metadata": {**notebook.get("metadata", {}), "language_info": language}}


def _news(handouts: dict[Path, bytes], manifest: "_Manifest") -> dict[Path, Notebook]:
    """Those notebooks among the files that are new or have changed since they were handed out."""
    return {
        path: parse(content)
        for path, content in handouts.items()
        if path.suffix == ".ipynb" and manifest.news_for(path, _digest(path, content))
    }


def _hand_out(path: Path, content: bytes, manifest: "_Manifest", report: Update, answers: Moves) -> None:
    """Put one file into the working copy; try again if it was saved in the meantime, as by an editor that has it
    open."""
    for _ in range(_SAVES):
        with contextlib.suppress(ChangedMeanwhile):
            return _hand_out_once(path, content, manifest, report, answers)
    report.notes.append(f"{path} is being written by another program, so it was left as it is. Run this again.")
    return None


def _hand_out_once(path: Path, content: bytes, manifest: "_Manifest", report: Update, answers: Moves) -> None:
    """Put one file into the working copy: in its place if that is free or untouched, beside it otherwise."""
    place = report.folder / path
    before = content_of(place)
    new = _digest(path, content)
    current = _digest_of(place)
    is_untouched = path in manifest.given and manifest.given[path] in (current, _strict_digest_of(place))
    if path in answers.into and (current is None or is_untouched):
        report.merged[path] = answers.merged_into(path, parse(content))
        write_atomically(place, serialise(report.merged[path].notebook), before)
    elif current is None:
        write_atomically(place, content, before)
        report.created.append(path)
    elif current == new:
        pass
    elif is_untouched:
        write_atomically(place, content, before)
        report.updated.append(path)
    elif (
        path in manifest.given
        and (manifest.news_for(path, new) or manifest.is_of_the_version_before(path, place))
        and _merge(path, content, manifest, report, answers)
    ):
        pass
    else:
        _note_damage(place, path, report)
        if manifest.news_for(path, new):
            report.beside[path] = manifest.beside[path] = _put_beside(path, content, manifest, report)
        else:
            report.kept.append(path)
        return
    manifest.given[path] = new
    manifest.beside.pop(path, None)
    if path.suffix == ".ipynb":
        now, was = cell_digests(parse(content)), manifest.cells.get(path)
        manifest.cells[path] = now
        if was is not None and was != now:
            manifest.earlier[path] = was


def _merge(path: Path, content: bytes, manifest: "_Manifest", report: Update, answers: Moves) -> bool:
    """Put the learner's work in a notebook into its new version; False if it is no notebook."""
    place = report.folder / path
    try:
        before = place.read_bytes()
        mine, new = parse(before), parse(content)
    except (OSError, DamagedNotebook):
        return False
    given = manifest.cells.get(path)
    if manifest.is_of_the_version_before(path, place):
        given = manifest.earlier[path]
    if given is not None:
        given = {**given, **{key: answers.given[key] for key in answers.into.get(path, ())}}
    result = merged(given, answers.applied(path, mine), new)
    write_atomically(free_name(report.folder / BEFORE / path), before)
    write_atomically(place, serialise(result.notebook), before)
    report.merged[path] = result
    return True


def free_name(place: Path) -> Path:
    """The path itself, or the first free one of that name with a number."""
    names = (place.with_name(f"{place.stem}-{number}{place.suffix}") for number in count(2))
    return next(path for path in (place, *islice(names, 10_000)) if not path.exists())


def _put_beside(path: Path, content: bytes, manifest: "_Manifest", report: Update) -> Path:
    """Write a newer version beside a file of the learner's, under the first free name; return the name."""
    new = _digest(path, content)
    for name in _names_beside(path):
        current = _digest_of(report.folder / name)
        if current is None or current in (new, manifest.given.get(name)):
            if current != new:
                write_atomically(report.folder / name, content)
            manifest.given[name] = new
            return name
    raise AssertionError("there is always another name")


def _names_beside(path: Path) -> Iterator[Path]:
    """``04_x-course-0.1.0.ipynb``, ``04_x-course-0.1.0-2.ipynb``, …: the names a newer version may go by."""
    stem = f"{path.stem}-course-{__version__}"
    yield path.with_name(stem + path.suffix)
    number = 2
    while True:
        yield path.with_name(f"{stem}-{number}{path.suffix}")
        number += 1


def _digest(path: Path, content: bytes) -> str:
    """The digest of a file's content; for a notebook, of the kinds and sources of its cells only."""
    if path.suffix == ".ipynb":
        with contextlib.suppress(DamagedNotebook):
            cells = [[cell["cell_type"], source(cell)] for cell in parse(content)["cells"]]
            content = serialise({"cells": cells})
    return digest(content)


def _strict_digest_of(place: Path) -> str | None:
    """The digest that earlier versions of the course stored: it includes outputs and metadata, but not traces."""
    with contextlib.suppress(OSError, DamagedNotebook):
        return digest(serialise(without_traces(parse(place.read_bytes()))))
    return None


def _digest_of(place: Path) -> str | None:
    """The digest of the file at `place`; None if nothing is there; a fixed word if it is not a file."""
    try:
        mode = os.stat(place).st_mode  # asked once: another run may put the file there between two questions
        return _digest(place, place.read_bytes()) if S_ISREG(mode) else "not a file"
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            raise Problem(f"{place} cannot be read: {error.strerror or error}.") from error
        return "not a file" if place.is_symlink() else None


def _note_damage(place: Path, path: Path, report: Update) -> None:
    """Add a note if a notebook of the learner's cannot be opened, with how to get a fresh one."""
    if path.suffix != ".ipynb" or not place.is_file():
        return
    try:
        parse(place.read_bytes())
    except DamagedNotebook as error:
        report.notes.append(
            f"{path} cannot be opened: {error}. It was left as it is. "
            "Rename or delete it and run `glassroom lab` again for a fresh one."
        )


class _Manifest:
    """What was handed out: the digest of each file, and which one was put beside a file of the learner's."""

    def __init__(
        self,
        given: dict[Path, str],
        beside: dict[Path, Path],
        cells: dict[Path, dict[str, str]] | None = None,
        earlier: dict[Path, dict[str, str]] | None = None,
    ) -> None:
        self.given = given
        self.beside = beside
        self.cells = cells or {}
        self.earlier = earlier or {}  # the cells of the version before
        self._as_read = self._content()

    @classmethod
    def read(cls, folder: Path, report: Update) -> "_Manifest":
        """The manifest of a folder. A damaged one counts as empty: every file is then the learner's own."""
        place = folder / MANIFEST
        try:
            if not S_ISREG(os.stat(place).st_mode):  # reading a pipe would block for ever
                raise OSError("it is not a file")
            stored = json.loads(place.read_bytes())
            given = {_inside(path): str(value) for path, value in stored["given"].items()}
            beside = {_inside(path): _inside(name) for path, name in stored["beside"].items()}
            cells, earlier = (
                {
                    _inside(path): {current_key(str(key)): str(value) for key, value in cells.items()}
                    for path, cells in stored.get(name, {}).items()
                }
                for name in ("cells", "earlier")
            )
        except FileNotFoundError:
            return cls({}, {})
        except OSError as error:
            raise Problem(
                f"{place} cannot be read: {error.strerror or error}. The course keeps its notes "
                "there; move what is in the way, or name another folder: glassroom lab FOLDER"
            ) from error
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            report.notes.append(
                f"The record of what was handed out ({MANIFEST}) was damaged and is made anew. "
                "Every notebook that differs from the course's is taken to be yours and kept."
            )
            return cls({}, {})
        return cls(given, beside, cells, earlier)

    def follow(self, renamed: dict[Path, Path]) -> None:
        """Record under their new names the files that were handed out under old ones."""
        for old, new in renamed.items():
            self.given[new] = self.given.pop(old)
            for cells in (self.cells, self.earlier):
                if old in cells:
                    cells[new] = cells.pop(old)

    def ours(self, path: Path) -> Path:
        """The location of the course's file `path`: in its place, or beside a file of the learner's with that name."""
        return path if path in self.given else self.beside.get(path, path)

    def news_for(self, path: Path, new: str) -> bool:
        """Whether the version with digest `new` is new to `path`: neither handed out nor put beside it before."""
        return new not in (self.given.get(path), self.given.get(self.beside.get(path, path)))

    def is_of_the_version_before(self, path: Path, place: Path) -> bool:
        """Whether a notebook is the learner's work in the version before the last. An editor that had it open during
        the update has saved it over the new one.
        """
        given, earlier = self.cells.get(path), self.earlier.get(path)
        if given is None or earlier is None:
            return False
        try:
            own = cell_digests(parse(place.read_bytes()))
        except (OSError, DamagedNotebook):
            return False
        changed = {key for key, digest in earlier.items() if given.get(key) != digest}
        kept = any(own.get(key) == earlier[key] for key in changed)
        return kept and not any(own.get(key) == digest for key, digest in given.items() if earlier.get(key) != digest)

    def write(self, folder: Path) -> None:
        """Store the manifest, if anything in it changed."""
        if self._content() != self._as_read:
            write_atomically(folder / MANIFEST, self._content())

    def _content(self) -> bytes:
        stored = {
            "what this is": "digests of the files `glassroom lab` handed out, to tell your work from its own",
            "given": {path.as_posix(): value for path, value in sorted(self.given.items())},
            "beside": {path.as_posix(): name.as_posix() for path, name in sorted(self.beside.items())},
            "cells": {path.as_posix(): cells for path, cells in sorted(self.cells.items())},
            "earlier": {path.as_posix(): cells for path, cells in sorted(self.earlier.items())},
        }
        return json.dumps(stored, indent=1).encode() + b"\n"


def _inside(name: str) -> Path:
    """A path in the manifest. Raises ValueError for one that leads out of the working copy."""
    path = Path(name)
    if path.is_absolute() or ".." in path.parts:
        raise ValueError(f"{name} is not inside the working copy")
    return path
