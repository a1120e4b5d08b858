"""An attack: zip files and folders that nobody's LMS would write, given to `collect`.

Each round makes a delivery of four honest learners and several entries that are drawn: names that lead out of the
folder, links, devices, archives in archives and damaged ones, names of others, names that no disk takes. The honest
learners' own work is collected, nothing is written outside of the class, and oddities are reported without a traceback.
"""

from __future__ import annotations

import io
import random
import stat
import struct
import tempfile
import traceback
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

from classes import FILE, make_class, teachers_notebook

from glassroom.classroom.collecting import collect
from glassroom.classroom.course_file import read_course
from glassroom.workspace.notebook_json import Notebook, serialise
from glassroom.workspace.problems import Problem

HONEST = ("Ada Lovelace", "Bob Ross", "Grace Hopper", "Zoe Zett")
PLACES = (
    "{}_9_assignsubmission_file/{}",
    "../{}_9_assignsubmission_file/{}",
    "/tmp/{}_9_assignsubmission_file/{}",
    "{}_9_assignsubmission_file/../../{}",
    "{}_9_assignsubmission_file\\..\\..\\{}",
    "{}_9_assignsubmission_file/a/b/c/d/e/f/g/{}",
    "C:\\{}_9_assignsubmission_file\\{}",
    "././/{}_9_assignsubmission_file/./{}",
    "{}_9_assignsubmission_file/Ada Lovelace_1_assignsubmission_file/{}",
    "{}_9_assignsubmission_file/submitted/Ada Lovelace/memory-02/{}",
    "__MACOSX/{}_9_assignsubmission_file/._{}",
)
PEOPLE = (
    "Eve", "..", ".", "", " ", "Ada Lovelace ", "ADA LOVELACE", "Ada Lovelace\u0301", "\u202eecalevoL adA", "x" * 300,
    "a\0b", "a\nb", "course.toml", "submitted", "con", "-rf", "~root", "$HOME", "?",
    "<img src=x onerror=alert(1)>", "=cmd|' /C calc'!A0", "Ada Lovelace_1", "_1_assignsubmission_file", "\u6f22" * 90,
)  # fmt: skip
WITHIN = (
    "02_views_share_a_storage.ipynb",
    "work.zip",
    "work.ipynb.zip",
    "02.IPYNB",
    "a" * 260 + ".ipynb",
    "..",
    "x.tar.gz",
    "",
)


def run(amount: int, seed: int) -> dict[str, Any]:
    """Collect `amount` deliveries. Returns how many entries of each kind there were, and what went wrong."""
    drawn, tried, broken = random.Random(seed), Counter[str](), list[str]()
    with tempfile.TemporaryDirectory() as place:
        first = make_class(Path(place, "class"))
        notebook = teachers_notebook(first)
        settings = (first / "course.toml").read_text()
        for number in range(amount):
            room = Path(place, f"{number}", "deep", "room")
            folder = room / "class"
            folder.mkdir(parents=True)
            (folder / "course.toml").write_text(settings)
            kinds = [drawn.choice(list(CONTENTS)) for _ in range(drawn.choice((1, 2, 5)))]
            delivery = _delivery(room / "inbox.zip", kinds, notebook, drawn)
            faults = _round(room, delivery, notebook)
            broken += [f"{', '.join(kinds)}, round {number}: {fault}" for fault in faults]
            tried.update(kinds)
    return {"tried": amount, "kinds": dict(tried), "broken": broken}


def _round(room: Path, delivery: Path, notebook: Notebook) -> list[str]:
    outside = _outside(room)
    course = read_course(room / "class")
    try:
        collect(course, delivery, assignment="memory-02")
    except Problem as problem:
        return [f"refused as a whole: {problem}"]
    except Exception:
        return [traceback.format_exc()]
    faults = []
    for number, name in enumerate(HONEST, 1):
        places = [room / "class" / "submitted" / learner / "memory-02" / FILE for learner in (name, f"{name} {number}")]
        if [path.read_bytes() for path in places if path.is_file()] != [_work(name, notebook)]:
            faults.append(f"{name} is not taken in with their own work, or not as one person")
    faults += [f"{file} is written" for file in _outside(room) - outside]
    for path in (room / "class").rglob("*"):
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            faults.append(f"{path} is no file")
    if (held := sum(path.stat().st_size for path in room.rglob("*") if path.is_file())) > 300 * 2**20:
        faults.append(f"{held} bytes are written")
    return faults


def _outside(room: Path) -> set[Path]:
    beside = {path for path in room.parent.parent.rglob("*") if not path.is_relative_to(room / "class")}
    return beside | set(Path("/tmp").glob("*_assignsubmission_file*"))


def _work(name: str, notebook: Notebook) -> bytes:
    return serialise({**notebook, "metadata": {**notebook["metadata"], "by": name}})


def _zipped(entries: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    archived = io.BytesIO()
    with zipfile.ZipFile(archived, "w", method) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return archived.getvalue()


def _damaged(content: bytes, drawn: random.Random) -> bytes:
    bytes_ = bytearray(content)
    for _ in range(drawn.choice((1, 10, 200))):
        bytes_[drawn.randrange(len(bytes_))] = drawn.randrange(256)
    return bytes(bytes_[: drawn.choice((len(bytes_), len(bytes_) // 2))])


CONTENTS: dict[str, Any] = {
    "a notebook": lambda work, drawn: work,
    "nothing": lambda work, drawn: b"",
    "half a notebook": lambda work, drawn: work[: len(work) // 2],
    "a damaged notebook": _damaged,
    "brackets": lambda work, drawn: b'{"cells":' + b"[" * 10**5,
    "an archive": lambda work, drawn: _zipped({FILE: work}),
    "an archive that leads out": lambda work, drawn: _zipped({f"../../{FILE}": work, f"/tmp/{FILE}": work}),
    "a damaged archive": lambda work, drawn: _damaged(
        _zipped({FILE: work}, drawn.choice((zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))), drawn
    ),
    "archives in archives": lambda work, drawn: _zipped({"a.zip": _zipped({"b.zip": _zipped({FILE: work})})}),
    "a bomb": lambda work, drawn: _zipped({FILE: bytes(2**24), "x.ipynb": bytes(2**26)}),
    "many files": lambda work, drawn: _zipped({f"{number}.ipynb": b"{}" for number in range(3000)}, zipfile.ZIP_STORED),
    "a length that lies": lambda work, drawn: _zipped({FILE: work}).replace(
        struct.pack("<I", len(work)), struct.pack("<I", 2**31 - 1)
    ),
    "a link": None,
    "a device": None,
    "a pipe": None,
    "a folder": None,
}
MODES = {"a link": stat.S_IFLNK | 0o777, "a device": stat.S_IFCHR | 0o666, "a pipe": stat.S_IFIFO | 0o666}


def _delivery(path: Path, kinds: list[str], notebook: Notebook, drawn: random.Random) -> Path:
    entries = [
        (f"{name}_{number}_assignsubmission_file/{FILE}", _work(name, notebook), 0)
        for number, name in enumerate(HONEST, 1)
    ]
    for kind in kinds:
        name = drawn.choice(PLACES).format(drawn.choice(PEOPLE), drawn.choice(WITHIN))
        make = CONTENTS[kind]
        content = make(_work("Eve", notebook), drawn) if make else b"/etc/passwd" if kind == "a link" else b""
        if kind == "a folder":
            name = f"{name.rstrip('/')}/"
        entries.append((name, content, MODES.get(kind, 0)))
    drawn.shuffle(entries)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content, mode in entries:
            about = zipfile.ZipInfo(name or "x")
            about.external_attr, about.compress_type = mode << 16, zipfile.ZIP_DEFLATED
            archive.writestr(about, content)
    return path
