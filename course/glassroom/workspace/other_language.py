"""The course's notebooks in another language, made from the English ones and catalogues of translations."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from glassroom.translations import catalogue, notebooks
from glassroom.translations.language import ENGLISH, REMEMBERED, known, languages
from glassroom.workspace.contents import PAGE, write_contents
from glassroom.workspace.notebook_json import DamagedNotebook, parse, serialise
from glassroom.workspace.sources import course_files
from glassroom.workspace.whole_files import write_atomically


@contextmanager
def course_in(language: str, sources: Path) -> Iterator[Path]:
    """A context with a folder that has the course in this language: `sources` itself for English. Its contents page is
    in the language of the process.
    """
    if language == ENGLISH:
        yield sources
        return
    with TemporaryDirectory(prefix="glassroom-") as folder:
        write_translated(sources, Path(folder), languages()[language].folder)
        yield Path(folder)


def write_translated(sources: Path, folder: Path, catalogues: Path) -> None:
    """Write the course into a folder, its notebooks translated by these catalogues.

    Damaged files are copied as they are.
    """
    for path in course_files(sources):
        content = (sources / path).read_bytes()
        messages = catalogues / path.with_suffix(".po")
        if path.suffix == ".ipynb" and path.as_posix() != PAGE.as_posix() and messages.is_file():
            with suppress(DamagedNotebook):
                content = serialise(notebooks.translated(parse(content), catalogue.read(messages)))
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    write_contents(folder)


def remembered(folder: Path) -> str | None:
    """The language that a working copy was made in: English if it records none; None if there is no working copy."""
    try:
        return known((folder / REMEMBERED).read_text("utf-8").strip())
    except (OSError, UnicodeDecodeError):
        return ENGLISH if (folder / REMEMBERED).parent.is_dir() else None


def remember(folder: Path, language: str) -> None:
    """Record the language of a working copy, for the kernels of its notebooks and the next update."""
    with suppress(OSError):
        if not (folder / REMEMBERED).is_file() or language != remembered(folder):
            write_atomically(folder / REMEMBERED, f"{language}\n".encode())
