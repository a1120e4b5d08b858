"""A watched cell as an anywidget."""

from __future__ import annotations

from typing import Any

import traitlets

from glassroom.live.widget import LiveWidget


class Widget(LiveWidget):
    """Steps through `frames`: lines of the `code`, the text, which of `cards` show the storages that the step touched,
    and which of `briefs` describe the others. A card consists of parts, some of which are common `pieces`. It `opens`
    on the step to begin at; `curve` names the peak.
    """

    text = traitlets.Unicode().tag(sync=True)
    sheet = traitlets.Unicode().tag(sync=True)
    code: Any = traitlets.List().tag(sync=True)
    totals = traitlets.Unicode().tag(sync=True)
    notes: Any = traitlets.List().tag(sync=True)
    frames: Any = traitlets.List().tag(sync=True)
    cards: Any = traitlets.List().tag(sync=True)
    pieces: Any = traitlets.List().tag(sync=True)
    briefs: Any = traitlets.List().tag(sync=True)
    opens = traitlets.Int().tag(sync=True)
    curve = traitlets.Unicode().tag(sync=True)
