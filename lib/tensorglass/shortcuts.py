"""Whether the library takes shortcuts: with ``TENSORGLASS_FAST=0`` in the environment it takes none.

A shortcut answers common calls sooner, and answers them as the plain way does. With all of them left out, what they
give can be compared with the plain way: `glassroom test` runs the library's tests both ways.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

_P = ParamSpec("_P")
_R = TypeVar("_R")

ENABLED = os.environ.get("TENSORGLASS_FAST") != "0"  #: read once, when the library is imported


def shortcut(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """A function that answers the calls it knows, and None or False to others; to all where shortcuts are left out."""
    return function if ENABLED else cast("Callable[_P, _R]", _declined)


def _declined(*_: Any, **__: Any) -> None:
    """What a shortcut answers where it is left out."""
