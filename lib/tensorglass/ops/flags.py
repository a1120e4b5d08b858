"""Parameters that are looked at before a call, for Python takes anything for them and raises nothing.

They are told by their annotations: `bool` is for those that are True or False, `Stated…` for dimensions that are left
out or said: PyTorch's parser refuses None for them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

StatedDim = int | None
StatedDims = int | Sequence[int] | None

_LOOKED_AT = frozenset(("bool", "StatedDim", "StatedDims"))


def flags_of(body: Callable[..., Any]) -> list[tuple[int, str, bool]]:
    """The parameters to look at, with their places, and whether they are True or False.

    Those that are given by name alone have a place that no argument reaches.
    """
    plain = body
    while hasattr(plain, "__wrapped__"):
        plain = plain.__wrapped__
    found = plain.__annotations__
    if _LOOKED_AT.isdisjoint(found.values()):
        return []
    by_place = plain.__code__.co_argcount
    names = plain.__code__.co_varnames[: by_place + plain.__code__.co_kwonlyargcount]
    places = [*range(by_place), *[sys.maxsize] * (len(names) - by_place)]
    return [
        (place, name, found[name] == "bool")
        for place, name in zip(places, names, strict=True)
        if found.get(name) in _LOOKED_AT
    ]


def are_flags(flags: list[tuple[int, str, bool]], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    """Whether what is given for `flags` is True or False, or at least said."""
    for place, name, is_bool in flags:
        given = arguments[place] if len(arguments) > place else keywords.get(name, False)
        if given is None or (is_bool and given is not True and given is not False):
            return False
    return True
