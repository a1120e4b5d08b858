"""What pages need to run their code in the reader's browser: scripts, the wheel of this project, and Pyodide.

Pyodide is loaded from another host when the reader asks for it, or is part of the site.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from glassroom.translations import language
from glassroom.translations.scripts import in_the_language
from glassroom.translations.templates import as_is
from glassroom.workspace.own_wheel import write_wheel
from glassroom.workspace.problems import Exit, Problem

# The address from which Pyodide's documentation tells pages to load it; the version in which our test layer `wasm`
# runs.
PUBLIC = "https://cdn.jsdelivr.net/pyodide/v0.27.7/full/"
PLACE = "pyodide"  # in a site that hosts it
SETTINGS = "run-settings.js"
_CORE = ("pyodide.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
_NEEDED = ("numpy", "ipython")
_SCRIPTS = Path(__file__).parent / "static"
#: What a reader's browser downloads before the first line runs, without our wheel, as measured with 0.27.7.
_MEGABYTES = 22


@dataclass(frozen=True)
class Pyodide:
    """A distribution of Pyodide: its address, or the folder that is copied into the site, with the files in it."""

    address: str
    folder: Path | None = None
    files: tuple[str, ...] = ()

    def copy(self, pages: Path) -> None:
        """Copy it into the site, if it should be part of it."""
        if self.folder is None:
            return
        target = pages / PLACE
        target.mkdir()
        for name in self.files:
            shutil.copyfile(self.folder / name, target / name)


def pyodide(asked: str | None) -> Pyodide:
    """The distribution at an address or in a folder; the public one for None. Raises `Problem` for anything else, and
    for a folder that lacks files that every page needs.
    """
    if asked is None:
        return Pyodide(PUBLIC)
    if "://" in asked:
        if not asked.startswith(("https://", "http://")):
            raise Problem(f"{asked} is no address of Pyodide: it begins with https:// or http://.", Exit.USAGE)
        return Pyodide(asked.rstrip("/") + "/")
    folder = Path(asked)
    if not folder.is_dir():
        raise Problem(f"There is no folder {folder}, which --pyodide names. Nothing was written.", Exit.OUTSIDE)
    return Pyodide(f"../{PLACE}/", folder, _files(folder))


def _files(folder: Path) -> tuple[str, ...]:
    """The files of a distribution that is unpacked in a folder; raises `Problem` if it is none."""
    missing = [name for name in _CORE if not (folder / name).is_file()]
    if missing:
        raise _no_distribution(folder, f"it lacks {', '.join(missing)}")
    try:
        packages = json.loads((folder / "pyodide-lock.json").read_text("utf-8"))["packages"]
        names = {
            _normalized(name): (str(package["file_name"]), tuple(_normalized(other) for other in package["depends"]))
            for name, package in packages.items()
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _no_distribution(folder, "its pyodide-lock.json cannot be read") from error
    wanted, needed = list(_NEEDED), set[str]()
    while wanted:
        name = wanted.pop()
        if name not in needed:
            needed.add(name)
            wanted += names.get(name, ("", ()))[1]
    lacking = sorted(name for name in needed if name not in names or not (folder / names[name][0]).is_file())
    if lacking:
        raise _no_distribution(folder, f"it lacks the packages {', '.join(lacking)}; the full distribution has them")
    core = {path.name for path in folder.glob("pyodide.*") if path.is_file()} | set(_CORE)
    return tuple(sorted(core | {file for file, _ in names.values() if (folder / file).is_file()}))


def _normalized(name: str) -> str:
    """A package's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _no_distribution(folder: Path, why: str) -> Problem:
    return Problem(f"{folder} is no distribution of Pyodide: {why}. Nothing was written.", Exit.OUTSIDE)


def write_scripts(static: Path, notebooks: Path, distribution: Pyodide, lite: bool) -> None:
    """Write the scripts, in the language of this process, the wheel, and the address of Pyodide into a site's files.

    With `lite`, pages of notebooks lead to the same notebook in JupyterLite.
    """
    wheel = write_wheel(static, notebooks)
    for script in _SCRIPTS.glob("run*.js"):
        (static / script.name).write_text(in_the_language(script), encoding="utf-8")
    settings = {
        "pyodide": distribution.address,
        "wheel": f"{wheel.name}?{hashlib.sha256(wheel.read_bytes()).hexdigest()[:12]}",
        "language": language.speaking(),
        "lite": lite,
        "megabytes": _MEGABYTES + round(wheel.stat().st_size / 1e6),
    }
    (static / SETTINGS).write_text(as_is(f"export default {json.dumps(settings)};\n"), encoding="utf-8")


def share(static: Path, distribution: Pyodide) -> None:
    """Let pages that were built with the public distribution, one folder deeper in the site, use this one."""
    address = distribution.address if distribution.folder is None else f"../{distribution.address}"
    settings = static / SETTINGS
    settings.write_text(settings.read_text("utf-8").replace(PUBLIC, address), encoding="utf-8")
