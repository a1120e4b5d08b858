"""Numbers on the command line, with an error message for anything else."""

from argparse import ArgumentTypeError


def port(text: str) -> int:
    """A port that a server can listen on."""
    return _number_of_text(text, 1, 65535, "a port is a number from 1 to 65535")


def count(text: str) -> int:
    """A count, 0 or more."""
    return _number_of_text(text, 0, 65535, "this is a number from 0 to 65535")


def jobs(text: str) -> int:
    """How many processes in parallel: far more than a machine has cores would only overload it."""
    return _number_of_text(text, 1, 256, "this is a number from 1 to 256")


def _number_of_text(text: str, least: int, most: int, rule: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(most)) and least <= int(text) <= most):
        raise ArgumentTypeError(f"{rule}, not {text!r}")
    return int(text)
