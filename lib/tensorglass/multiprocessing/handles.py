"""Handles: what is sent in the place of a file descriptor, and how the receiver gets the descriptor for it.

A message that nobody reads, because its reader was killed, must cost its sender nothing that runs out. So a handle
holds the block and no descriptor of its own, as that of the standard library does: however often a storage is sent, the
sender has one descriptor for it.
"""

from __future__ import annotations

from contextlib import suppress
from multiprocessing import context, reduction, resource_sharer
from typing import Any

from tensorglass.backends.shared_blocks import SharedBlock
from tensorglass.core.errors import explained

# The thread that hands out what was registered. Its class is public in no form, and the same since Python 3.3.
_sharer: Any = resource_sharer._resource_sharer  # type: ignore[attr-defined]  # typeshed has public names alone


class Handle:
    """Where to ask for a block's descriptor: at the sender, once."""

    def __init__(self, block: SharedBlock) -> None:
        def send(connection: Any, pid: int) -> None:
            assert block.fd is not None
            with suppress(ConnectionError):  # who asked may have been killed since
                reduction.send_handle(connection, block.fd, pid)

        self._ident = _sharer.register(send, _nothing)

    def detach(self) -> int:
        """The descriptor, which is the caller's to close."""
        with _sharer.get_connection(self._ident) as connection:
            return reduction.recv_handle(connection)


def handle_of(block: SharedBlock) -> Any:
    """What to send for a block: to a child that is being started, its descriptor goes along at once."""
    assert block.fd is not None
    return Handle(block) if context.get_spawning_popen() is None else reduction.DupFd(block.fd)


def fetch(handle: Any) -> int:
    """The descriptor that a handle stands for, or an error that says why it cannot be had."""
    try:
        return handle.detach()
    except (OSError, EOFError) as error:
        raise explained(
            error,
            "The process that sent this storage ended before it was received: let senders wait for their receivers.",
        ) from None


def _nothing() -> None:
    """There is nothing to close: the block closes its descriptor with its last user."""
