"""Parameters that are True or False. Python takes anything for one, so what is given for them is looked at."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any


def flags_of(body: Callable[..., Any]) -> list[tuple[int, str]]:
    """The parameters that are True or False, and their places: Python takes anything for one, and raises nothing.

    Those that are given by name alone have a place that no argument reaches.
    """
    plain = body
    while hasattr(plain, "__wrapped__"):
        plain = plain.__wrapped__
    found = plain.__annotations__
    if "bool" not in found.values():
        return []
    by_place = plain.__code__.co_argcount
    names = plain.__code__.co_varnames[: by_place + plain.__code__.co_kwonlyargcount]
    places = [*range(by_place), *[sys.maxsize] * (len(names) - by_place)]
    return [(place, name) for place, name in zip(places, names, strict=True) if found.get(name) == "bool"]


def are_flags(flags: list[tuple[int, str]], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    """Whether what is given for `flags` is True or False."""
    for place, name in flags:
        given = arguments[place] if len(arguments) > place else keywords.get(name, False)
        if given is not True and given is not False:
            return False
    return True
