"""The parts of a class's folder that only the teacher's account may read: marks, work, pages, databases, solutions,
hidden tests. `release/`, which learners get, has the system's default permissions.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

FOLDERS = (
    *("source", "submitted", "collected", "marks", "pages", "notebooks", "exercises"),
    *("autograded", "feedback"),  # nbgrader's
)
FILES = ("course.toml", "learners.txt", "manual.csv", "marks.csv", "class.html", "course.html", "nbgrader_config.py")
_DATABASE = "gradebook.db*"  # with what SQLite writes beside it, and copies of it


def keep_private(folder: Path) -> list[str]:
    """Make the private parts of a class's folder unreadable for others; returns what was changed, with counts of files
    for folders. Files of other accounts are left as they are.
    """
    if os.name != "posix" or not (folder / "course.toml").is_file():
        return []
    changed: Counter[str] = Counter()
    for path in _private(folder):
        with contextlib.suppress(OSError):
            mode = path.lstat().st_mode
            if mode & 0o077 and (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                path.chmod(stat.S_IMODE(mode) & 0o700)
                changed[path.relative_to(folder).parts[0]] += 1
    return [
        name if (folder / name).is_file() else f"{name}/" if number == 1 else f"{number} files and folders of {name}/"
        for name, number in changed.items()
    ]


def _private(folder: Path) -> Iterator[Path]:
    for name in FILES:
        yield folder / name
    yield from folder.glob(_DATABASE)
    for name in FOLDERS:
        if (folder / name).is_symlink():
            continue
        yield folder / name
        for place, folders, files in os.walk(folder / name):
            yield from (Path(place, name) for name in (*folders, *files))
