"""The arguments of a call in the order of a signature, defaults where they are left out: what a node may keep."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from typing import Any


def defaults_by_count(signature: inspect.Signature) -> dict[int, tuple[Any, ...]]:
    """For each number of arguments that may be given by place alone, the values of the others."""
    parameters = list(signature.parameters.values())
    if any(each.kind not in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY) for each in parameters):
        return {}
    defaults = tuple([each.default for each in parameters])
    most = len([each for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD])
    return {count: defaults[count:] for count in range(most + 1) if inspect.Parameter.empty not in defaults[count:]}


def reader(signature: inspect.Signature) -> Callable[[tuple[Any, ...], dict[str, Any]], Sequence[Any] | None]:
    """A function that gives any call's arguments in the order of the signature, defaults where they are left out.

    It gives None for arguments that do not fit.
    """
    places = {name: place for place, name in enumerate(signature.parameters)}
    for theirs, ours in (("axis", "dim"), ("keepdims", "keepdim")):  # formulas are written with PyTorch's names
        if theirs in places and ours in places:
            places[theirs] = places[ours]
    left_out = defaults_by_count(signature)
    *before, last = signature.parameters.values()
    takes_many = last.kind is last.VAR_POSITIONAL and all(each.kind is each.POSITIONAL_OR_KEYWORD for each in before)
    fewest = len(before) if takes_many else sys.maxsize

    def read(arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Sequence[Any] | None:
        rest = left_out.get(len(arguments))
        if rest is not None and all(places.get(name, -1) >= len(arguments) for name in keywords):
            values = [*arguments, *rest]
            for name, value in keywords.items():
                values[places[name]] = value
            return values
        if len(arguments) >= fewest and not keywords:
            return *arguments[:fewest], arguments[fewest:]
        try:
            found = signature.bind(*arguments, **keywords)  # ten times as long
        except TypeError:
            return None
        found.apply_defaults()
        return list(found.arguments.values())

    return read
