"""`explain_error()`: who saved the tensor that was overwritten, and which line wrote it."""

from __future__ import annotations

import sys
from typing import Any

from glassroom.inspectors.base import Inspector
from glassroom.inspectors.version_error.finding import VersionError, version_error
from glassroom.inspectors.version_error.picture import svg_of
from glassroom.inspectors.version_error.words import said, summary, text_of
from glassroom.reading.overwritten import is_version_error


class Explanation(Inspector):
    """A version error, explained."""

    kind = "version error"

    def __init__(self, found: VersionError) -> None:
        self.data = found

    @property
    def text(self) -> str:
        return text_of(self.data)

    @property
    def svg(self) -> str:
        return svg_of(self.data)

    @property
    def label(self) -> str:
        return summary(self.data)

    def state(self) -> dict[str, Any]:
        words = [f"{each.called}, {each.source}: {said(self.data, each)}" for each in self.data.lines]
        return {"svg": self.svg, "text": self.text, "label": self.label, "words": words}


def explain_error(error: BaseException | None = None) -> Explanation:
    """Explain the error of a saved tensor that was "modified by an inplace operation": who saved it, who wrote it.

    Without `error`, the last one that nobody caught, as in the cell before. The tensor is looked for in the variables
    of the traceback's frames, PyTorch's and tensorglass's tensors alike. Lines are those that anomaly detection has
    recorded, and otherwise read from the source. Raises ValueError if no error of this kind is there, or its tensor is
    not found.
    """
    raised = error or getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
    if raised is None:
        raise ValueError("there is no error to explain: explain_error() comes after one, or takes one")
    if not is_version_error(str(raised)):
        kind = type(raised).__name__
        raise ValueError(f"explain_error explains tensors that were overwritten before a backward, not this {kind}")
    found = version_error(raised)
    if found is None:
        raise ValueError("no variable of the code that raised leads to the graph: watch(function) tells more")
    return Explanation(found)
