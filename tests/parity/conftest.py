"""Every test begins with the same random numbers: PyTorch's own samples take theirs from its generator."""

import random
import sys

import pytest


@pytest.fixture(autouse=True)
def _same_numbers_each_time() -> None:
    random.seed(0)
    if "torch" in sys.modules:  # a test file without PyTorch is skipped
        sys.modules["torch"].manual_seed(0)
