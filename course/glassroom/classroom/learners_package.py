"""The course as a wheel for learners: notebooks and hints have no solutions.

Notebooks in it are learners' copies, and the last hint of each exercise is left out. Checks stay as they are, since
they must judge while a learner works: whoever reads their code can see what they require, and some of them compute the
answer.
"""

from __future__ import annotations

import ast
import atexit
import py_compile
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path, PurePosixPath

import glassroom.exercises
from glassroom.exercises.engine import RUNGS, exercises
from glassroom.workspace.own_wheel import write_wheel
from glassroom.workspace.problems import Problem

LABEL = "learners"  # appended to the version, so that pip distinguishes this package from the whole course


def write_package(folder: Path, notebooks: Path) -> Path:
    """Write the wheel into `folder`, which is made if it is missing; returns its path. Raises `Problem` if the course
    is not installed, or one of its notebooks is damaged.
    """
    return write_wheel(folder, notebooks, LABEL, _without_answers)


def _without_answers(place: PurePosixPath, content: bytes) -> bytes:
    """The content of a module, by its name in the wheel."""
    if place.parts[:2] != ("glassroom", "exercises") or not place.name.startswith("nb"):
        return content
    return stripped(str(place), content)


def stripped(name: str, content: bytes) -> bytes:
    """The file of exercises of that name, as learners get it. Raises `Problem`, naming the file and the line."""
    try:
        return without_answers_in_hints(content.decode()).encode()
    except Problem as problem:
        raise Problem(f"{name}, {problem}") from problem


def without_answers(ids: Iterable[str]) -> tuple[tuple[Path, Path], ...]:
    """The files of the course that have answers to these exercises, and the bytecode of these files; each with a file
    that has none and is otherwise the same.
    """
    known, course = exercises(), Path(glassroom.exercises.__file__).parent
    paths = {Path(known[id].examine.__code__.co_filename) for id in ids if id in known}
    return tuple(pair for path in sorted(paths) if path.is_relative_to(course) for pair in _without_answers_here(path))


@cache
def _without_answers_here(path: Path) -> list[tuple[Path, Path]]:
    stripped_file = _folder() / path.parent.name / path.name
    stripped_file.parent.mkdir(exist_ok=True)
    stripped_file.write_bytes(stripped(str(path), path.read_bytes()))
    _let_others_read(stripped_file.parent, stripped_file)
    compiled = {cached: Path("/dev/null") for cached in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc")}
    ours = Path(cache_from_source(str(path)))
    if ours in compiled:
        compiled[ours] = stripped_file.with_suffix(".pyc")
        py_compile.compile(str(stripped_file), str(compiled[ours]), str(path), doraise=True)
        _let_others_read(compiled[ours])
    return [(path, stripped_file), *compiled.items()]


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="glassroom-without-"))
    _let_others_read(folder)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _let_others_read(*paths: Path) -> None:
    """Whatever the umask is: a sandbox may have a user of its own."""
    for path in paths:
        path.chmod(0o755 if path.is_dir() else 0o644)


def without_answers_in_hints(code: str) -> str:
    """A module of exercises with each last hint and each `setup` emptied. A setup, and any text that only setups use,
    contains answers to earlier exercises, and only tests read it. Raises `Problem` for an exercise whose hints are not
    literal, since an answer might remain.
    """
    tree = ast.parse(code)
    emptied: list[ast.expr] = []
    setups: list[ast.expr] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "exercise":
            named = {keyword.arg: keyword.value for keyword in node.keywords}
            ladder = named.get("hints")
            if not isinstance(ladder, ast.List) or len(ladder.elts) != len(RUNGS):
                raise Problem(f"line {node.lineno}: the hints of an exercise are not a list of {len(RUNGS)} texts")
            emptied.append(ladder.elts[-1])
            setups += [named["setup"]] if "setup" in named else []
    emptied += setups + _made_for(setups, tree)
    rows = [row.encode() for row in code.split("\n")]  # ast counts columns in bytes
    for statement in sorted(emptied, key=lambda node: (node.lineno, node.col_offset), reverse=True):
        assert statement.end_lineno is not None
        assert statement.end_col_offset is not None
        first, last = statement.lineno - 1, statement.end_lineno - 1
        rows[first : last + 1] = [rows[first][: statement.col_offset] + b'""' + rows[last][statement.end_col_offset :]]
    return b"\n".join(rows).decode()


def _made_for(setups: list[ast.expr], tree: ast.Module) -> list[ast.expr]:
    """The assigned values of those module names that only these setups use."""

    def used(within: ast.AST) -> Counter[str]:
        nodes = ast.walk(within)
        return Counter(node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))

    here: Counter[str] = Counter()
    for setup in setups:
        here += used(setup)
    everywhere = used(tree)
    return [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        if 0 < here[node.targets[0].id] == everywhere[node.targets[0].id]
    ]
