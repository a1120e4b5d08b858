"""Versions compare as PyTorch's do."""

from __future__ import annotations

import operator
from typing import Any

import pytest

from tensorglass import torch_version

theirs = pytest.importorskip("torch.torch_version", reason="the oracle, PyTorch, is not installed (extra: parity)")

OTHERS = (
    "2.13.0",
    "2.13",
    "2.13.0+tensorglass",
    "2.9",
    "2.14",
    "2.13.0a0",
    "2.13.0rc1",
    "2.13.0.post1",
    "nonsense",
    "",
)
OTHERS += ((2, 13), (2, 13, 0), (2, 9), (2, 13, 1), (2,), ("2", "9"), ["2", "14"], 2, 2.13, None)
COMPARISONS = (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne)


def answered(library: Any, version: str, compare: Any, other: Any) -> Any:
    try:
        return compare(library.TorchVersion(version), other)
    except TypeError:
        return TypeError


@pytest.mark.parametrize("version", ["2.13.0+tensorglass", "2.13.0", "2.13.0.dev20260101"])
@pytest.mark.parametrize("compare", COMPARISONS)
def test_versions_compare_as_in_pytorch(version: str, compare: Any) -> None:
    ours, pytorchs = ([answered(each, version, compare, other) for other in OTHERS] for each in (torch_version, theirs))
    assert ours == pytorchs
