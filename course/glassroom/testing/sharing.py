"""`assert_shares_memory` and `assert_no_shared_memory`: whether tensors have bytes in common."""

from __future__ import annotations

import sys
from itertools import combinations

from glassroom.inspectors.aliases.byte_runs import runs_of, shared
from glassroom.inspectors.aliases.groups import aliases_of
from glassroom.inspectors.aliases.picture import text_of_aliases
from glassroom.reading.adapters import described
from glassroom.reading.call_expressions import argument_names
from glassroom.testing.messages import error_of


def assert_shares_memory(*tensors: object) -> None:
    """Fail unless every two of the tensors have bytes in common; the message shows the bytes of each.

    Takes tensors of PyTorch and tensorglass, arrays of NumPy and CuPy, also mixed. Raises AssertionError; TypeError for
    tensors without memory, or for fewer than two.
    """
    __tracebackhide__ = True
    names = argument_names(sys._getframe(1), tensors)
    for one, other in _pairs(tensors):
        if not _have_bytes_in_common(tensors[one], tensors[other]):
            raise error_of(f"{names[one]} and {names[other]} share no memory\n\n{_picture(tensors, names)}")


def assert_no_shared_memory(*tensors: object) -> None:
    """Fail if any two of the tensors have bytes in common; the message shows which.

    Takes and raises what `assert_shares_memory` does.
    """
    __tracebackhide__ = True
    names = argument_names(sys._getframe(1), tensors)
    for one, other in _pairs(tensors):
        if _have_bytes_in_common(tensors[one], tensors[other]):
            raise error_of(f"{names[one]} and {names[other]} share memory\n\n{_picture(tensors, names)}")


def _pairs(tensors: tuple[object, ...]) -> list[tuple[int, int]]:
    if len(tensors) < 2:
        raise TypeError(f"two tensors or more are compared, not {len(tensors)}")
    return list(combinations(range(len(tensors)), 2))


def _have_bytes_in_common(one: object, other: object) -> bool:
    """Whether they have; also True if their bytes are in too many pieces to know."""
    first, second = described(one), described(other)
    if first.memory.device != second.memory.device:
        return False
    here, there = (runs_of(layout.pointer, layout.size, layout.strides, layout.itemsize) for layout in (first, second))
    return shared(here, there) != 0


def _picture(tensors: tuple[object, ...], names: list[str]) -> str:
    held: dict[int, tuple[object, list[str]]] = {}
    for tensor, name in zip(tensors, names, strict=True):
        held.setdefault(id(tensor), (tensor, []))[1].append(name)
    return text_of_aliases(aliases_of(held))
