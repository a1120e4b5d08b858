"""Every test begins with the same random numbers in both libraries: PyTorch takes those of its samples from them."""

import random
import sys

import pytest

import tensorglass


@pytest.fixture(autouse=True)
def _same_numbers_each_time() -> None:
    random.seed(0)
    tensorglass.manual_seed(0)
    if "torch" in sys.modules:  # a test file without PyTorch is skipped
        sys.modules["torch"].manual_seed(0)
