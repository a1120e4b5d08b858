"""Where the course's own notebooks are: beside the code in a checkout, inside the package in a wheel.

The sources hold the solutions and the stored outputs. Learners work on copies (see `learner_folder`).
"""

from collections.abc import Iterator
from pathlib import Path

from glassroom.workspace.problems import Exit, Problem

START_PAGE = Path("1_memory", "00_start_here.ipynb")

_PACKAGE = Path(__file__).resolve().parent.parent
_NEVER_PART_OF_THE_COURSE = {".ipynb_checkpoints", "__pycache__"}


def checkout() -> Path | None:
    """The repository this code runs from, or None when it runs from an installed wheel."""
    root = _PACKAGE.parent.parent
    return root if (root / "pyproject.toml").is_file() and (root / "notebooks").is_dir() else None


def notebooks_folder() -> Path:
    """The folder that holds the course's parts. Raises `Problem` when the course is not there."""
    root = checkout()
    folder = root / "notebooks" if root else _PACKAGE / "notebooks"
    if not folder.is_dir():
        raise Problem(
            f"The course's notebooks are not where they should be ({folder}). The installation is damaged: "
            "install tensorglass again, with `pip install --force-reinstall --no-deps tensorglass`.",
            Exit.REQUIREMENT,
        )
    return folder


def course_files(folder: Path) -> Iterator[Path]:
    """Every file of the course under `folder`, relative to it, in order, without hidden ones and checkpoints."""
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        hidden = any(part.startswith(".") or part in _NEVER_PART_OF_THE_COURSE for part in relative.parts)
        if path.is_file() and not hidden:
            yield relative


def course_notebooks(folder: Path) -> list[Path]:
    """The course's notebooks under `folder`, relative to it, in the order in which they are taught."""
    return [path for path in course_files(folder) if path.suffix == ".ipynb"]
