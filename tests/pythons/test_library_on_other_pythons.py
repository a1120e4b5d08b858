"""The library on the versions of Python that this environment has not: half of its own tests, without PyTorch."""

import os
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[2]
VERSIONS = ("3.12", "3.13", "3.13t", "3.14")
ROOMS = {
    "operators": ("geometry", "library/ops"),
    "tensors": tuple(
        f"library/{room}"
        for room in (
            "bootstrap",
            "core",
            "storage",
            "tensor",
            "memory",
            "func",
            "interop",
            "nn",
            "serialization/test_saving.py",
        )
    ),
}


@pytest.mark.timeout(1200)  # half a minute, on a machine that does nothing else
@pytest.mark.parametrize("rooms", ROOMS)
@pytest.mark.parametrize("version", VERSIONS)
def test_the_librarys_own_tests_pass_on_another_python(version, rooms, tmp_path):
    folder = os.environ.get("PYTHONS")
    if folder is None:
        pytest.skip("no other Pythons: python tests/pythons/fetch.py FOLDER fetches them, PYTHONS=FOLDER names them")
    python = Path(folder, version, "python").absolute()
    if not python.exists():
        pytest.skip(f"Python {version} could not be had")
    path = os.pathsep.join(map(str, (ROOT / "lib", ROOT / "course", python.parent / "packages")))
    alone = {"PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
    outcome = tmp_path / "report.xml"
    command = [python, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider", f"--junitxml={outcome}"]
    ran = subprocess.run(
        [*command, *(f"tests/{room}" for room in ROOMS[rooms])],
        cwd=ROOT, env={**os.environ, **alone}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout[-5000:] + ran.stderr[-2000:]
    (suite,) = ElementTree.parse(outcome).getroot().iter("testsuite")
    assert int(suite.attrib["tests"]) - int(suite.attrib["skipped"]) > 100
