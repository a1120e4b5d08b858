"""A class's own files in the working folder of a sandboxed program: exercises are declared, data can be read."""

from __future__ import annotations

import base64
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from glassroom.exercises import own
from glassroom.exercises.engine import declare_own

_folders: list[str] = []


def place(files: Mapping[str, str]) -> None:
    """Write these files (base64, by their paths) into this process's working folder, and declare exercises."""
    if os.getcwd() == "/":  # without isolation, where no folder is this process's own
        _folders.append(tempfile.mkdtemp(prefix="glassroom-own-"))
        os.chdir(_folders[0])
    for name, content in files.items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(content))
    declare_own(own.files_in(Path(own.FOLDER)))


def remove() -> None:
    """Remove the folder that `place` made, if it made one."""
    for folder in _folders:
        shutil.rmtree(folder, ignore_errors=True)
