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
MODULES = ("linalg", "special", "fft")


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
    elsewhere = _elsewhere(name, home)
    close = get_close_matches(name, [each for each in there if not each.startswith("_")], cutoff=0.7)
    if path in PYTORCH_NAMES.read_text().split():
        notes = [
            f"PyTorch has torch.{path}; tensorglass does not, or not yet. Its README lists what is left out and what "
            "is still to come."
        ]
        if elsewhere or close:
            notes.append(f"What is close to it here: {', '.join(elsewhere or close)}.")
        return explained(error, *notes)
    if elsewhere:
        return explained(error, f"PyTorch has no such name either. There is {' and '.join(elsewhere)}.")
    if close:
        return explained(error, f"PyTorch has no such name either. Did you mean {' or '.join(close)}?")
    return explained(error, "PyTorch has no such name either.")


def _elsewhere(name: str, home: str) -> list[str]:
    """Where the namespace, one of its modules or a tensor has something of this name that can be called."""
    import tensorglass  # when it is needed: it imports this module

    holders = {each: getattr(tensorglass, each) if each else tensorglass for each in ("", "Tensor", *MODULES)}
    return [
        f"torch.{each}.{name}" if each else f"torch.{name}"
        for each, holder in holders.items()
        if each != home and callable(vars(holder).get(name))
    ]
