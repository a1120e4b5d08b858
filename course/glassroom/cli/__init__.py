"""The ``glassroom`` command, from the outside in: this file only makes sure that the Python is new enough.

It must be readable by Pythons far older than the ones we run on, or they would answer with a syntax error
instead of a sentence. Everything else is imported after the check.
"""

import sys

OLDEST_PYTHON = (3, 11)


def main(argv=None):
    """Run the command with `argv` (default: the process's arguments) and return its exit code."""
    if sys.version_info < OLDEST_PYTHON:
        wanted = "{}.{}".format(*OLDEST_PYTHON)
        here = "{}.{}".format(*sys.version_info)
        sys.stderr.write(
            f"glassroom needs Python {wanted} or newer, and this is Python {here} ({sys.executable}). "
            f"With a newer one installed, make an environment of its own: python{wanted} -m venv .venv && "
            ".venv/bin/pip install 'tensorglass[course]'\n"
        )
        return 4
    try:
        from glassroom.translations.language import asked_for, speak

        speak(asked_for(sys.argv[1:] if argv is None else argv))
        from glassroom.cli.app import run

        return run(argv)
    except KeyboardInterrupt:  # before a command has begun
        sys.stderr.write("\nglassroom: interrupted\n")
        return 130
