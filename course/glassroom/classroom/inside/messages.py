"""Messages between the two sandboxes: a length, then JSON. Nothing that is read is ever executed or unpickled."""

from __future__ import annotations

import json
import socket
from typing import Any

MOST_BYTES = 48_000_000
DEEPEST = 60
PATIENCE = 3  # times a cell's CPU seconds: the time that a step may take, sleep included


class Ended(Exception):
    """The other side is gone, or what it sent is no valid message."""


def send(channel: socket.socket, message: dict[str, Any]) -> None:
    """Send a message. Raises `Ended` if its reader has gone, ValueError if it is too long."""
    content = json.dumps(message).encode()
    if len(content) > MOST_BYTES:
        raise ValueError(f"{len(content):,} bytes are more than a message may have")
    try:
        channel.sendall(len(content).to_bytes(8, "big") + content)
    except OSError as error:
        raise Ended("it is gone") from error


def receive(channel: socket.socket) -> dict[str, Any]:
    """Wait for the next message, without a time limit: the supervisor ends processes that hang. Raises `Ended` if none
    comes."""
    size = int.from_bytes(_exactly(channel, 8), "big")
    if size > MOST_BYTES:
        raise Ended("it sends more than a message may have")
    try:
        message = json.loads(_exactly(channel, size))
    except (ValueError, RecursionError) as error:
        raise Ended("it sends what is no message") from error
    if not isinstance(message, dict):
        raise Ended("it sends what is no message")
    return message


def _exactly(channel: socket.socket, count: int) -> bytes:
    parts: list[bytes] = []
    while count:
        try:
            part = channel.recv(min(count, 1 << 20))
        except OSError as error:
            raise Ended("it is gone") from error
        if not part:
            raise Ended("it is gone")
        parts.append(part)
        count -= len(part)
    return b"".join(parts)
