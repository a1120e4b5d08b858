"""Between memories: how the elements of a tensor get from one device to another.

A copy between two devices of a type goes directly, any other by way of the host.
"""

from __future__ import annotations

from tensorglass.backends import Array
from tensorglass.backends import transfer_log as transfers
from tensorglass.storage.storage import UntypedStorage


def brought(
    array: Array, source: UntypedStorage, target: UntypedStorage, non_blocking: bool = False, out: Array | None = None
) -> Array:
    """A copy of `array`, a window on `source`, on the device of `target`: in `out`, if that is given and can be."""
    here, there = source.backend, target.backend
    with transfers.between(source, target):
        if here.device_type == there.device_type:
            return there.from_peer(array)
        on_host = here.to_host(array, is_pinned=target.is_pinned(), non_blocking=non_blocking)
        return there.from_host(on_host, target.device, is_pinned=source.is_pinned(), non_blocking=non_blocking, out=out)
