"""Messages between the two sandboxes: a length, then JSON. Nothing that is read is ever executed or unpickled."""

from __future__ import annotations

import json
import select
import socket
import time
from typing import Any

MOST_BYTES = 48_000_000
DEEPEST = 60
PATIENCE = 3  # times as long by the clock as on a core: a machine may have other work


class Ended(Exception):
    """The other side is gone, or what it sends is no message."""


class TooSlow(Exception):
    """The other side did not answer in time."""


def send(channel: socket.socket, message: dict[str, Any]) -> None:
    """Send a message. Raises `Ended` when nobody reads it, ValueError when it is too long."""
    content = json.dumps(message).encode()
    if len(content) > MOST_BYTES:
        raise ValueError(f"{len(content):,} bytes are more than a message may have")
    try:
        channel.sendall(len(content).to_bytes(8, "big") + content)
    except OSError as error:
        raise Ended("it is gone") from error


def receive(channel: socket.socket, seconds: float | None = None) -> dict[str, Any]:
    """The next message. Raises `TooSlow` after so many seconds, `Ended` for what is no message."""
    until = None if seconds is None else time.monotonic() + seconds
    size = int.from_bytes(_exactly(channel, 8, until), "big")
    if size > MOST_BYTES:
        raise Ended("it sends more than a message may have")
    try:
        message = json.loads(_exactly(channel, size, until))
    except (ValueError, RecursionError) as error:
        raise Ended("it sends what is no message") from error
    if not isinstance(message, dict):
        raise Ended("it sends what is no message")
    return message


def _exactly(channel: socket.socket, count: int, until: float | None) -> bytes:
    parts: list[bytes] = []
    while count:
        if until is not None:
            left = until - time.monotonic()
            if left <= 0 or not select.select([channel], [], [], left)[0]:
                raise TooSlow
        try:
            part = channel.recv(min(count, 1 << 20))
        except OSError as error:
            raise Ended("it is gone") from error
        if not part:
            raise Ended("it is gone")
        parts.append(part)
        count -= len(part)
    return b"".join(parts)
