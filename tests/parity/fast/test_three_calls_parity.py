"""Gradients, and gradients of those, of leaves that lie in memory in every way: at the third call still PyTorch's."""

from __future__ import annotations

import os
import warnings
from typing import Any

import pytest
from gradient_calls import NAMES
from gradient_layouts import LAYOUTS, calls_laid_out, second_gradients
from parity.agreement import torch
from parity.autograd.test_gradients_parity import GOES_FURTHER, are_same, plain

import tensorglass

#: Of a matrix of equal rows the vectors that these find are not determined, nor are gradients through those; PyTorch's
#: medians along such a dimension read past its elements, and topk and kthvalue choose any of them.
NOT_OF_EQUAL_ROWS = (
    "median", "nanmedian", "topk", "kthvalue",
    "linalg_eigh", "linalg_svd", "linalg_svdvals", "svd", "linalg_qr", "qr", "linalg_matrix_norm", "linalg_norm",
)  # fmt: skip
#: Shortcuts begin with the second call. Without them the first is like all others.
CALLS = 1 if os.environ.get("TENSORGLASS_FAST") == "0" else 3


def flags(seen: dict[str, Any]) -> list[Any]:
    """Whether each result and gradient can be differentiated further; None for a missing gradient."""
    return [[tensor is not None and tensor.requires_grad for tensor in seen[field]] for field in ("results", "first")]


CASES = [
    (name, layout)
    for name in NAMES
    for layout in LAYOUTS
    if not (layout == "expanded" and name in NOT_OF_EQUAL_ROWS) and any(True for _ in calls_laid_out(name, layout))
]


@pytest.mark.sweep(3)
@pytest.mark.parametrize(("name", "layout"), CASES)
def test_the_third_call_has_pytorchs_gradients(name: str, layout: str) -> None:
    further = GOES_FURTHER["complex128" if layout == "conjugated" else "float64"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in calls_laid_out(name, layout):
            # The gradient of a bias depends on neither input nor weight, and needs no gradient here.
            if call.name.startswith((*further, "convolution-")):
                continue
            theirs = second_gradients(torch, call, layout)
            for _ in range(CALLS):
                ours = second_gradients(tensorglass, call, layout)
            assert ours.get("refused") == theirs.get("refused"), call.name
            if "refused" in ours:
                continue
            assert flags(ours) == flags(theirs), call.name
            for field in ("results", "first", "second"):
                for mine, other in zip(ours[field], theirs[field], strict=True):
                    assert are_same(plain(mine), plain(other)), (call.name, field, mine, other)
