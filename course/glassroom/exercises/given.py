"""What a notebook gives to an answer, which a check restores afterwards. Imported without NumPy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from glassroom.exercises.facts import MOST_READ, elements, is_array, is_tensor


@contextmanager
def handed_back(given: Iterable[Any]) -> Iterator[None]:
    """A context after which the tensors and arrays among these hold what they held before it, so that an answer that
    writes into them spoils none of the answers after it."""
    kept = [(tensor, _copy_of(tensor)) for tensor in given if is_tensor(tensor) or is_array(tensor)]
    try:
        yield
    finally:
        for tensor, before in kept:
            with suppress(Exception):  # what cannot be written, such as a read-only array, has not changed
                now = tensor.data if is_tensor(tensor) else tensor
                if before is not None and bool((now != before).any()):
                    now[...] = before  # through .data no version counts it


def _copy_of(given: Any) -> Any:
    """A copy of a tensor or an array; None of a large one, and of one without elements."""
    if not 0 < elements(given) <= MOST_READ:
        return None
    with suppress(Exception):
        return given.detach().clone() if is_tensor(given) else given.copy()
    return None
