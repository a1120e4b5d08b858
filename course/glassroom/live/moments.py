"""The state that a picture with steps passes to its script, `moments.js`."""

from __future__ import annotations

from typing import Any

import traitlets


class Moments(traitlets.HasTraits):
    """`frames` gives for each moment its place, its text, and which of `maps` shows the state; `before` is the text
    before the first. `svg` is the picture, and `text` the same in words. `kind` is its name for assistive technology,
    and `unit` that of a step.
    """

    svg = traitlets.Unicode().tag(sync=True)
    text = traitlets.Unicode().tag(sync=True)
    kind = traitlets.Unicode().tag(sync=True)
    unit = traitlets.Unicode().tag(sync=True)
    before: Any = traitlets.List().tag(sync=True)
    frames: Any = traitlets.List().tag(sync=True)
    maps: Any = traitlets.List().tag(sync=True)
