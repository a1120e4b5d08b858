"""What has a state that can be saved: ``isinstance(network, Stateful)``."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

__all__ = ["Stateful"]


@runtime_checkable
class Stateful(Protocol):
    """What gives its state, and takes one."""

    def state_dict(self) -> dict[str, Any]:
        """The state."""

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take this state."""
