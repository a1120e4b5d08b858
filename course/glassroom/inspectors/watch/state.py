"""The state of a watched cell's live form: the code, and for each step its text and the cards to show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from glassroom.drawing.canvas import CSS as PICTURE
from glassroom.drawing.canvas import Filled, Shared
from glassroom.drawing.words import sized
from glassroom.inspectors.watch.stepping import RAISES
from glassroom.inspectors.watch.story import Moment, Story
from glassroom.inspectors.watch.svg import CSS, Layouts, card_of, hues_of
from glassroom.inspectors.watch.text import text_of_story
from glassroom.inspectors.watch.words import GROUPS, brief, limits, lines_of, overhead, signed, summary, totals
from glassroom.records.snapshot import Header, Storage


def state_of(story: Story) -> dict[str, Any]:
    """The state of the widget. A card that looks the same at many steps is sent once, in the parts of `_sent`."""
    hues = hues_of(story)
    cards: dict[str, int] = {}
    contents: list[list[Any]] = []  # of each card
    pieces: dict[str, int] = {}  # what cards have in common
    drawn: dict[object, int] = {}
    known = Layouts()
    frames = []

    def card(moment: Moment, storage: Storage, headers: Sequence[Header], is_gone: bool) -> int:
        facts = tuple([moment.facts.get(header.name) for header in headers])
        # By id: records of what stayed as it was are the same objects, and a record has hundreds of cells to hash.
        look = (id(storage), tuple(map(id, headers)), facts, moment.written.get(storage.name), is_gone)
        if look not in drawn:
            parts = card_of(moment, storage, hues, is_gone, known)
            whole = "".join(parts)
            if whole not in cards:
                cards[whole] = len(cards)
                contents.append([_sent(part, pieces) for part in parts])
            drawn[look] = cards[whole]
        return drawn[look]

    briefs: dict[str, int] = {}
    for moment in story.moments:
        touched = moment.touched
        shown = {storage.name: storage for storage in moment.snapshot.storages}
        rest = [storage for name, storage in shown.items() if name not in touched]
        over: dict[str, list[Header]] = {}
        for header in moment.snapshot.headers:
            over.setdefault(header.storage, []).append(header)
        full = [card(moment, shown[name], over[name], False) for name in touched if name in shown]
        full += [card(moment, storage, moment.gone.headers_on(storage), True) for storage in moment.gone.storages]
        frames.append(
            {
                "line": 0 if moment.statement.file else moment.statement.line,  # no line of the code that is shown
                "end": 0 if moment.statement.file else moment.statement.end,
                "lines": lines_of(story, moment),
                "kinds": [name for kind, name in GROUPS.items() if moment.did(kind)],
                "raised": moment.how.startswith(RAISES),
                "cards": full,
                "rest": [
                    [briefs.setdefault(brief(other), len(briefs)), card(moment, other, over[other.name], False)]
                    for other in rest
                ],
                "held": moment.held,
                "high": moment.high,
            }
        )
    grown: dict[int, int] = {}
    for moment in story.moments:
        if not moment.statement.file:
            grown[moment.statement.line] = grown.get(moment.statement.line, 0) + moment.difference
    return {
        "label": summary(story),
        "text": text_of_story(story),
        "sheet": PICTURE + CSS,
        "code": [[line, source, signed(grown.get(line, 0))] for line, source in sorted(story.lines.items())],
        "totals": totals(story),
        "notes": [*limits(story), overhead(story)],
        "frames": frames,
        "cards": contents,
        "pieces": list(pieces),
        "briefs": list(briefs),
        "opens": story.telling,
        "curve": f"peak {sized(story.peak)}" if story.peak else "",
    }


def _sent(part: str, pieces: dict[str, int]) -> str | int | list[Any]:
    """A part of a card as it is sent: a text; the number of a piece that several cards have; or a list of the number of
    pieces with gaps, and the texts in the gaps.
    """
    if isinstance(part, Filled):
        return [pieces.setdefault(part.pieces, len(pieces)), part.texts]
    return pieces.setdefault(part, len(pieces)) if isinstance(part, Shared) else part
