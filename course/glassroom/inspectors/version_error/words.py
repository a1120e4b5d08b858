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


def summary(found: Found) -> str:
    """The explanation in one sentence: `sigmoid` saved `y` at line 34; line 36 wrote it: version 0 → 1."""
    if isinstance(found, GraphError):
        return found.summary
    saved = found.line(SAVED)
    writes = [line.called for line in found.lines if line.did == WROTE]
    head = f"`{found.operator}` saved {found.name}{f' at {saved.called}' if saved else ''}"
    versions = f"version {found.expected} → {found.now}"
    if writes:
        return f"{head}; {listed(writes)} wrote it: {versions}"
    return f"{head}; it was written to since, {counted(found.now - found.expected, 'time')}: {versions}"


def said(found: Found, line: Line) -> str:
    """What a line did, in a few words."""
    if isinstance(found, GraphError):
        return _DID[line.did]
    if line.did == SAVED:
        return f"{found.operator} saves {found.names[0] if found.names else 'it'} for its derivative"
    if line.did == WROTE:
        return f"writes {found.names[0] if found.names else 'it'}"
    return "the backward needs what was saved"


def advice(found: VersionError) -> str:
    """What to do about it."""
    name = found.names[0] if found.names else "the tensor"
    if found.line(WROTE) is not None and ".step(" in (found.line(WROTE) or found.lines[0]).source:
        return "Call the optimizer's step after all backward passes through this graph, or compute the loss again."
    if found.line(WROTE) is not None and not (found.line(WROTE) or found.lines[0]).number:
        return "Let the module make a new tensor: inplace=False."
    return f"Write to a copy ({name}.clone()), or make a new tensor instead of writing to {name} in place."


def source_note(found: VersionError) -> str:
    """Where the lines come from."""
    if found.line(SAVED) is None and found.line(WROTE) is None:
        return "Its lines are in code that has returned: watch(function) or %%watch tells them."
    if found.is_recorded:
        return "The line that saved it was recorded; lines that write are read from the source."
    return "Lines are read from the source; watch(function) or %%watch tells them as they run."


def remarks(found: Found) -> list[str]:
    """The remarks beneath the lines."""
    if isinstance(found, GraphError):
        return list(found.remarks)
    also = [f"The same bytes: {listed(found.names[1:])}."] if found.names[1:] else []
    writing = [f"What writes in place here: {listed(list(found.in_place))}."] if found.in_place else []
    return [*also, *writing, advice(found), source_note(found)]


def text_of(found: Found) -> str:
    """All of it."""
    width = max(columns(line.called) for line in found.lines)
    source = max(len(line.source) for line in found.lines)
    rows = [f"  {ljust(each.called, width)}  {each.source:<{source}}  ← {said(found, each)}" for each in found.lines]
    return "\n".join([summary(found), *rows, *remarks(found)])
