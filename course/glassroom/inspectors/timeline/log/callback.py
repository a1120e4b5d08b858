"""The log as a callback for two training loops: Lightning's Trainer and that of transformers. Neither package is
imported: both call hooks by name. What a trainer of an installed package holds is found too: its callbacks, and what
they keep.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import FrameType
from typing import TYPE_CHECKING, Any

from glassroom.reading.places import attributes_of, is_network_or_optimizer, is_of_a_program
from glassroom.reading.variables import is_a_users, locals_of
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
            frame = sys._getframe(2)
            self._log.begin(_outermost(frame), _variables(frame, given))

    def _end(self, given: Mapping[str, object]) -> None:
        if self._log.is_looking:
            self._log.end(_variables(sys._getframe(2), given))


def _variables(frame: FrameType, given: Mapping[str, object]) -> dict[str, object]:
    """What a hook was `given`, the variables of the program's functions that run and of its outermost module, and what
    the trainer holds.
    """
    variables: dict[str, object] = {**given}
    trainer = given.get("trainer")
    running: FrameType | None = frame
    while running is not None:
        own = locals_of(running)
        if trainer is None and "callback_handler" in attributes_of(own.get("self")):  # transformers gives no trainer
            trainer = own["self"]
        module = running.f_globals.get("__name__")
        if isinstance(module, str) and is_of_a_program(module):
            variables |= {name: value for name, value in own.items() if name not in variables}
        running = running.f_back
    variables |= {name: value for name, value in _outermost(frame).f_globals.items() if name not in variables}
    return {**variables, **_held_by(trainer, variables)}


def _held_by(trainer: object, variables: Mapping[str, object]) -> dict[str, object]:
    """What a trainer holds that no variable is, by paths: `trainer.callbacks`."""
    name = next((name for name, value in variables.items() if value is trainer and is_a_users(name)), "trainer")
    known = {id(value) for value in variables.values()}
    held = {f"{name}.{attribute}": value for attribute, value in attributes_of(trainer).items()}
    inner = attributes_of(held.get(f"{name}.callback_handler"))
    held |= {f"{name}.callback_handler.{attribute}": value for attribute, value in inner.items()}
    return {
        path: value
        for path, value in held.items()
        if id(value) not in known and not is_network_or_optimizer(value) and "._" not in path
    }


def _nothing(*_: object, **__: object) -> None:
    """A hook that has nothing to do."""


def _outermost(frame: FrameType) -> FrameType:
    """The program's outermost frame, which runs from a step's first hook to its last."""
    while frame.f_back is not None:
        frame = frame.f_back
    return frame
