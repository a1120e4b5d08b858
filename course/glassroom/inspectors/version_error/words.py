"""The sentences about a tensor that was overwritten, and about the other errors of autograd."""

from __future__ import annotations

from glassroom.drawing.words import counted, listed
from glassroom.inspectors.version_error.finding import VersionError
from glassroom.inspectors.version_error.graph_error import GraphError
from glassroom.inspectors.version_error.lines import CUT, FAILED, FREED, MADE, SAVED, WROTE, Line
from glassroom.records.columns import columns, ljust

Found = VersionError | GraphError

_DID = {
    FREED: "this backward frees what the graph has saved",
    CUT: "leaves the graph behind",
    MADE: "the error speaks of this",
    FAILED: "raises the error",
}


def summary(diagnosis: Found) -> str:
    """The explanation in one sentence: `sigmoid` saved `y` at line 34; line 36 wrote it: version 0 → 1."""
    if isinstance(diagnosis, GraphError):
        return diagnosis.summary
    saved = diagnosis.line(SAVED)
    writes = [line.called for line in diagnosis.lines if line.did == WROTE]
    head = f"`{diagnosis.operator}` saved {diagnosis.name}{f' at {saved.called}' if saved else ''}"
    versions = f"version {diagnosis.expected} → {diagnosis.now}"
    if writes:
        return f"{head}; {listed(writes)} wrote it: {versions}"
    return f"{head}; it was written to since, {counted(diagnosis.now - diagnosis.expected, 'time')}: {versions}"


def said(diagnosis: Found, line: Line) -> str:
    """What a line did, in a few words."""
    if isinstance(diagnosis, GraphError):
        return _DID[line.did]
    if line.did == SAVED:
        return f"{diagnosis.operator} saves {diagnosis.names[0] if diagnosis.names else 'it'} for its derivative"
    if line.did == WROTE:
        return f"writes {diagnosis.names[0] if diagnosis.names else 'it'}"
    return "the backward needs what was saved"


def advice(error: VersionError) -> str:
    """What to do about it."""
    name = error.names[0] if error.names else "the tensor"
    if error.line(WROTE) is not None and ".step(" in (error.line(WROTE) or error.lines[0]).source:
        return "Call the optimizer's step after all backward passes through this graph, or compute the loss again."
    if error.line(WROTE) is not None and not (error.line(WROTE) or error.lines[0]).number:
        return "Let the module make a new tensor: inplace=False."
    return f"Write to a copy ({name}.clone()), or make a new tensor instead of writing to {name} in place."


def source_note(error: VersionError) -> str:
    """Where the lines come from."""
    if error.line(SAVED) is None and error.line(WROTE) is None:
        return "Its lines are in code that has returned: watch(function) or %%watch tells them."
    if error.is_recorded:
        return "The line that saved it was recorded; lines that write are read from the source."
    return "Lines are read from the source; watch(function) or %%watch tells them as they run."


def remarks(diagnosis: Found) -> list[str]:
    """The remarks beneath the lines."""
    if isinstance(diagnosis, GraphError):
        return list(diagnosis.remarks)
    also = [f"The same bytes: {listed(diagnosis.names[1:])}."] if diagnosis.names[1:] else []
    writing = [f"What writes in place here: {listed(list(diagnosis.in_place))}."] if diagnosis.in_place else []
    return [*also, *writing, advice(diagnosis), source_note(diagnosis)]


def text_of(diagnosis: Found) -> str:
    """All of it."""
    width = max(columns(line.called) for line in diagnosis.lines)
    source = max(columns(line.source) for line in diagnosis.lines)
    rows = [
        f"  {ljust(line.called, width)}  {ljust(line.source, source)}  ← {said(diagnosis, line)}"
        for line in diagnosis.lines
    ]
    return "\n".join([summary(diagnosis), *rows, *remarks(diagnosis)])
