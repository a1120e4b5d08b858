"""Whether a kernel runs on the host, where it costs nothing to look at an element before one decides how to go on."""

from __future__ import annotations

from typing import Any

from tensorglass.backends.numpy_backend import HOST


def on_host(xp: Any) -> bool:
    """Whether arrays of this module are in the host's memory. To look at one on a GPU would be to wait for it."""
    return xp is HOST.xp
