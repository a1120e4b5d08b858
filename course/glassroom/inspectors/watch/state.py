"""What the live form of a watched cell is given: the code, and for each step what to say and which cards to show."""

from __future__ import annotations

from typing import Any

from glassroom.drawing.canvas import CSS as PICTURE
from glassroom.inspectors.watch.story import Moment, Story
from glassroom.inspectors.watch.svg import CSS, card_of, hues_of
from glassroom.inspectors.watch.text import text_of_story
from glassroom.inspectors.watch.words import GROUPS, limits, lines_of, overhead, summary, totals
from glassroom.records.snapshot import Storage


def state_of(story: Story) -> dict[str, Any]:
    """The state of the widget. A card that looks the same at many steps is sent once."""
    hues = hues_of(story)
    cards: dict[str, int] = {}
    drawn: dict[object, int] = {}
    frames = []

    def card(moment: Moment, storage: Storage, is_gone: bool) -> int:
        headers = (moment.gone if is_gone else moment.snapshot).headers_on(storage)
        facts = tuple([moment.facts.get(header.name) for header in headers])
        look = (storage, headers, facts, moment.written.get(storage.name), is_gone)
        if look not in drawn:
            picture = card_of(moment, storage, hues, is_gone)
            drawn[look] = cards.setdefault(picture, len(cards))
        return drawn[look]

    for moment in story.moments:
        shown = [card(moment, storage, False) for storage in moment.snapshot.storages]
        shown += [card(moment, storage, True) for storage in moment.gone.storages]
        frames.append(
            {
                "line": 0 if moment.statement.file else moment.statement.line,  # no line of the code that is shown
                "end": 0 if moment.statement.file else moment.statement.end,
                "lines": lines_of(story, moment),
                "kinds": [name for kind, name in GROUPS.items() if moment.did(kind)],
                "raised": moment.how.startswith("raises"),
                "cards": shown,
            }
        )
    return {
        "label": summary(story),
        "text": text_of_story(story),
        "sheet": PICTURE + CSS,
        "code": [[line, source] for line, source in sorted(story.lines.items())],
        "totals": totals(story),
        "notes": [*limits(story), overhead(story)],
        "frames": frames,
        "cards": list(cards),
    }
