"""The state of a memory timeline's live form: the picture, and for each event its text and the parts to highlight."""

from __future__ import annotations

from typing import Any

from glassroom.inspectors.timeline.pool_svg import svg_of_pool
from glassroom.inspectors.timeline.svg import hues_of, svg_of_timeline, x_of
from glassroom.inspectors.timeline.text import text_of_timeline
from glassroom.inspectors.timeline.timeline import Timeline
from glassroom.inspectors.timeline.words import lines_of, summary
from glassroom.translations.templates import word

MOST_FRAMES = 400


def state_of(timeline: Timeline) -> dict[str, Any]:
    """The state of the widget. In a long timeline, only events at equal distances can be stepped through."""
    hues = hues_of(timeline)
    frames: list[dict[str, Any]] = []
    maps: list[str] = []
    for event in _events(timeline):
        step = timeline.steps[event - 1]
        moment = None if len(timeline.steps) > MOST_FRAMES else timeline.pool_at(step.device, event)
        if moment is not None:
            picture = svg_of_pool(moment, hues, f"pool of {step.device}")
            if not maps or maps[-1] != picture:
                maps.append(picture)
        frames.append(
            {
                "at": event,
                "x": round(x_of(timeline, event), 1),
                "lines": lines_of(timeline, step, event),
                "map": len(maps) - 1,
            }
        )
    return {
        "svg": svg_of_timeline(timeline),
        "text": text_of_timeline(timeline),
        "label": summary(timeline),
        "kind": "memory timeline",
        "unit": word("event"),
        "before": ["Before the first event", "Step through the events with the arrow keys, or point at a bar."],
        "frames": frames,
        "maps": maps,
    }


def _events(timeline: Timeline) -> list[int]:
    stride = -(-len(timeline.steps) // MOST_FRAMES)
    peaks = {curve.peak_at for curve in timeline.curves} | {
        bands.peak_at for bands in timeline.bands if bands.is_of_training
    }
    return sorted({*range(1, len(timeline.steps) + 1, max(stride, 1)), *peaks} - {0})
