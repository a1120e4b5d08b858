"""Python's garbage collector, while a watch looks or draws. The one idea: a look makes many small objects that stay,
and each search for garbage goes through all of them. The program's own garbage waits until the look is over.
"""

from __future__ import annotations

import gc


class CollectorPaused:
    """A context in which the collector does not run. `end` can be called again, if an interrupt came at the exit."""

    def __init__(self) -> None:
        self._was_on = False

    def __enter__(self) -> None:
        self._was_on = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """Let the collector run again, if it did before."""
        if self._was_on:
            gc.enable()
            self._was_on = False
