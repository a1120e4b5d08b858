"""`torch.distributed.elastic`: programs mark their `main`, and ask for a port that nobody listens at."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import TypeVar

__all__ = ["get_free_port", "record"]

Main = TypeVar("Main", bound=Callable[..., object])


def record(fn: Main) -> Main:
    """The function itself: PyTorch's launcher would be told of its errors, and none launches programs here."""
    return fn


def get_free_port() -> int:
    """The number of a port that is free now."""
    with socket.socket() as listener:
        listener.bind(("localhost", 0))
        port: int = listener.getsockname()[1]
    return port
