"""The course's notebooks, each as a test's argument, and kernels to run them."""

import json
import os
import sys
from pathlib import Path

import pytest
from warm_kernels import warm_kernels

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
PATHS = sorted(path for path in NOTEBOOKS.rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts)

# Two threads in each of two kernels on two cores would only get in each other's way.
os.environ.setdefault("OMP_NUM_THREADS", "1")


def pytest_generate_tests(metafunc):
    if "path" in metafunc.fixturenames:
        metafunc.parametrize("path", PATHS, ids=[path.stem for path in PATHS])


@pytest.fixture
def notebook(path):
    """The stored notebook at `path`."""
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def kernels(request):
    """Kernels that begin with the packages that a file names in `IMPORTED`; ordinary ones outside of Linux."""
    imported = request.module.IMPORTED
    for module in imported:
        pytest.importorskip(module, reason=f"{module} is not installed (extra: parity)")
    if sys.platform != "linux":
        yield
        return
    with warm_kernels(*imported) as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_PATH", folder, prepend=os.pathsep)
        yield
