"""Apple's GPUs, which programs ask about. NumPy and CuPy compute here."""

from __future__ import annotations


def is_available() -> bool:
    """False: the library does not call it.

    >>> torch.backends.mps.is_available()
    False
    """
    return False


def is_built() -> bool:
    """False: there is no such backend."""
    return False
