"""Intel's MKL, which programs ask about. NumPy and CuPy compute here."""

from __future__ import annotations


def is_available() -> bool:
    """False: the library does not call it.

    >>> torch.backends.mkl.is_available()
    False
    """
    return False
