"""Calls that are wrong, made of calls that are right: an argument of another type, one too few, one too many.

From each good call below come its wrong neighbors; whatever PyTorch says to one, in class and first line, so must we.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from parity.agreement import Dtype, blueprint, disagreement

MATRIX = blueprint(range(6), "float32", (2, 3))
CUBE = blueprint(range(24), "int64", (2, 3, 4))
PLACES = blueprint([0, 1], "int64", (2,))
MASK = blueprint([True, False, True], "bool", (3,))

# Each with the tensor first, as the function takes it; the method is called on it.
GOOD_CALLS: list[tuple[str, tuple[Any, ...], str]] = [
    ("transpose", (MATRIX, 0, 1), "both"),
    ("swapaxes", (MATRIX, 0, 1), "both"),
    ("movedim", (CUBE, 0, 2), "both"),
    ("movedim", (CUBE, (0, 1), (1, 2)), "both"),
    ("permute", (MATRIX, (1, 0)), "both"),
    ("permute", (MATRIX, 1, 0), "method"),
    ("view", (MATRIX, 3, 2), "method"),
    ("view", (MATRIX, (3, 2)), "method"),
    ("view", (MATRIX, Dtype("int32")), "method"),
    ("reshape", (MATRIX, (3, 2)), "both"),
    ("expand", (MATRIX, 4, 2, 3), "method"),
    ("broadcast_to", (MATRIX, (4, 2, 3)), "both"),
    ("flatten", (CUBE, 0, 1), "both"),
    ("unsqueeze", (MATRIX, 0), "both"),
    ("squeeze", (MATRIX, 0), "both"),
    ("squeeze", (MATRIX, (0, 1)), "both"),
    ("narrow", (MATRIX, 1, 0, 2), "both"),
    ("select", (MATRIX, 1, 0), "both"),
    ("unbind", (MATRIX, 1), "both"),
    ("chunk", (MATRIX, 2, 1), "both"),
    ("split_with_sizes", (MATRIX, (1, 2), 1), "both"),
    ("tensor_split", (MATRIX, 2, 1), "both"),
    ("tensor_split", (MATRIX, (1, 2), 1), "both"),
    ("hsplit", (MATRIX, 3), "both"),
    ("vsplit", (MATRIX, (1,)), "both"),
    ("diagonal", (CUBE, 1, 0, 2), "both"),
    ("unfold", (MATRIX, 1, 2, 1), "method"),
    ("as_strided", (MATRIX, (2, 2), (1, 1), 1), "both"),
    ("repeat", (MATRIX, 2, 2), "method"),
    ("gather", (MATRIX, 0, blueprint([0, 1, 0], "int64", (1, 3))), "both"),
    ("index_select", (MATRIX, 0, PLACES), "both"),
    ("index_fill", (MATRIX, 0, PLACES, 7), "both"),
    ("index_add", (MATRIX, 0, PLACES, MATRIX), "both"),
    ("index_copy", (MATRIX, 0, PLACES, MATRIX), "both"),
    ("take", (MATRIX, PLACES), "both"),
    ("masked_fill", (MATRIX, MASK, 7), "both"),
    ("masked_select", (MATRIX, MASK), "both"),
    ("scatter", (MATRIX, 0, blueprint([0, 1, 0], "int64", (1, 3)), 7), "both"),
    ("where", (MASK, MATRIX, 7), "function"),
    ("where", (MATRIX, MASK, MATRIX), "method"),
    ("copy_", (MATRIX, MATRIX, False), "method"),
    ("nonzero", (MATRIX,), "both"),
    ("size", (MATRIX, 1), "method"),
    ("stride", (MATRIX, 1), "method"),
    ("is_set_to", (MATRIX, MATRIX), "method"),
    ("squeeze_", (MATRIX, 0), "method"),
    ("as_strided_", (MATRIX, (2, 2), (1, 1), 1), "method"),
    ("transpose_", (MATRIX, 0, 1), "method"),
    ("unsqueeze_", (MATRIX, 0), "method"),
    ("full_like", (MATRIX, 7), "function"),
    ("zeros_like", (MATRIX,), "function"),
    ("clone", (MATRIX,), "both"),
    ("contiguous", (MATRIX,), "method"),
    ("numel", (MATRIX,), "function"),
    ("t", (MATRIX,), "function"),
]
MISFITS: tuple[Any, ...] = ("a", None, 1.5, True, ("a",), (0, "a"), (1.5, 0), MATRIX, Dtype("int8"))


def wrong_calls(
    arguments: tuple[Any, ...], first: int, misfits: tuple[Any, ...]
) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    """The neighbors of a good call: from `first` on, each argument replaced, the last left out, one added."""
    for place in range(first, len(arguments)):
        for misfit in misfits:
            yield (*arguments[:place], misfit, *arguments[place + 1 :]), {}
    for length in range(first, len(arguments)):
        yield arguments[:length], {}
    yield (*arguments, 0), {}
    yield arguments, {"nothing_like_it": 1}


@pytest.mark.parametrize(
    ("name", "arguments", "forms"), GOOD_CALLS, ids=[f"{call[0]}-{i}" for i, call in enumerate(GOOD_CALLS)]
)
def test_a_wrong_call_is_refused_in_pytorchs_words(name: str, arguments: tuple[Any, ...], forms: str) -> None:
    misfits = MISFITS
    if name in ("squeeze", "squeeze_"):  # PyTorch tells squeeze() and squeeze(None) apart, and refuses the latter
        misfits = tuple(misfit for misfit in MISFITS if misfit is not None)
    differences = []
    for form in ("function", "method") if forms == "both" else (forms,):
        assert disagreement(name, arguments, form=form) is None
        for wrong, keywords in wrong_calls(arguments, 1 if form == "method" else 0, misfits):
            differences.append(disagreement(name, wrong, keywords, form=form))
    assert not [differs for differs in differences if differs]
