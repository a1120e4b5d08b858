"""The file of a memory log: one line of JSON when a run begins, and one for each look.

The file is opened and closed for each line, so what was written stays whatever happens to the program.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FORMAT = 1
LONGEST = 200  # characters that are kept of a line of code or a name


class JsonLines:
    """The file at `path`: `mode` "w" overwrites it, "a" appends a run to it. Raises what opening a file raises."""

    def __init__(self, path: str | Path, mode: str, every: int) -> None:
        self.path = Path(path)
        earlier = self.path.read_text(encoding="utf-8") if mode == "a" and self.path.exists() else ""
        self.run = 1 + sum('"memory_log"' in line[:16] for line in earlier.splitlines())
        self._is_on = True
        with self.path.open(mode, encoding="utf-8") as file:
            file.write("\n" if earlier and not earlier.endswith("\n") else "")  # a run was killed midway
            file.write(_line({"memory_log": FORMAT, "run": self.run, "every": every}))

    def write(self, data: Mapping[str, Any]) -> None:
        """Write a line. If that fails, one warning is given and the program continues."""
        if not self._is_on:
            return
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(_line({"run": self.run, **data}))
        except OSError as error:
            self._is_on = False
            warnings.warn(f"memory_log no longer writes to {self.path}: {error}", stacklevel=2)


def _line(data: Mapping[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False) + "\n"
