"""The two packages and the notebooks as one wheel, made from the files that are installed here, without a build
tool."""

from __future__ import annotations

import base64
import hashlib
import io
import re
import zipfile
from collections.abc import Callable, Iterator
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path, PurePosixPath

from glassroom.workspace.notebook_json import DamagedNotebook, parse, serialise
from glassroom.workspace.problems import Exit, Problem
from glassroom.workspace.sources import course_files
from glassroom.workspace.whole_files import write_atomically
from glassroom.workspace.without_solutions import learner_copy

_DATE = (2020, 1, 1, 0, 0, 0)  # of every file, so that the same course makes the same wheel
_LEFT_OUT = {"__pycache__", ".ipynb_checkpoints"}


def write_wheel(
    folder: Path, notebooks: Path, label: str = "", changed: Callable[[PurePosixPath, bytes], bytes] | None = None
) -> Path:
    """Write the wheel into `folder`, which is made if it is missing; returns its path. Notebooks in it are learners'
    copies. `label` is appended to the version; `changed` gets a module's name in the wheel and its content, and may
    return other content. Raises `Problem` if the course is not installed, or a notebook is damaged.
    """
    try:
        about = metadata.distribution("tensorglass")
    except metadata.PackageNotFoundError as error:
        raise Problem(
            "tensorglass is not installed here, so its package cannot be made: pip install tensorglass",
            Exit.REQUIREMENT,
        ) from error
    version = about.version.partition("+")[0] + (f"+{label}" if label else "")
    info = f"tensorglass-{version}.dist-info"
    path = folder / f"tensorglass-{version}-py3-none-any.whl"
    record: list[str] = []
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as wheel:

        def put(name: str, content: bytes) -> None:
            wheel.writestr(zipfile.ZipInfo(name, _DATE), content, zipfile.ZIP_DEFLATED)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(content)}\n")

        for name, content in (*_modules(changed), *_notebooks(notebooks), *_about(about, info, version)):
            put(name, content)
        wheel.writestr(zipfile.ZipInfo(f"{info}/RECORD", _DATE), f"{''.join(record)}{info}/RECORD,,\n")
    write_atomically(path, packed.getvalue())
    return path


def _modules(changed: Callable[[PurePosixPath, bytes], bytes] | None) -> Iterator[tuple[str, bytes]]:
    """Every file of the two packages except notebooks, by its name in the wheel."""
    for package in ("tensorglass", "glassroom"):
        spec = find_spec(package)
        assert spec is not None
        assert spec.origin is not None
        folder = Path(spec.origin).parent
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            place = PurePosixPath(package, *path.relative_to(folder).parts)
            if path.suffix == ".pyc" or _LEFT_OUT & set(place.parts) or place.parts[1] == "notebooks":
                continue
            content = path.read_bytes()
            yield str(place), changed(place, content) if changed else content


def _notebooks(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in course_files(folder):
        content = (folder / path).read_bytes()
        if path.suffix == ".ipynb":
            try:
                content = serialise(learner_copy(parse(content)))
            except (DamagedNotebook, ValueError) as error:
                raise Problem(f"{folder / path} is damaged: {error}.") from error
        yield f"glassroom/notebooks/{path.as_posix()}", content


def _about(about: metadata.Distribution, info: str, version: str) -> Iterator[tuple[str, bytes]]:
    """What pip reads: name and requirements, which programs there are, and the license."""
    stated = re.sub(r"^Version: .*$", f"Version: {version}", about.read_text("METADATA") or "", count=1, flags=re.M)
    yield f"{info}/METADATA", stated.encode()
    yield f"{info}/WHEEL", b"Wheel-Version: 1.0\nGenerator: glassroom\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    yield f"{info}/entry_points.txt", (about.read_text("entry_points.txt") or "").encode()
    for file in about.files or ():
        if "licenses" in file.parts:
            yield f"{info}/licenses/{file.name}", file.read_binary()
