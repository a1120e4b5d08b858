"""The files of a delivery: of a folder of learners, nbgrader's exchange, a zip file, or the homes of a hub."""

from __future__ import annotations

import contextlib
import io
import os
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from glassroom.classroom.collecting.archives import MOST_FILES, MOST_IN_ARCHIVE, in_zip, unfold
from glassroom.classroom.collecting.items import Item
from glassroom.classroom.collecting.names import EXCHANGE, LITTER, Layout, whose
from glassroom.classroom.collecting.submitted import timestamp_in
from glassroom.classroom.handing_in import HANDED_IN, SUBMISSION
from glassroom.classroom.marks import moment
from glassroom.classroom.submission import Unreadable, read_file
from glassroom.translations.templates import word
from glassroom.workspace.problems import Exit, Problem

MOST_OF_HOME = 2_000  # notebooks in a home on a hub
DEEPEST = 40  # folders in folders
DATED_BACK = timedelta(minutes=10)  # what a slow disk or another machine's clock may take


def delivered_items(source: Path, layout: Layout) -> Iterator[Item]:
    """Every file that was delivered."""
    if source.is_dir():
        yield from in_folder(source, layout)
    elif source.is_file():
        try:
            content = read_file(source, MOST_IN_ARCHIVE)
        except Unreadable as reason:
            raise Problem(f"{source}: {reason}.") from reason
        if not zipfile.is_zipfile(io.BytesIO(content)):
            cut = word(", or one that was cut short on its way: download it again") if content[:2] == b"PK" else ""
            raise Problem(f"{source} is neither a folder nor a zip file{cut}.", Exit.USAGE)
        yield from in_zip(content, source.name, "", None, layout)
    else:
        raise Problem(f"There is no {source}.", Exit.USAGE)


def in_folder(source: Path, layout: Layout) -> Iterator[Item]:
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
    for folder, folders, names, opened in _walked(inbound, closed):
        for name in sorted(folders):
            if os.path.islink(os.path.join(folder, name)):
                yield Item(
                    str(Path(folder, name).relative_to(inbound)), "", name, fault="a link, which is not followed"
                )
        folders[:] = sorted(
            name
            for name in folders
            if not (
                (name.startswith(".") and folder != str(inbound))
                or name in LITTER
                or os.path.islink(os.path.join(folder, name))
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
            learner, assignment, _ = whose(relative, layout)
            try:
                path = Path(folder, name) if opened is None else Path(name)
                content = read_file(path, folder=opened)
                about = os.stat(path, dir_fd=opened, follow_symlinks=False)
            except (Unreadable, OSError) as reason:
                yield Item(str(relative), learner, name, fault=str(reason), assignment=assignment)
                continue
            own = assignment in layout.assignments and len(relative.parts) - layout.outer == 3  # nbgrader's layout
            exchanged = EXCHANGE.match(layout.within(relative)[0])
            uids = (os.stat(folder if opened is None else opened).st_uid, about.st_uid)
            if exchanged and (owner := _somebody_else(exchanged["learner"], uids)):
                fault = f"handed in as {exchanged['learner']} by the account {owner}; kept in collected/"
                yield Item(str(relative), owner, name, content, fault)
                continue
            when = (timestamp_in(path.parent, opened) if own else None) or _date(about.st_mtime)
            note = _dated_back(exchanged["when"], about) if exchanged else ""
            yield from (replace(item, note=note) for item in unfold(content, relative, "", when, layout))
    for error in closed:
        yield Item(str(error.filename), "", "", fault=f"a folder that cannot be read ({error.strerror})")


def in_homes(hub: Path) -> Iterator[Item]:
    """What the learners of a hub have handed in, from their homes, and nothing else that lies there. The home decides
    whose it is, and the time of the file's last status change (ctime) when it came: a learner can choose names and
    dates in their home freely. No link is followed. Raises `Problem` if this is no hub's folder.
    """
    homes = hub / "homes"
    if not homes.is_dir():
        raise Problem(f"{hub} is no hub's folder: it has no homes/.", Exit.USAGE)
    closed: list[OSError] = []
    for home in sorted(homes.iterdir()):
        if home.is_symlink() or not home.is_dir() or home.name.startswith("."):
            continue
        learner = unquote(home.name)
        count = 0
        for folder, folders, names, opened in _walked(home / HANDED_IN, closed):
            place = PurePosixPath(Path(folder).relative_to(home).as_posix())
            folders[:] = sorted(name for name in folders if SUBMISSION.fullmatch(name)) if len(place.parts) == 1 else []
            submission = SUBMISSION.fullmatch(place.name)
            for name in sorted(name for name in names if submission and name.endswith(".ipynb")):
                origin = f"{home.name}/{place}/{name}"
                count += 1
                if count > MOST_OF_HOME:
                    break
                try:
                    path = Path(folder, name) if opened is None else Path(name)
                    content = read_file(path, folder=opened)
                    changed = _date(os.stat(path, dir_fd=opened, follow_symlinks=False).st_ctime)
                except (Unreadable, OSError) as reason:
                    yield Item(origin, learner, name, fault=str(reason))
                    continue
                assert submission is not None
                yield Item(origin, learner, name, content, "", changed, submission["assignment"])
        if count > MOST_OF_HOME:
            yield Item(home.name, learner, "", fault=f"more than {MOST_OF_HOME:,} notebooks are handed in there")
    for error in closed:
        if not isinstance(error, FileNotFoundError):  # learners who never handed in may have no such folder
            yield Item(str(error.filename), "", "", fault=f"a folder that cannot be read ({error.strerror})")


def _walked(inbound: Path, closed: list[OSError]) -> Iterator[tuple[str, list[str], list[str], int | None]]:
    """Each folder with its folders, its files and its file descriptor, since a name may be replaced by a link in the
    meantime. Windows cannot open folders; there the descriptor is None. Folders that cannot be read go to `closed`."""
    if hasattr(os, "fwalk"):
        yield from os.fwalk(inbound, onerror=closed.append)
    else:
        for folder, folders, names in os.walk(inbound, onerror=closed.append):
            yield folder, folders, names, None


def _somebody_else(learner: str, uids: Iterable[int]) -> str:
    """The account that put this into the exchange, if it is not the learner's; "" if the owner shows nothing. Anybody
    can choose the names of the exchange's folders, but not their owner. Files of root or of this account have been
    copied.
    """
    try:
        import pwd
    except ImportError:  # a system without such accounts
        return ""
    for uid in uids:
        if uid not in (0, os.getuid()):
            with contextlib.suppress(KeyError):  # an account of another machine
                if (name := pwd.getpwuid(uid).pw_name) != learner:
                    return name
    return ""


def _dated_back(said: str, about: os.stat_result) -> str:
    """A line about a file in the exchange that another account has changed after the time in its folder's name, which
    that account chose; "" if there is nothing to say."""
    claimed, changed = moment(said), _date(about.st_ctime)
    if about.st_uid in (0, os.getuid()) or claimed is None or changed is None or changed - claimed < DATED_BACK:
        return ""
    return f"its folder says {claimed:%Y-%m-%d %H:%M} UTC, and the file was last changed {changed:%Y-%m-%d %H:%M} UTC"


def _date(seconds: float) -> datetime | None:
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):  # a file may have any date that its owner chose
        return None
