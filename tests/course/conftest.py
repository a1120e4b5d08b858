"""Both libraries: the classroom must treat them alike."""

import pytest


@pytest.fixture(scope="session", params=["tensorglass", "torch"])
def torch(request):
    """tensorglass, then the real PyTorch where it is installed."""
    return pytest.importorskip(request.param, reason="real PyTorch is not installed (extra: parity)")
