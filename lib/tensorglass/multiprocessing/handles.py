"""Handles: what is sent in the place of a file descriptor, and how the receiver gets the descriptor for it.

Nothing tells the sender of a message that nobody will read it, since a message whose
reader was killed may be read by another process that starts later. So the sender keeps what a message needs, and that
must be little. A handle holds the block's descriptor, and neither the mapped block nor a descriptor of its own: however
often a storage is sent, there is one descriptor for it, also when the sender itself has let go of the storage.
"""

from __future__ import annotations

from contextlib import suppress
from multiprocessing import context, reduction, resource_sharer
from typing import Any

from tensorglass.backends.shared_blocks import Descriptor
from tensorglass.core.errors import explained

# The thread that hands out what was registered. Its class is public in no form, and the same since Python 3.3.
_sharer: Any = resource_sharer._resource_sharer  # type: ignore[attr-defined]  # typeshed has public names alone


class Handle:
    """Where to ask for a block's descriptor: at the sender, once."""

    def __init__(self, descriptor: Descriptor) -> None:
        def send(connection: Any, pid: int) -> None:
            with suppress(ConnectionError):  # who asked may have been killed since
                reduction.send_handle(connection, descriptor.fd, pid)

        self._ident = _sharer.register(send, _nothing)

    def detach(self) -> int:
        """The descriptor, which is the caller's to close."""
        with _sharer.get_connection(self._ident) as connection:
            return reduction.recv_handle(connection)


def handle_of(descriptor: Descriptor) -> Any:
    """What to send for a block's descriptor: to a child that is being started, a duplicate goes along."""
    return Handle(descriptor) if context.get_spawning_popen() is None else reduction.DupFd(descriptor.fd)


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
    """There is nothing to close: a descriptor is closed with its last user."""
