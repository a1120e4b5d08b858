"""Asking for a name that is not here: a slip of the keyboard, or something of PyTorch's that is not here yet.

The first line is Python's own; which of the two it was, and what to write instead, is said in a note. PyTorch's names
are kept in `pytorch_names.txt`.

Tensors have no `__getattr__` to say it, for that slows every access to their fields (see `naming`). What PyTorch's
tensors have and ours do not is an attribute that refuses. A slip Python itself explains in a terminal ("Did you mean"),
and the course in a notebook, by `about_attribute`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from tensorglass.core.errors import explained
from tensorglass.tensor.tensor import Tensor

_PYTORCH_NAMES = os.path.join(os.path.dirname(__file__), "pytorch_names.txt")
MODULES = ("linalg", "special", "fft")


def no_such_name(name: str, there: Iterable[str], module: str = "") -> AttributeError:
    """The error for a `name` that the namespace, or a `module` of it, does not have; `there` are those it has."""
    error = AttributeError(f"module '{'.'.join(filter(None, ('tensorglass', module)))}' has no attribute '{name}'")
    return _noted(error, name, there, module)


def about_attribute(name: str) -> list[str]:
    """What there is to say about an attribute that tensors do not have."""
    there = [each for each, value in vars(Tensor).items() if type(value) is not NotHere]
    return _about(name, there, "Tensor")


class NotHere:
    """An attribute that PyTorch's tensors have and ours do not."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, tensor: Tensor | None, owner: type) -> Any:
        name = self._name
        whose = f"type object '{owner.__name__}'" if tensor is None else f"'{owner.__name__}' object"
        error = AttributeError(f"{whose} has no attribute '{name}'", name=name, obj=owner if tensor is None else tensor)
        raise explained(error, *about_attribute(name))


def _dir(tensor: Tensor) -> list[str]:
    """The attributes of a tensor, without those that refuse."""
    found = vars(Tensor)
    return [name for name in object.__dir__(tensor) if type(found.get(name)) is not NotHere]


def pytorch_names() -> list[str]:
    """PyTorch's names, by path: "add", "linalg.det", "Tensor.add"."""
    with open(_PYTORCH_NAMES, encoding="utf-8") as file:
        return file.read().split()


def attach() -> None:
    """Give Tensor the attributes that refuse."""
    attributes: dict[str, Any] = {"__dir__": _dir}
    there = frozenset(dir(Tensor))
    for path in pytorch_names():
        home, _, name = path.rpartition(".")
        if home == "Tensor" and name not in there:
            attributes[name] = NotHere(name)
    for name, value in attributes.items():
        setattr(Tensor, name, value)


def _noted(error: AttributeError, name: str, there: Iterable[str], home: str) -> AttributeError:
    return explained(error, *_about(name, there, home))


def _about(name: str, there: Iterable[str], home: str) -> list[str]:
    from difflib import get_close_matches  # when it is needed: imports should be quick

    if name.startswith("_"):  # programs ask for these to find out what a thing is
        return []
    path = f"{home}.{name}" if home else name
    elsewhere = _elsewhere(name, home)
    close = get_close_matches(name, [each for each in there if not each.startswith("_")], cutoff=0.7)
    if path in pytorch_names():
        notes = [
            f"PyTorch has torch.{path}; tensorglass does not, or not yet. Its README lists what is left out and what "
            "is still to come."
        ]
        if elsewhere or close:
            notes.append(f"What is close to it here: {', '.join(elsewhere or close)}.")
        return notes
    if elsewhere:
        return [f"PyTorch has no such name either. There is {' and '.join(elsewhere)}."]
    if close:
        return [f"PyTorch has no such name either. Did you mean {' or '.join(close)}?"]
    return ["PyTorch has no such name either."]


def _elsewhere(name: str, home: str) -> list[str]:
    """Where the namespace, one of its modules or a tensor has something of this name that can be called."""
    import tensorglass  # when it is needed: it imports this module

    holders = {each: getattr(tensorglass, each) if each else tensorglass for each in ("", "Tensor", *MODULES)}
    return [
        f"torch.{each}.{name}" if each else f"torch.{name}"
        for each, holder in holders.items()
        if each != home and _has(holder, name)
    ]


def _has(holder: Any, name: str) -> bool:
    """Whether a namespace or class gives a function under this name. It is not asked for one that it does not have."""
    is_there = name in dir(holder) and type(vars(holder).get(name)) is not NotHere
    return is_there and callable(getattr(holder, name))
