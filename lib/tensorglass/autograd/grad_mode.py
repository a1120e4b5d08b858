"""`torch.autograd.grad_mode`: the modes of recording, and whether backward may use several threads.

Here backward always runs in the thread that called it.
"""

from __future__ import annotations

import threading
from typing import Any

from tensorglass.core.naming import type_name
from tensorglass.tensor.grad_mode import Mode, enable_grad, inference_mode, no_grad, set_grad_enabled

__all__ = [
    "enable_grad",
    "inference_mode",
    "is_multithreading_enabled",
    "no_grad",
    "set_grad_enabled",
    "set_multithreading_enabled",
]


class _State(threading.local):
    is_enabled = True


_state = _State()


def is_multithreading_enabled() -> bool:
    """What `set_multithreading_enabled` was told, in this thread."""
    return _state.is_enabled


class set_multithreading_enabled(Mode):
    """Whether backward may use a thread for each device; as a context, until its end. It has no effect here."""

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise TypeError(
                f"set_multithreading_enabled(): argument 'enabled' (position 1) must be bool, not {type_name(mode)}"
            )
        self._before, self.mode = _state.is_enabled, mode
        _state.is_enabled = mode

    def begin(self, _: Any) -> None:
        pass

    def end(self, _: Any) -> None:
        _state.is_enabled = self._before

    def clone(self) -> set_multithreading_enabled:
        """Another one like this."""
        return type(self)(self.mode)
