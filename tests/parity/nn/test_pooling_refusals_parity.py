"""Pooling refuses options of the wrong length, and inputs that are empty, in PyTorch's words."""

from __future__ import annotations

import pytest
from parity.same_source import disagreement

CALLS = (
    "F.max_unpool2d(image, places, (2, 2, 2))",
    "F.max_unpool2d(image, places, 2, (2,))",
    "F.max_unpool2d(image, places, 2, 2, (1,))",
    "F.max_unpool3d(volume, volume.long(), (2, 2))",
    "F.max_unpool3d(volume, volume.long(), 2, 2, (1, 1))",
    "F.fractional_max_pool2d(image, (2, 2, 2), 2)",
    "F.fractional_max_pool2d(image, 2, (2, 2, 2))",
    "F.fractional_max_pool2d(image, 2, 2, _random_samples=torch.ones(1, 2))",
    "F.fractional_max_pool2d(image[:, :0], 2, 2)",
    "F.fractional_max_pool2d(image[:, :, :0], 2, 2)",
    "F.fractional_max_pool3d(volume, (2, 2), 2)",
    "F.fractional_max_pool3d(volume, 2, (2, 2))",
)
PRELUDE = """
    F = torch.nn.functional
    image, volume = torch.ones(1, 1, 4, 4), torch.zeros(1, 1, 4, 4, 4)
    places = torch.zeros(1, 1, 4, 4, dtype=torch.int64)
"""


@pytest.mark.parametrize("call", CALLS)
def test_wrong_options_are_refused_as_in_pytorch(call: str) -> None:
    assert disagreement(f"attempt(lambda: {call})", PRELUDE) is None
