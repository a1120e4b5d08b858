"""The error of a device that has no more room, with the figures that say why."""

from __future__ import annotations

from tensorglass.allocator import NoRoom
from tensorglass.core.devices import device as Device
from tensorglass.core.errors import OutOfMemoryError, explained


def out_of_memory(device: Device, refusal: NoRoom) -> OutOfMemoryError:
    """PyTorch's report: what was asked for, what there is, who holds it."""
    capacity, allocated, reserved = refusal.capacity, refusal.allocated, refusal.reserved
    return explained(
        OutOfMemoryError(
            f"{'CUDA' if device.type == 'cuda' else device.type} out of memory. Tried to allocate "
            f"{amount(refusal.nbytes)}. {'GPU' if device.type == 'cuda' else 'Simulated device'} {device.index} has a "
            f"total capacity of {amount(capacity)} of which {amount(capacity - reserved)} is free. Of the allocated "
            f"memory {amount(allocated)} is allocated by tensors, and {amount(reserved - allocated)} is reserved but "
            "unallocated."
        ),
        "Nothing was changed. Let go of tensors (del, smaller batches, no_grad) and try again.",
        "Reserved but unallocated memory that is in pieces too small to use is fragmentation: "
        f"{device.type}.empty_cache() gives whole unused segments back.",
        notebook="17 out of memory",
    )


def amount(nbytes: int) -> str:
    """A number of bytes as people read it: 512 bytes, 1.50 KiB, 20.00 MiB, 1.00 GiB."""
    if nbytes < 1024:
        return f"{nbytes} bytes"
    for unit, name in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if nbytes >= unit:
            return f"{nbytes / unit:.2f} {name}"
    raise AssertionError
