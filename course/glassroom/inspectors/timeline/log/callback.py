"""The log as a callback for two training loops: Lightning's Trainer and that of transformers. Neither package is
imported: both call hooks by name.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import FrameType
from typing import TYPE_CHECKING, Any

from glassroom.translations.templates import as_is

if TYPE_CHECKING:
    from glassroom.inspectors.timeline.log.inspector import MemoryLog


class Callback:
    """A callback for both trainers. The hooks around a training step record it; all other hooks do nothing."""

    state_key = _legacy_state_key = "glassroom.memory_log"  # Lightning asks for both when it resumes a run

    def __init__(self, log: MemoryLog) -> None:
        self._log = log

    def __getattr__(self, name: str) -> Callable[..., None]:
        if name.startswith("on_") or name in ("setup", "teardown", "load_state_dict"):
            return _nothing
        raise AttributeError(as_is(f"{type(self).__name__!r} object has no attribute {name!r}"))

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint keeps of it: nothing."""
        return {}

    # --- Lightning ---------------------------------------------------------------------------------------------------

    def on_train_batch_start(self, trainer: Any, pl_module: Any, *_: Any, **__: Any) -> None:
        self._begin({"trainer": trainer, "pl_module": pl_module})

    def on_train_batch_end(self, trainer: Any, pl_module: Any, *_: Any, **__: Any) -> None:
        self._end({"trainer": trainer, "pl_module": pl_module})

    def on_exception(self, *_: Any, **__: Any) -> None:
        self._log.close()

    # --- transformers ------------------------------------------------------------------------------------------------

    def on_step_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        self._begin(given)

    def on_step_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        self._end(given)

    def on_train_end(self, *_: Any, **__: Any) -> None:
        self._log.close()

    def _begin(self, given: Mapping[str, object]) -> None:
        if self._log.is_due():
            outermost = _outermost(sys._getframe(2))
            self._log.begin(outermost, {**outermost.f_globals, **given})

    def _end(self, given: Mapping[str, object]) -> None:
        if self._log.is_looking:
            outermost = _outermost(sys._getframe(2))
            self._log.end({**outermost.f_globals, **given})


def _nothing(*_: object, **__: object) -> None:
    """A hook that has nothing to do."""


def _outermost(frame: FrameType) -> FrameType:
    """The program's outermost frame, which runs from a step's first hook to its last."""
    while frame.f_back is not None:
        frame = frame.f_back
    return frame
