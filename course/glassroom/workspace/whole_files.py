"""Writing files so that nothing is lost: a reader sees the old bytes or the new ones, never half of either.

The new content goes to a temporary file in the same folder, is flushed to the disk, and only then takes the
place of the old one in a single rename. A full disk is found out before the rename, while the old file is
still whole. A process that is killed leaves its temporary file; the next run clears it away.
"""

import contextlib
import hashlib
import os
import re
import secrets
from pathlib import Path

from glassroom.workspace.problems import Problem

_TEMPORARY = re.compile(r"\.glassroom-[0-9a-f]{16}\.part")

_OTHER_RUNS = 20  # how many may begin while we write one file


def digest(content: bytes) -> str:
    """The SHA-256 of some bytes, in hexadecimal: what the manifest remembers of a file."""
    return hashlib.sha256(content).hexdigest()


def write_atomically(path: Path, content: bytes) -> None:
    """Make `path` hold `content`, or leave it as it was and raise a `Problem` that says why.

    Folders on the way are made when they are missing. The permissions of an existing file are kept.
    """
    try:
        for _ in range(_OTHER_RUNS):
            with contextlib.suppress(FileNotFoundError):  # a run that began just now took our file for a leftover
                return _replace(path, content)
        _replace(path, content)
    except OSError as error:
        reason = error.strerror or str(error)
        raise Problem(f"{path} cannot be written: {reason}. What was there before is untouched.") from error


def clear_leftovers(folder: Path) -> None:
    """Delete the temporary files that a killed process left in `folder`, as far as we may."""
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            if _TEMPORARY.fullmatch(name):
                os.unlink(folder / name)


def _replace(path: Path, content: bytes) -> None:
    """Put a new file with `content` in the place of `path`. Nothing else is left, whatever is raised."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".glassroom-{secrets.token_hex(8)}.part")
    try:
        with open(temporary, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            temporary.chmod(path.stat().st_mode & 0o777)
        os.replace(temporary, path)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
