"""Checks the versions of Python and NumPy.

Imported first, so that a version that is too old gives an error that says what to do. Much older versions of Python
must be able to read this file up to the check.
"""

import sys

OLDEST_PYTHON = (3, 11)
OLDEST_NUMPY = (2, 0)


def check_python():
    """Raise ImportError if this Python is too old."""
    if sys.version_info < OLDEST_PYTHON:
        raise ImportError(
            "tensorglass needs Python {}.{} or newer, and this is Python {}.{} ({}).".format(
                *OLDEST_PYTHON, *sys.version_info[:2], sys.executable
            )
        )


def check_numpy():
    """Raise ImportError if NumPy is missing, damaged or too old."""
    oldest = "{}.{}".format(*OLDEST_NUMPY)
    what_to_do = "Install it: pip install -U 'numpy>={}'".format(oldest)
    try:
        import numpy
    except ImportError as error:
        if error.name == "numpy":
            raise ImportError("tensorglass needs NumPy, which is not installed. " + what_to_do, name="numpy") from None
        raise ImportError("tensorglass needs NumPy, which cannot be imported here. " + what_to_do) from error
    if tuple(int(part) for part in numpy.__version__.split(".")[:2]) < OLDEST_NUMPY:
        raise ImportError(
            "tensorglass needs NumPy {} or newer, and this is NumPy {}. {}".format(
                oldest, numpy.__version__, what_to_do
            )
        )


check_python()
check_numpy()
