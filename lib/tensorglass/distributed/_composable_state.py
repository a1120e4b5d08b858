"""Where PyTorch finds what a network was shared with. No network here is shared in such a way."""

from __future__ import annotations

__all__ = ["_get_module_state"]


def _get_module_state(module: object) -> None:
    """None: no network is shared by `fully_shard`, or by `replicate`."""
