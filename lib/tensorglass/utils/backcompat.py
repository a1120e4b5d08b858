"""`torch.utils.backcompat`: switches for warnings of the year 2017, when broadcasting was new.

PyTorch keeps their values and no longer gives the warnings; so do we.
"""

from __future__ import annotations


class Warning:
    """A switch: `enabled` is what it was last set to."""

    def __init__(self) -> None:
        self.enabled = False

    def set_enabled(self, value: bool) -> None:
        """Set the switch."""
        self.enabled = value

    def get_enabled(self) -> bool:
        """What the switch is set to."""
        return self.enabled


broadcast_warning = Warning()
keepdim_warning = Warning()
