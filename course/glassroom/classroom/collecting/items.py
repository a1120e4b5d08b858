"""One delivered file."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Item:
    """A delivered file: its learner and time if known, its name, and its bytes or an error."""

    origin: str
    learner: str
    name: str
    content: bytes = b""
    fault: str = ""
    when: datetime | None = None
    assignment: str = ""
    number: str = ""  # the LMS's number of the learner, which distinguishes people of the same name
    note: str = ""  # what the teacher should know about it, although it is taken

    @property
    def person(self) -> str:
        """The key that distinguishes learners: the LMS's number, otherwise the exact name."""
        return self.number or unicodedata.normalize("NFC", self.learner).strip()

    @property
    def kind_and_person(self) -> str:
        """The same key with its kind: "number 12", "name Ada King". A number and a name may belong to one person."""
        return f"{'number' if self.number else 'name'} {self.person}"
