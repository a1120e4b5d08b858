"""Gradients that are missing, of another dtype, or hard to follow arrive as PyTorch's do."""

from __future__ import annotations

import pytest
from parity.autograd.gradient_stories import PRELUDE, STORIES
from parity.same_source import disagreement


@pytest.mark.parametrize("name", STORIES)
def test_gradients_arrive_as_in_pytorch(name: str) -> None:
    assert disagreement(STORIES[name], PRELUDE) is None
