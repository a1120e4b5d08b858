"""Classes derived from Tensor, and classes that define `__torch_function__`, get from operators what PyTorch gives."""

from __future__ import annotations

import pytest
from parity.same_source import disagreement
from parity.tensor.subclass_stories import PRELUDE, STORIES


@pytest.mark.parametrize("name", STORIES)
def test_a_class_gets_from_operators_what_it_gets_in_pytorch(name: str) -> None:
    assert disagreement(STORIES[name], PRELUDE) is None
