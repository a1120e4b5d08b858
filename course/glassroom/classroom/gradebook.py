"""nbgrader's gradebook: a database in the class's folder, which nbgrader's own commands read and write as well."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from glassroom.workspace.problems import Exit, Problem

GRADEBOOK = "gradebook.db"


@contextlib.contextmanager
def opened(folder: Path) -> Iterator[Any]:
    """A class's gradebook, which is made if there is none. Raises `Problem` where the database cannot be written or
    read, as on a full disk, and `ImportError` without nbgrader."""
    from nbgrader.api import Gradebook
    from sqlalchemy.exc import DBAPIError

    path = folder.resolve() / GRADEBOOK
    try:
        _begin(path)
        with Gradebook(f"sqlite:///{path}") as book:
            yield book
    except (sqlite3.Error, DBAPIError) as error:
        why = error.orig if isinstance(error, DBAPIError) else error
        raise Problem(f"{folder / GRADEBOOK}: {why}", Exit.OUTSIDE) from error


def delete_student(folder: Path, person: str) -> None:
    """Delete a student with all marks, also from the bytes of the file, where SQLite leaves what it deletes."""
    from sqlalchemy import text

    with opened(folder) as book:
        book.db.execute(text("VACUUM"))  # what was deleted or changed before; it needs room, so it comes first
        book.db.execute(text("PRAGMA secure_delete = ON"))
        book.remove_student(person)


def _begin(path: Path) -> None:
    """Note the version of nbgrader's tables in a new gradebook. nbgrader itself would start a program to learn it,
    which takes seconds."""
    from alembic.script import ScriptDirectory
    from nbgrader.dbutil import ALEMBIC_DIR

    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as book:
        if book.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,):
            version = ScriptDirectory(ALEMBIC_DIR).get_current_head()
            book.execute("BEGIN")
            book.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")
            book.execute("INSERT INTO alembic_version VALUES (?)", (version,))
            book.execute("COMMIT")
