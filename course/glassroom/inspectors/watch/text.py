"""A watched cell's story as text: one line a step."""

from __future__ import annotations

from glassroom.drawing.canvas import shortened
from glassroom.inspectors.watch.stepping import Statement
from glassroom.inspectors.watch.story import Story
from glassroom.inspectors.watch.words import happenings, limits, totals

SOURCE = 36


def text_of_story(story: Story) -> str:
    """The whole story."""
    lines = [f"watch · {totals(story)}"]
    sources = [shortened(story.source(moment.statement), SOURCE) for moment in story.moments]
    width = max(map(len, sources), default=0)
    step_width = len(str(len(story.moments)))
    places = [_place(moment.statement, story) for moment in story.moments]
    place_width = max(map(len, places), default=0)
    for moment, source, place in zip(story.moments, sources, places, strict=True):
        head = f"{moment.number:>{step_width}}  {place:<{place_width}}  {source:<{width}}"
        lines.append(f"{head}  {'; '.join(happenings(moment))}".rstrip())
    return "\n".join([*lines, *limits(story)])


def _place(statement: Statement, story: Story) -> str:
    """A statement's place, with the numbers of lines below one another."""
    if statement.file:
        return statement.place
    digits = len(str(max(moment.statement.line for moment in story.moments)))
    return f"line {statement.line:>{digits}}"
