"""Every test begins with the same random numbers in both libraries: PyTorch takes those of its samples from them."""

import random
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

import tensorglass


@cache
def _has_oracle() -> bool:
    try:
        import_module("torch")
    except ModuleNotFoundError:
        return False
    return True


class _WithoutOracle(pytest.Module):
    """A file that is skipped before it is imported."""

    def collect(self) -> Iterator[pytest.Item]:
        pytest.skip("the oracle is missing: pip install torch==2.13.0")


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    """Skip every file where PyTorch is not installed."""
    return None if _has_oracle() else _WithoutOracle.from_parent(parent, path=module_path)


def pytest_collection_finish() -> None:
    """Let PyTorch forget the seeds of accelerators that are not there.

    It would keep each with the stack of the call, in case one appears: that was a quarter of these tests' time.
    """
    torch = sys.modules.get("torch")
    if torch is not None and not torch.accelerator.is_available():
        for module in (torch.cuda.random, torch.xpu.random, torch.mtia):
            module._lazy_call = lambda *_, **__: None


@pytest.fixture(autouse=True)
def _same_numbers_each_time() -> None:
    random.seed(0)
    tensorglass.manual_seed(0)
    if "torch" in sys.modules:  # a test file without PyTorch is skipped
        sys.modules["torch"].manual_seed(0)
