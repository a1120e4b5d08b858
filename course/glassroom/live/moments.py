"""What a picture that is stepped through moment by moment gives to its script, `moments.js`."""

from __future__ import annotations

from typing import Any

import traitlets


class Moments(traitlets.HasTraits):
    """`frames` say where each moment is, what to say, and which of `maps` shows the state; `before` is said first.

    `svg` is the picture, and `text` the same in words. `kind` names it to assistive technology, and `unit` what a step
    is.
    """

    svg = traitlets.Unicode().tag(sync=True)
    text = traitlets.Unicode().tag(sync=True)
    kind = traitlets.Unicode().tag(sync=True)
    unit = traitlets.Unicode().tag(sync=True)
    before: Any = traitlets.List().tag(sync=True)
    frames: Any = traitlets.List().tag(sync=True)
    maps: Any = traitlets.List().tag(sync=True)
