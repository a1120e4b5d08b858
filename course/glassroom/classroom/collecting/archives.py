"""Zip files: a delivery's, and those that learners hand in. Nothing that an archive says of itself is trusted."""

from __future__ import annotations

import io
import stat
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import PurePosixPath

from glassroom.classroom.collecting.items import Item
from glassroom.classroom.collecting.names import EXCHANGE, Layout, is_litter, leads_out, number_in_name, whose
from glassroom.classroom.marks import moment
from glassroom.classroom.submission import MOST_BYTES
from glassroom.records.printable import printable

MOST_IN_ARCHIVE = 2_000_000_000
MOST_OF_ONE = 2 * MOST_BYTES  # bytes in a learner's own zip file
MOST_FILES = 50_000
LONGEST_NAME = 1000  # characters of a file's name with its folders
MOST_RATIO = 200  # a file that unpacks to more than this many times its size is a zip bomb


class _Room:
    """The bytes that an archive, including nested archives, may still unpack to."""

    def __init__(self, most: int) -> None:
        self.most = self.left = most


def in_zip(
    content: bytes,
    origin: str,
    learner: str,
    when: datetime | None,
    layout: Layout,
    depth: int = 0,
    number: str = "",
    room: _Room | None = None,
) -> Iterator[Item]:
    """The files of an archive. Its stated sizes are not trusted, and its paths are used only as names. In a learner's
    own archive, names of people and dates are not trusted either; archives within it share its limit.
    """
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
        infos = archive.infolist()
    except Exception as error:  # of any kind: it concerns one file of one learner
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
        if info.is_dir() or not name or is_litter(path):
            continue
        where = f"{origin}: {path}"
        if len(info.filename) > LONGEST_NAME:
            yield Item(where[:LONGEST_NAME], learner, name[:100], fault="its name is too long to be a file's")
            continue
        if stat.S_ISLNK(info.external_attr >> 16):
            yield Item(where, learner, name, fault="a link, which is not followed")
            continue
        if leads_out(path):
            yield Item(where, "", name, fault="its path leads out of the archive, so it is not taken")
            continue
        if info.flag_bits & 1:
            yield Item(where, learner, name, fault="encrypted, so it cannot be read")
            continue
        try:
            with archive.open(info) as file:
                most = min(MOST_BYTES, max(1_000_000, MOST_RATIO * max(1, info.compress_size)))
                unpacked = file.read(most + 1)
        except Exception as error:  # zipfile passes on errors of every codec: zlib, bz2, LZMA, struct
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
        yield from unfold(unpacked, path, learner, moment_of, layout, origin, depth, number, room if learner else None)


def _path_of(info: zipfile.ZipInfo) -> PurePosixPath:
    return PurePosixPath(info.filename.replace("\\", "/"))


def unfold(
    content: bytes,
    path: PurePosixPath,
    learner: str,
    when: datetime | None,
    layout: Layout,
    within: str = "",
    depth: int = 0,
    number: str = "",
    room: _Room | None = None,
) -> Iterator[Item]:
    """A file as one item, or a zip file in a delivery as the files in it."""
    origin = f"{within}: {path}" if within else str(path)
    owner, assignment, name = whose(path, layout)
    owner, number = learner or owner, number or ("" if learner else number_in_name(path, layout))
    exchanged = None if learner else EXCHANGE.match(layout.within(path)[0])
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
        yield from in_zip(content, origin, owner, when, replace(layout, outer=0), depth + 1, number, room)
        return
    yield Item(origin, owner, name, content, "", when, assignment, number)
