"""What processes on PyTorch keep in common beside their tensors: names that programs write in annotations, and no more.

MPI brings the processes together here.
"""

from __future__ import annotations

from tensorglass.core.left_out import LeftOut

__all__ = ["FileStore", "HashStore", "PrefixStore", "Store", "TCPStore"]


class Store(LeftOut):
    """Values by their keys."""


class FileStore(Store, LeftOut):
    """Values in a file."""


class HashStore(Store, LeftOut):
    """Values in the memory of one process."""


class PrefixStore(Store, LeftOut):
    """Values of another store, whose keys begin alike."""


class TCPStore(Store, LeftOut):
    """Values that one process keeps for all."""
