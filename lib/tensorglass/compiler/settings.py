"""Settings of a module that are changed temporarily: ``with torch._dynamo.config.patch(verbose=True):``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any


def patching(module: str) -> Callable[..., AbstractContextManager[None]]:
    """The function `patch` of a module of settings: a context and decorator within which they have other values."""

    @contextmanager
    def patch(changes: Mapping[str, Any] | str | None = None, value: Any = None, /, **others: Any) -> Iterator[None]:
        """Settings by name and value, as a dictionary, or as arguments, until the end of the block."""
        wanted = {changes: value} if isinstance(changes, str) else {**(changes or {}), **others}
        there = vars(sys.modules[module])
        before = {name: _reached(there, name) for name in wanted}
        _set(there, wanted)
        try:
            yield
        finally:
            _set(there, before)

    return patch


def _reached(there: dict[str, Any], path: str) -> Any:
    """The setting `triton.cudagraphs` of the module with these globals."""
    home, *names = path.split(".")
    value = there.get(home)
    for name in names:
        value = getattr(value, name)
    return value


def _set(there: dict[str, Any], values: Mapping[str, Any]) -> None:
    for path, value in values.items():
        home, _, name = path.rpartition(".")
        (vars(_reached(there, home)) if home else there)[name] = value
