"""A tensor on a file's own bytes, which are mapped into memory and read as they are looked at."""

from __future__ import annotations

from typing import Unpack

from tensorglass.core.devices import CPU
from tensorglass.core.errors import explained
from tensorglass.graph.tensor_fields import set_requires_grad
from tensorglass.ops.creation.factory import Options, factory, read_options
from tensorglass.storage.storage import UntypedStorage
from tensorglass.tensor.construct import make
from tensorglass.tensor.tensor import Tensor


@factory()
def from_file(filename: str, shared: bool | None = None, size: int | None = 0, **options: Unpack[Options]) -> Tensor:
    """A 1-dim tensor of the first `size` elements of a file.

    If `shared`, what is written goes to the file, which is made or made longer where that is needed. If not, the file
    is only read, and what is written stays with this process. If another process cuts the file short while it is
    mapped, the system ends this one (SIGBUS).
    """
    if options.get("pin_memory"):
        raise RuntimeError("tensors constructed from a file cannot be pinned")
    dtype, device, requires_grad, _ = read_options("from_file", options)
    if device is not CPU:
        raise explained(
            NotImplementedError(
                f"Could not run 'aten::from_file' with arguments from the '{device.type.upper()}' backend."
            ),
            f"A file is mapped into the host's memory: torch.from_file(…).to('{device}') copies it.",
        )
    if not isinstance(shared, bool | None):
        raise TypeError  # which the operator's signature explains
    length = size or 0
    made = make(UntypedStorage.from_file(filename, bool(shared), length * dtype.itemsize), (length,), (1,), 0, dtype)
    set_requires_grad(made, requires_grad)
    return made
