"""The ``glassroom`` command, from the outside in: this file only makes sure that the Python is new enough.

It must be readable by Pythons far older than the ones we run on, or they would answer with a syntax error instead of a
sentence. Everything else is imported after the check.
"""

import sys

OLDEST_PYTHON = (3, 11)


def main(argv=None):  # type: ignore[no-untyped-def]  # an old Python reads this file too
    """Run the command with `argv` (default: the process's arguments) and return its exit code."""
    if sys.version_info < OLDEST_PYTHON:
        wanted = ".".join(str(part) for part in OLDEST_PYTHON)
        sys.stderr.write(
            "glassroom needs Python {0} or newer, and this is Python {1} ({2}). With a newer one installed, make an "
            "environment of its own: python{0} -m venv .venv && .venv/bin/pip install 'tensorglass[course]'\n".format(
                wanted, sys.version.split()[0], sys.executable
            )
        )
        return 4
    from glassroom.cli.app import run

    return run(argv)
