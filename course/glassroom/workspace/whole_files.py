"""Writing files so that nothing is lost: a reader sees the old bytes or the new ones, never half of either.

The new content goes to a temporary file in the same folder, is flushed to the disk, and only then takes the
place of the old one in a single rename. A full disk is found out before the rename, while the old file is
still whole.
"""

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path

from glassroom.workspace.problems import Problem


def digest(content: bytes) -> str:
    """The SHA-256 of some bytes, in hexadecimal: what the manifest remembers of a file."""
    return hashlib.sha256(content).hexdigest()


def write_atomically(path: Path, content: bytes) -> None:
    """Make `path` hold `content`, or leave it as it was and raise a `Problem` that says why.

    Folders on the way are made when they are missing. The permissions of an existing file are kept.
    """
    temporary: str | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask())
        os.replace(temporary, path)
    except OSError as error:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        reason = error.strerror or str(error)
        raise Problem(f"{path} cannot be written: {reason}. What was there before is untouched.") from error


def _umask() -> int:
    """The process's umask. It can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
