"""A story of `watch` as tests ask for it: by lines of source, and in names that do not depend on the machine."""

from __future__ import annotations

import re

from glassroom.inspectors.watch.story import Moment, Story


def symbolic(text: str) -> str:
    """The text with its storages renamed by first appearance, whatever the session has seen before."""
    names: dict[str, str] = {}
    return re.sub(r"\bS\d+\b", lambda match: names.setdefault(match[0], f"S{len(names)}"), text)


def steps(story: Story, source: str) -> list[Moment]:
    """The steps of the statement that begins like this."""
    moments = [moment for moment in story.moments if story.source(moment.statement).strip().startswith(source)]
    assert moments, (source, [story.source(moment.statement) for moment in story.moments])
    return moments


def said(moment: Moment) -> str:
    return symbolic("; ".join([moment.how, *[change.words for change in moment.changes]]))
