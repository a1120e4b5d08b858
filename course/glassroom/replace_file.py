"""`replace_file`: a reader of the file sees the old bytes or the new ones, never a mixture."""

import contextlib
import os
import secrets
from collections.abc import Callable
from pathlib import Path


def temporary_beside(path: Path) -> Path:
    """A free name in the folder of `path`, by which `workspace.whole_files.clear_leftovers` knows what to delete."""
    return path.with_name(f".glassroom-{secrets.token_hex(8)}.part")


def replace_file(path: Path, content: bytes, last_check: Callable[[], None] | None = None) -> None:
    """Write `content` to a temporary file, flush it to the disk and rename it to `path`, with the permissions of the
    file that was there. `last_check` is called just before the rename. No temporary file is left, whatever is raised.
    """
    temporary = temporary_beside(path)
    try:
        with open(temporary, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            temporary.chmod(path.stat().st_mode & 0o777)
        if last_check is not None:
            last_check()
        os.replace(temporary, path)
    finally:
        unlink_if_there(temporary)


def unlink_if_there(path: Path) -> None:
    """Delete a file, as far as we may."""
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)
