"""Asking for a name that is not here: a slip of the keyboard, or something of PyTorch's that is not here yet.

The one idea to keep in mind: the first line is Python's own; which of the two it was, and what to write instead, is
said in a note. PyTorch's names are kept in `pytorch_names.txt`, which is read when the first error is raised.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from tensorglass.errors import explained

PYTORCH_NAMES = Path(__file__).with_name("pytorch_names.txt")


def no_such_name(name: str, there: Iterable[str], module: str = "") -> AttributeError:
    """The error for a `name` that the namespace, or a `module` of it, does not have; `there` are those it has."""
    error = AttributeError(f"module '{'.'.join(filter(None, ('tensorglass', module)))}' has no attribute '{name}'")
    return _noted(error, name, there, module)


def no_such_attribute(name: str, tensor: Any) -> AttributeError:
    """The error for an attribute that a tensor does not have."""
    error = AttributeError(f"'{type(tensor).__name__}' object has no attribute '{name}'")
    return _noted(error, name, dir(type(tensor)), "Tensor")


def _noted(error: AttributeError, name: str, there: Iterable[str], home: str) -> AttributeError:
    if name.startswith("_"):  # programs ask for these to find out what a thing is
        return error
    path = f"{home}.{name}" if home else name
    if path in PYTORCH_NAMES.read_text().split():
        return explained(
            error,
            f"PyTorch has torch.{path}; tensorglass does not, or not yet. Its README lists what is left out and what "
            "is still to come.",
        )
    names = [each for each in there if not each.startswith("_")]
    close = get_close_matches(name, names, cutoff=0.7)
    if close:
        return explained(error, f"PyTorch has no such name either. Did you mean {' or '.join(close)}?")
    return explained(error, "PyTorch has no such name either.")
