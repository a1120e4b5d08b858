"""``torch.torch_version``: a version that is a string, and is compared as a version."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from operator import eq, ge, gt, le, lt
from typing import Any

__all__ = ["TorchVersion"]

_FORM = re.compile(
    r"v?(\d+(?:\.\d+)*)(?:[-_.]?(dev|a|b|c|rc|alpha|beta|pre|post)[-_.]?(\d*))?(\+[\w.]+)?", re.IGNORECASE
)
_STAGES = {"dev": -4, "a": -3, "alpha": -3, "b": -2, "beta": -2, "c": -1, "rc": -1, "pre": -1, "": 0, "post": 1}


class TorchVersion(str):
    """A version such as "2.13.0", which is greater than "2.9" and less than (3, 0).

    As in PyTorch, "2.13.0" equals "2.13", and is said to be unequal too: `!=` compares strings.
    """

    __slots__ = ()

    def __lt__(self, other: Any) -> bool:
        return _compared(lt, self, other)

    def __le__(self, other: Any) -> bool:
        return _compared(le, self, other)

    def __gt__(self, other: Any) -> bool:
        return _compared(gt, self, other)

    def __ge__(self, other: Any) -> bool:
        return _compared(ge, self, other)

    def __eq__(self, other: object) -> bool:
        return _compared(eq, self, other)

    __hash__ = str.__hash__


def _compared(compare: Callable[[Any, Any], bool], version: str, other: Any) -> bool:
    if not isinstance(other, str):
        if not isinstance(other, Iterable):
            return NotImplemented
        other = ".".join(map(str, other))
    ours, theirs = _key(version), _key(other)
    return compare(str(version), other) if ours is None or theirs is None else compare(ours, theirs)


def _key(text: str) -> tuple[Any, ...] | None:
    """Release, stage (from development to after the release) and local part, in the order of PEP 440."""
    match = _FORM.fullmatch(text.strip())
    if match is None:
        return None
    release, stage, number, local = match.groups(default="")
    parts = [int(part) for part in release.split(".")]
    while parts and not parts[-1]:
        parts.pop()
    return parts, _STAGES[stage.lower()], int(number or 0), local
