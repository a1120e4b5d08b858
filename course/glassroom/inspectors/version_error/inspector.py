"""`explain_error()`: what autograd refused, for which tensor, and the lines that led to it."""

from __future__ import annotations

import sys
from typing import Any

from glassroom.inspectors.base import Inspector, Makers
from glassroom.inspectors.version_error.finding import version_error
from glassroom.inspectors.version_error.graph_error import GraphError, graph_error
from glassroom.inspectors.version_error.picture import svg_of
from glassroom.inspectors.version_error.words import Found, said, summary, text_of
from glassroom.reading.overwritten import is_version_error
from glassroom.translations.templates import as_is


class Explanation(Inspector):
    """An error of autograd's, explained: a version error, or another kind."""

    kind = as_is("version error")
    makers = Makers(text_of, svg_of, summary)

    def __init__(self, diagnosis: Found) -> None:
        self.data: Found = diagnosis
        if isinstance(diagnosis, GraphError):
            self.kind = as_is("graph error")

    def state(self) -> dict[str, Any]:
        words = [f"{line.called}, {line.source}: {said(self.data, line)}" for line in self.data.lines]
        return {**super().state(), "words": words}


def explain_error(error: BaseException | None = None) -> Explanation:
    """Explain an error of autograd: the tensors that it is about, the lines that led to it, and what to do.

    For a saved tensor that was "modified by an inplace operation", the operator that saved it and the line that wrote
    it; for a "backward through the graph a second time", the line that freed the graph and the tensors that lead to it;
    for an in-place write to a leaf, the leaf; and so on for each of autograd's errors. Without `error`, the last
    uncaught error is explained, such as that of the cell before. Tensors of PyTorch and tensorglass are searched for in
    the variables of the traceback's frames. Lines come from anomaly detection if it recorded them, otherwise from the
    source. Raises ValueError for an error of another kind, or if its tensor is not found.
    """
    if sys.is_finalizing():
        return Explanation.of_nothing()
    raised = error or getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
    if raised is None:
        raise ValueError("there is no error to explain: explain_error() comes after one, or takes one")
    diagnosis: Found | None
    if is_version_error(str(raised)):
        diagnosis = version_error(raised)
        if diagnosis is None:
            raise ValueError("no variable of the code that raised leads to the graph: watch(function) tells more")
    else:
        diagnosis = graph_error(raised)
        if diagnosis is None:
            kind = type(raised).__name__
            raise ValueError(f"explain_error explains what autograd refuses in a program, not this {kind}")
    return Explanation(diagnosis)
