"""`my_tensor.py`, the file: its parts, who wrote each function, and whether somebody has edited them since.

    # %% strides, from 1·11 A strided tensor in 60 lines [as written: 0f3a9c1b]

begins a part. What stands in the brackets is a digest of the part, so a part that was edited is told from one that was
not. A line above each answer says whose it is.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from glassroom.translations.templates import as_is
from glassroom.workspace.whole_files import write_atomically

NAME = "my_tensor.py"
PREAMBLE = '''"""A small tensor library that I wrote: strides, an engine, and a network that
reads digits.

The notebooks of the course put it together from the answers in them. Open it,
use it, change it: a part that is changed here stays as it is, and the notebooks
say so.
"""
'''
YOURS = "yours"
COURSES = as_is("the course's own, until a check accepts yours")
OPEN = as_is("still to be written")
GIVEN = "# given"
_HEADING = re.compile(r"^# %% (\w+), from (.*) \[as written: ([0-9a-f]{8})\]$", re.MULTILINE)
_OWNER = re.compile(rf"^# (\w+): ({YOURS}|{re.escape(COURSES)}|{OPEN})$", re.MULTILINE)


@dataclass(frozen=True)
class Part:
    """One part of the file: the lines below its heading."""

    origin: str  #: the notebook that it comes from
    code: str
    digest: str = ""  #: of the code as it was written; that of the code itself if nothing else is said

    @property
    def was_edited(self) -> bool:
        return self.digest not in ("", _digest(self.code))

    @property
    def is_open(self) -> bool:
        """Whether a function is missing that the course, too, does not have in this copy."""
        return any(owner == OPEN for _, owner in _OWNER.findall(self.code))

    def functions(self) -> dict[str, str]:
        """The code of each answer that is the learner's, by its name."""
        answers = self.code.partition(f"\n{GIVEN}")[0]
        pieces = _OWNER.split(answers)[1:]
        owned = zip(pieces[::3], pieces[1::3], pieces[2::3], strict=True)
        return {name: code.strip("\n") for name, owner, code in owned if owner == YOURS}


def read(place: Path) -> tuple[str, dict[str, Part]]:
    """What stands above the first part, and the parts by their names; nothing where there is no file.

    Raises OSError, or ValueError, for what cannot be read.
    """
    try:
        text = place.read_text(encoding="utf-8")
    except FileNotFoundError:
        return PREAMBLE, {}
    above, *pieces = _HEADING.split(text)
    parts = {}
    for name, origin, digest, code in zip(pieces[::4], pieces[1::4], pieces[2::4], pieces[3::4], strict=True):
        parts[name] = Part(origin, code.strip("\n"), digest)
    return above.rstrip("\n") + "\n", parts


def text_of(above: str, parts: dict[str, Part]) -> str:
    """The file of these parts, in their order."""
    pieces = [above]
    for name, part in parts.items():
        heading = as_is(f"# %% {name}, from {part.origin} [as written: {part.digest or _digest(part.code)}]")
        pieces.append(f"\n\n{heading}\n\n{part.code}\n")
    return "".join(pieces)


def write(place: Path, text: str, instead_of: bytes | None) -> None:
    """Write the file unless it holds this text already.

    Raises `Problem` where it cannot be written, and `ChangedMeanwhile` where it no longer is what it was, `instead_of`.
    """
    if text.encode() != instead_of:
        write_atomically(place, text.encode(), instead_of)


def _digest(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()[:8]
