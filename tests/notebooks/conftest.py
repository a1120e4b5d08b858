"""The course's notebooks, each as a test's argument, and what is compared of a cell's outputs."""

import json
import os
from pathlib import Path

import pytest

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
