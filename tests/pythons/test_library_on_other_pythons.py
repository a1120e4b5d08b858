"""The library on the versions of Python that this environment has not: half of its own tests, without PyTorch.

Each version runs a third of these, another third each day; together they run all of them each day, and each version in
three days. `SWEEPS=whole` has every version run all of them.
"""

import os
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
from by_day import DAY, WHOLE

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
VERSIONS = ("3.12", "3.13", "3.14", "3.13t")
PORTIONS = 1 if WHOLE else 3
ROOMS = (
    "geometry",
    *(f"library/{room}" for room in ("bootstrap", "core", "storage", "tensor", "memory", "ops", "func", "interop")),
    *("library/nn", "library/serialization/test_saving.py"),
)


@pytest.mark.timeout(1200)  # half a minute, on a machine that does nothing else
@pytest.mark.parametrize("version", VERSIONS)
def test_the_librarys_own_tests_pass_on_another_python(version, tmp_path):
    folder = os.environ.get("PYTHONS")
    if folder is None:
        pytest.skip("no other Pythons: python tests/pythons/fetch.py FOLDER fetches them, PYTHONS=FOLDER names them")
    python = Path(folder, version, "python").absolute()
    if not python.exists():
        pytest.skip(f"Python {version} could not be had")
    path = os.pathsep.join(map(str, (ROOT / "lib", ROOT / "course", HERE, python.parent / "packages")))
    todays = (VERSIONS.index(version) + DAY) % PORTIONS
    alone = {"PYTHONPATH": path, "OMP_NUM_THREADS": "1", "PORTION": f"{todays}/{PORTIONS}", "SWEEPS": "whole"}
    outcome = tmp_path / "report.xml"
    options = ["-q", "--tb=short", "-p", "no:cacheprovider", "-p", "portion", f"--junitxml={outcome}"]
    ran = subprocess.run(
        [python, "-m", "pytest", *options, *(f"tests/{room}" for room in ROOMS)],
        cwd=ROOT, env={**os.environ, **alone}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout[-5000:] + ran.stderr[-2000:]
    (suite,) = ElementTree.parse(outcome).getroot().iter("testsuite")
    assert int(suite.attrib["tests"]) - int(suite.attrib["skipped"]) > 100
