"""A watched cell's story as text: one line a step."""

from __future__ import annotations

from glassroom.drawing.canvas import shortened
from glassroom.inspectors.watch.stepping import Statement
from glassroom.inspectors.watch.story import Story
from glassroom.inspectors.watch.words import happenings, limits, totals
from glassroom.records.columns import columns, ljust
from glassroom.translations.templates import word

SOURCE = 36


def text_of_story(story: Story) -> str:
    """The whole story."""
    lines = [f"watch · {totals(story)}"]
    sources = [shortened(story.source(moment.statement), SOURCE) for moment in story.moments]
    width = max(map(columns, sources), default=0)
    step_width = len(str(len(story.moments)))
    digits = len(str(max((moment.statement.line for moment in story.moments), default=0)))
    places = [_place(moment.statement, digits) for moment in story.moments]
    place_width = max(map(columns, places), default=0)
    for moment, source, place in zip(story.moments, sources, places, strict=True):
        head = f"{moment.number:>{step_width}}  {ljust(place, place_width)}  {ljust(source, width)}"
        lines.append(f"{head}  {word('; ').join(happenings(moment))}".rstrip())
    return "\n".join([*lines, *limits(story)])


def _place(statement: Statement, digits: int) -> str:
    """A statement's place; line numbers are padded to as many digits, so that they are aligned."""
    return statement.place if statement.file else f"line {statement.line:>{digits}}"
