"""Writing files atomically, with a `Problem` for the person at the keyboard if that fails.

`replace_file` writes a temporary file in the same folder and renames it. A full disk is noticed before the rename,
while the old file is still intact. A process that is killed leaves its temporary file; the next run deletes it.
"""

import contextlib
import hashlib
import os
import re
from collections.abc import Mapping
from pathlib import Path

from glassroom.replace_file import replace_file, temporary_beside, unlink_if_there
from glassroom.workspace.problems import Problem

_TEMPORARY = re.compile(r"\.glassroom-[0-9a-f]{16}\.part")

ANYTHING = object()  # the default of `instead_of`: any content may be replaced
_OTHER_RUNS = 20  # runs that may begin while we write one file


def digest(content: bytes) -> str:
    """The SHA-256 of some bytes, in hexadecimal: what the manifest remembers of a file."""
    return hashlib.sha256(content).hexdigest()


class ChangedMeanwhile(Exception):
    """Another program has written the file since its content was read."""


def content_of(path: Path) -> bytes | None:
    """The content of a file; None if there is no readable file."""
    try:
        return path.read_bytes()
    except OSError:
        return None


def write_atomically(path: Path, content: bytes, instead_of: object = ANYTHING) -> None:
    """Write `content` to `path`, or leave it as it was and raise a `Problem` that says why. Missing folders are made.
    The permissions of an existing file are kept. If `instead_of` is given, `ChangedMeanwhile` is raised unless
    `content_of` finds exactly that just before the rename.
    """
    try:
        for _ in range(_OTHER_RUNS):
            with contextlib.suppress(FileNotFoundError):  # a run that has just begun took our file for a leftover
                return _replace(path, content, instead_of)
        _replace(path, content, instead_of)
    except OSError as error:
        reason = error.strerror or str(error)
        raise Problem(f"{path} cannot be written: {reason}. What was there before is untouched.") from error


def write_together(files: Mapping[Path, bytes]) -> None:
    """Write several files that make no sense without each other, or none of them and raise a `Problem` that says why.
    Missing folders are made.
    """
    with contextlib.ExitStack() as leftovers:
        staged = {}
        for path, content in files.items():
            staged[path] = temporary_beside(path)
            leftovers.callback(unlink_if_there, staged[path])
            write_atomically(staged[path], content)
        for path, aside in staged.items():
            try:
                if path.exists():
                    aside.chmod(path.stat().st_mode & 0o777)
                os.replace(aside, path)
            except OSError as error:
                reason = error.strerror or error
                raise Problem(f"{path} cannot be written: {reason}. What was there before is untouched.") from error


def clear_leftovers(folder: Path) -> None:
    """Delete the temporary files that a killed process left in `folder`, as far as we may."""
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            if _TEMPORARY.fullmatch(name):
                os.unlink(folder / name)


def _replace(path: Path, content: bytes, instead_of: object) -> None:
    def last_check() -> None:
        if instead_of is not ANYTHING and content_of(path) != instead_of:
            raise ChangedMeanwhile(path)

    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, content, last_check)
