"""The course in JupyterLite: learners' copies of the notebooks with a kernel in the reader's own browser.

JupyterLite is made of the files of its packages, without a network. What readers change and solve stays in their
browser.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import zipfile
from importlib import metadata
from pathlib import Path
from typing import Any

from glassroom.site.running import PLACE, Pyodide
from glassroom.workspace.learner_folder import update
from glassroom.workspace.problems import Exit, Problem

FOLDER = "lite"  # in the site
START = f"{FOLDER}/lab/index.html?path=contents.ipynb"
_KERNEL = "@jupyterlite/pyodide-kernel-extension:kernel"
_EXTENSIONS = ("@jupyterlite/pyodide-kernel-extension",)
#: What the kernel needs and Pyodide has not: it would come from the package index.
_NOT_IN_PYODIDE = ("comm",)
#: What is there before the first cell runs; the rest is loaded when a cell imports it.
_PACKAGES = ("numpy", "ssl", "sqlite3")


def write_lite(pages: Path, notebooks: Path, distribution: Pyodide) -> None:
    """Write JupyterLite into a folder of `pages`, with the wheel that they run; raises `Problem` if it is not built."""
    pages = pages.absolute()
    (wheel,) = (pages / "_static").glob("*.whl")
    with tempfile.TemporaryDirectory(prefix="glassroom-lite-") as building:
        contents, settings = Path(building, "contents"), Path(building, "settings")
        update(contents, notebooks)
        settings.mkdir()
        _write(settings / "jupyter_lite_config.json", _building())
        _write(settings / "jupyter-lite.json", _running(wheel, distribution))
        command = [sys.executable, "-m", "jupyterlite_core", "build", "--lite-dir", str(settings)]
        command += ["--contents", str(contents), "--output-dir", str(pages / FOLDER)]
        for package in (wheel, *(_wheel_of(name, settings) for name in _NOT_IN_PYODIDE)):
            command += ["--piplite-wheels", str(package)]
        ran = subprocess.run(command, cwd=settings, capture_output=True, text=True, check=False)
    if ran.returncode:
        said = (ran.stderr.strip() or ran.stdout.strip())[-1500:]
        raise Problem(f"JupyterLite was not built, and nothing was written. {said}", Exit.FAILED)


def _wheel_of(name: str, folder: Path) -> Path:
    """A pure Python package that is installed here as a wheel in `folder`."""
    installed = metadata.distribution(name)
    path = folder / f"{name}-{installed.version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for file in installed.files or ():
            if file.parts[0] != ".." and file.suffix != ".pyc":
                wheel.writestr(file.as_posix(), file.read_binary())
    return path


def _building() -> dict[str, Any]:
    """The builder's settings: no extensions but those named, whatever else is installed here."""
    from jupyter_core.paths import jupyter_path

    folders = [Path(path) for path in jupyter_path("labextensions")]
    extensions = next((folder for folder in folders if all((folder / name).is_dir() for name in _EXTENSIONS)), None)
    if extensions is None:
        raise Problem(
            f"JupyterLab's extension {_EXTENSIONS[0]} is not installed: install jupyterlite-pyodide-kernel again.",
            Exit.REQUIREMENT,
        )
    return {
        "ContentsManager": {"allow_hidden": True},  # by .glassroom a folder is known as a copy of the course
        "LiteBuildConfig": {
            "apps": ["lab"],
            "no_sourcemaps": True,
            "ignore_sys_prefix": ["federated_extensions"],
            "federated_extensions": [str(extensions / name) for name in _EXTENSIONS],
        },
    }


def _running(wheel: Path, distribution: Pyodide) -> dict[str, Any]:
    """The page's settings: where Pyodide is, and what the kernel loads when it starts."""
    address = distribution.address if distribution.folder is None else f"./../{PLACE}/"
    beside_worker = "../../../../pypi/"  # from where the extension's worker is
    kernel = {
        "pyodideUrl": f"{address}pyodide.js",
        "disablePyPIFallback": distribution.folder is not None,  # then nothing is fetched from elsewhere
        "loadPyodideOptions": {"packages": [*_PACKAGES, beside_worker + wheel.name]},
    }
    return {
        "jupyter-lite-schema-version": 0,
        "jupyter-config-data": {"appName": "tensorglass", "litePluginSettings": {_KERNEL: kernel}},
    }


def _write(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content), encoding="utf-8")
