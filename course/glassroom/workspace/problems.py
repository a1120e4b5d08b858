"""Errors from outside the course, explained in one paragraph to the person at the keyboard. A `Problem` is an expected
error of the environment: a folder that cannot be written, a busy port, a damaged notebook. The command prints its
message without a traceback and exits with its code.
"""

from collections.abc import Iterable
from enum import IntEnum

from glassroom.records.printable import printable


class Exit(IntEnum):
    """The exit codes of the ``glassroom`` command."""

    OK = 0
    FAILED = 1  # a test failed, a notebook changed, something the course needs is missing
    USAGE = 2  # the command line was not understood
    OUTSIDE = 3  # a folder, a port or a notebook is in the way
    REQUIREMENT = 4  # Python, NumPy or the Jupyter stack is missing or too old
    INTERRUPTED = 130


class Problem(Exception):
    """An expected error, with a message that says what to do, and its exit code.

    The message is one line, and further ones in `more`: control characters in a line, as in the name of a folder, are
    escaped as Python does.
    """

    def __init__(self, message: str, exit_code: Exit = Exit.OUTSIDE, more: Iterable[str] = ()) -> None:
        super().__init__("\n".join(printable(line) for line in (message, *more)))
        self.exit_code = exit_code
