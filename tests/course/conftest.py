"""The two libraries that the classroom must treat alike; and no test looks through what others have left."""

import gc

import pytest


@pytest.fixture(scope="session", params=["tensorglass", "torch"])
def torch(request):
    """tensorglass, then the real PyTorch where it is installed."""
    return pytest.importorskip(request.param, reason="real PyTorch is not installed (extra: parity)")


@pytest.fixture(scope="module", autouse=True)
def little_to_look_through() -> None:
    """Hide from Python's collector what tests of other files have left: timelines and holders look through it all."""
    gc.collect()
    gc.freeze()
