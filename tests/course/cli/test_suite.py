"""How `glassroom test` counts: failures, errors, skips with their reasons, and processes that die."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from glassroom.cli import suite

ROOT = Path(__file__).resolve().parents[3]
PASSING = "def test_fine():\n    pass\n"
FAILING = "def test_wrong():\n    assert 1 == 2\n"
SKIPPED = "import pytest\npytest.importorskip('no_such_module', reason='no_such_module is not installed')\n"
BROKEN = "import no_such_module\n"
WITHOUT_SHORTCUTS = "import os\ndef test_it():\n    assert os.environ['TENSORGLASS_FAST'] == '0'\n"
SWEEP = """
import os, pytest
@pytest.mark.sweep(3)
@pytest.mark.parametrize("case", range(7))
def test_it(case):
    with open(os.environ["RAN"], "a") as file:
        file.write(f"{case} ")
"""
DYING = "import os\ndef test_dies():\n    os._exit(3)\n"


@pytest.fixture
def layer(tmp_path):
    """Make a layer of one file with the given tests."""

    def make(content):
        (tmp_path / "test_it.py").write_text(content)
        return suite.Layer("made-up", ("-p", "no:cacheprovider", "-p", "no:nbval", str(tmp_path)))

    return make


@pytest.mark.parametrize(
    ("content", "counts"),
    [
        (PASSING, (1, 0, 0)),
        (FAILING, (0, 1, 0)),
        (SKIPPED, (0, 0, 1)),
        (BROKEN, (0, 1, 0)),
        (DYING, (0, 1, 0)),
    ],
)
def test_every_end_of_a_layer_is_counted(layer, tmp_path, content, counts):
    result = suite._run(layer(content), [], tmp_path)
    assert (result.passed, result.failed, result.skipped) == counts


def test_the_reason_for_a_skip_is_said_on_a_line_of_its_own(layer, tmp_path):
    report = suite.report([suite._run(layer(SKIPPED), [], tmp_path)])
    assert "skipped: made-up: no_such_module is not installed" in report.splitlines()


def test_a_selection_that_leaves_nothing_is_said_and_is_no_failure(layer, tmp_path):
    result = suite._run(layer(PASSING), ["-k", "nothing_has_this_name"], tmp_path)
    assert "skipped: made-up: no test was selected" in suite.report([result]).splitlines()
    assert result.failed == 0


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ([], "Node.js is not installed, which runs Pyodide"),
        (["node"], "no Pyodide: python tests/wasm/fetch.py FOLDER fetches one, PYODIDE_DIST=FOLDER names it"),
    ],
)
def test_without_node_or_a_distribution_of_pyodide_the_layer_wasm_says_so_and_is_no_failure(tmp_path, found, said):
    for name in found:
        (tmp_path / name).touch(mode=0o755)
    environment = {**os.environ, "PATH": str(tmp_path)}
    environment.pop("PYODIDE_DIST", None)
    command = [sys.executable, "-m", "glassroom", "test", "wasm", "-k", "what_needs_processes"]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert f"skipped: wasm: {said}" in done.stdout.splitlines()
    assert done.stdout.splitlines()[-1] == "0 passed, 0 failed, 1 skipped"


def test_the_last_line_sums_over_the_layers():
    results = [suite.Result("a", passed=2, skipped=1), suite.Result("b", passed=3, failed=4)]
    assert suite.report(results).splitlines()[-1] == "5 passed, 4 failed, 1 skipped"


def test_an_installed_wheel_has_the_notebooks_layer_alone():
    assert [layer.name for layer in suite.available_layers(None, jobs=1)] == ["outputs"]


def test_style_comes_first_and_a_folder_nobody_named_comes_last(tmp_path, monkeypatch):
    for name in ("library", "style", "zebra"):
        (tmp_path / "tests" / name).mkdir(parents=True)
        (tmp_path / "tests" / name / "test_it.py").write_text(PASSING)
    monkeypatch.setenv("SWEEPS", "whole")
    names = [layer.name for layer in suite.available_layers(tmp_path, jobs=2)]
    assert names == ["style", "library", "library-plain", "outputs", "zebra"]


def files_of(layer):
    return [path.name for path in map(Path, layer.arguments) if path.is_file()]


def test_a_plain_layer_runs_the_same_tests_without_the_shortcuts(tmp_path, monkeypatch):
    monkeypatch.setenv("SWEEPS", "whole")
    for name in ("library", "parity"):
        (tmp_path / "tests" / name).mkdir(parents=True)
        for file in ("test_gradients.py", "test_printing.py"):
            (tmp_path / "tests" / name / file).write_text(WITHOUT_SHORTCUTS)
    layers = {layer.name: layer for layer in suite.available_layers(tmp_path, jobs=1)}
    assert files_of(layers["library-plain"]) == ["test_gradients.py", "test_printing.py"]
    assert files_of(layers["parity-plain"]) == ["test_gradients.py"]
    result = suite._run(layers["library-plain"], ["-p", "no:cacheprovider"], tmp_path)
    assert (result.passed, result.failed) == (2, 0)


def test_a_plain_layer_runs_all_of_its_files_within_four_days(tmp_path, monkeypatch):
    (tmp_path / "tests" / "library").mkdir(parents=True)
    for number in range(7):
        (tmp_path / "tests" / "library" / f"test_{number}.py").write_text(PASSING * (number + 1))
    monkeypatch.delenv("SWEEPS", raising=False)
    days = []
    for day in (738_000, 738_003):
        monkeypatch.setenv("SWEEPS_DAY", str(day))
        layers = {layer.name: layer for layer in suite.available_layers(tmp_path, jobs=1)}
        days.append(files_of(layers["library-plain"]))
    assert sorted([*days[0], *days[1]]) == [f"test_{number}.py" for number in range(7)]
    assert {len(files) for files in days} == {3, 4}
    assert len(files_of(layers["library"])) == 0  # the whole folder, each day
    assert str(tmp_path / "tests" / "library") in layers["library"].arguments


@pytest.fixture
def sweeping(tmp_path, monkeypatch):
    """Run a sweep of seven cases on one day, under the rules of the project's own tests; returns the result, and the
    cases that ran."""
    for name in ("conftest.py", "by_day.py"):
        shutil.copy(ROOT / "tests" / name, tmp_path / name)
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = .\n")
    test = tmp_path / "test_sweep.py"
    test.write_text(SWEEP)
    monkeypatch.delenv("SWEEPS", raising=False)

    def run(day, asked=test):
        monkeypatch.setenv("SWEEPS_DAY", str(day))
        monkeypatch.setenv("RAN", str(tmp_path / "ran"))
        (tmp_path / "ran").write_text("")
        result = suite._run(suite.Layer("sweeps", ("-p", "no:cacheprovider", str(asked))), [], tmp_path)
        return result, (tmp_path / "ran").read_text().split()

    return run


def test_a_sweep_takes_another_part_each_day_and_says_how_much_it_leaves(sweeping):
    ran = []
    for day in (738_000, 738_001, 738_002):
        result, cases = sweeping(day)
        assert (result.passed, result.left) == (len(cases), 7 - len(cases))
        assert 2 <= len(cases) <= 3
        assert f"left to other days: {result.left} cases of sweeps" in suite.report([result])
        ran += cases
    assert sorted(ran) == list("0123456")


def test_a_sweep_takes_all_of_its_cases_when_they_are_asked_for(sweeping, tmp_path, monkeypatch):
    for case in "0123456":
        assert sweeping(738_000, f"{tmp_path}/test_sweep.py::test_it[{case}]")[1] == [case]
    monkeypatch.setenv("SWEEPS", "whole")
    result, cases = sweeping(738_000)
    assert (cases, result.left) == (list("0123456"), 0)


def test_exercises_are_a_layer_of_their_own_and_run_once(tmp_path):
    for name in ("inspectors", "exercises"):
        (tmp_path / "tests" / "course" / name).mkdir(parents=True)
        (tmp_path / "tests" / "course" / name / f"test_{name}.py").write_text(PASSING)
    layers = {layer.name: layer for layer in suite.available_layers(tmp_path, jobs=1)}
    for name in ("course", "exercises"):
        result = suite._run(layers[name], ["-p", "no:cacheprovider"], tmp_path)
        assert (result.passed, result.failed) == (1, 0)


def test_what_a_plain_layer_leaves_out_is_there_to_be_left_out():
    """Pytest says nothing of a name that it does not find."""
    for layer, names in suite.SAME_EITHER_WAY.items():
        for file, _, test in (name.partition("::") for name in names):
            function, _, first = test.partition("[")  # or the calls whose first argument it is
            text = (ROOT / "tests" / layer / file).read_text(encoding="utf-8")
            assert f"def {function}" in text
            assert f'"{first}"' in text or not first
