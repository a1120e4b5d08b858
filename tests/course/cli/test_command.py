"""The ``glassroom`` command as a person meets it: a process with arguments, output and an exit code."""

import ast
import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import urlopen

import pytest

from glassroom import __version__, cli
from glassroom.cli import OLDEST_PYTHON, app, doctor, lab
from glassroom.cli.requirements import OLDEST_NUMPY
from glassroom.workspace.learner_folder import update
from glassroom.workspace.problems import Exit, Problem
from glassroom.workspace.sources import notebooks_folder

ROOT = Path(__file__).resolve().parents[3]
START_SECONDS = 60


def glassroom(*arguments, python=sys.executable, **environment):
    """Run the command in its own process and return its result."""
    return subprocess.run(
        [python, "-m", "glassroom", *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'course'}{os.pathsep}{ROOT / 'lib'}", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def shadow(folder, module, content):
    """A folder that, placed first on the path, shadows a module."""
    (folder / f"{module}.py").write_text(content)
    return os.pathsep.join([str(folder), str(ROOT / "course"), str(ROOT / "lib")])


@pytest.mark.parametrize("command", ["", "lab", "test", "doctor", "refresh"])
def test_help_shows_examples(command):
    said = glassroom(*command.split(), "--help")
    assert said.returncode == Exit.OK
    assert "examples:" in said.stdout


def test_help_documents_every_exit_code():
    listed = glassroom("--help").stdout.partition("exit codes:")[2]
    assert {int(line.split()[0]) for line in listed.strip().splitlines()} == {int(code) for code in Exit}


def test_version_is_that_of_the_package():
    assert glassroom("--version").stdout.strip() == f"glassroom {__version__}"


@pytest.mark.parametrize(
    "arguments", [["frobnicate"], ["lab", "--port", "0"], ["lab", "--port", "http"], ["test", "nosuch"]]
)
def test_a_command_line_that_is_not_understood_exits_with_2(arguments):
    said = glassroom(*arguments)
    assert said.returncode == Exit.USAGE
    assert "Traceback" not in said.stderr


def test_without_a_command_the_help_is_printed():
    said = glassroom()
    assert said.returncode == Exit.USAGE
    assert "commands:" in said.stdout


def test_ctrl_c_ends_with_130_and_one_line(monkeypatch, capsys):
    def interrupt(folder):
        raise KeyboardInterrupt

    monkeypatch.setattr(lab, "working_folder", interrupt)
    assert app.run(["lab", "--no-lab"]) == Exit.INTERRUPTED
    assert capsys.readouterr().err.strip() == "glassroom: interrupted"


def test_a_python_that_is_too_old_is_told_so(monkeypatch, capsys):
    monkeypatch.setattr(cli, "OLDEST_PYTHON", (99, 1))
    assert cli.main(["doctor"]) == Exit.REQUIREMENT
    assert "needs Python 99.1 or newer" in capsys.readouterr().err


@pytest.mark.parametrize("file", ["__init__.py", "__main__.py", "cli/__init__.py"])
def test_what_runs_before_the_check_can_be_read_by_an_old_python(file):
    ast.parse((ROOT / "course" / "glassroom" / file).read_text(), feature_version=(3, 6))


@pytest.mark.parametrize(
    ("numpy", "sentence"),
    [
        (
            "raise ImportError('libblas.so: no such file')",
            "NumPy cannot be imported (libblas.so: no such file)",
        ),
        ("__version__ = '1.26.4'", "NumPy 1.26.4 is older than 2.0"),
    ],
)
def test_a_numpy_that_will_not_do_is_named_with_what_to_do(tmp_path, numpy, sentence):
    path = shadow(tmp_path, "numpy", numpy)
    for command in (["lab", tmp_path / "mine"], ["refresh"], ["test"]):
        said = glassroom(*command, PYTHONPATH=path)
        assert said.returncode == Exit.REQUIREMENT
        assert sentence in said.stderr
        assert "pip install" in said.stderr
        assert "Traceback" not in said.stderr


def test_doctor_runs_without_numpy_and_without_jupyter(tmp_path):
    bare = [sys.executable, "-S", "-m", "glassroom", "doctor", "--json"]
    said = subprocess.run(
        bare,
        env={"PYTHONPATH": str(ROOT / "course"), "PATH": ""},
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert said.returncode == Exit.FAILED, said.stderr
    findings = {finding["what"]: finding for finding in json.loads(said.stdout)["findings"]}
    assert findings["NumPy"]["state"] == "missing"
    assert "pip install" in findings["NumPy"]["advice"]
    assert findings["jupyterlab"]["state"] == "missing"
    assert findings["web browser"]["state"] == "optional"


def test_lab_without_numpy_says_what_to_install(tmp_path):
    bare = [sys.executable, "-S", "-m", "glassroom", "lab"]
    said = subprocess.run(
        bare,
        env={"PYTHONPATH": str(ROOT / "course")},
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert said.returncode == Exit.REQUIREMENT
    assert "NumPy is not installed" in said.stderr
    assert list(tmp_path.iterdir()) == []


def test_doctor_prints_a_table_and_says_whether_the_course_can_run(tmp_path):
    said = glassroom("doctor", tmp_path / "mine")
    assert said.returncode == Exit.OK
    assert said.stdout.rstrip().endswith("The course can run.")
    as_json = json.loads(glassroom("doctor", "--json", tmp_path / "mine").stdout)
    assert as_json["ready"] is True
    for finding in as_json["findings"]:
        assert finding["what"] in said.stdout
        assert finding["ok"] or finding["advice"], "what is missing comes with what to do"


def test_doctor_says_of_a_working_copy_whether_it_is_there(tmp_path):
    (tmp_path / "made").mkdir()
    assert f"{tmp_path / 'made'}\n" in glassroom("doctor", tmp_path / "made").stdout
    assert "not there yet: `glassroom lab` makes it" in glassroom("doctor", tmp_path / "mine").stdout


@pytest.mark.parametrize("has_chromium", [True, False])
def test_doctor_knows_one_answer_about_browsers(monkeypatch, tmp_path, has_chromium):
    def none():
        raise doctor.webbrowser.Error

    monkeypatch.setattr(doctor.webbrowser, "get", none)
    monkeypatch.setattr(doctor.shutil, "which", lambda name: f"/bin/{name}" if has_chromium else None)
    findings = {finding.what: finding for finding in doctor.examine(tmp_path)}
    assert findings["web browser"].ok is findings["Chromium"].ok is has_chromium


def test_doctor_says_when_the_working_copy_cannot_be_written(tmp_path):
    (tmp_path / "mine").write_text("a file")
    said = glassroom("doctor", tmp_path / "mine")
    assert said.returncode == Exit.FAILED
    assert "is a file, not a folder" in said.stdout


def test_what_is_printed_has_lines_and_no_signs_of_them(tmp_path):
    update(tmp_path / "mine", notebooks_folder())
    for arguments in ("progress", "progress mine", "doctor mine", "test --list", "refresh mine/nothing.ipynb"):
        said = subprocess.run(
            [sys.executable, "-m", "glassroom", *arguments.split()],
            env={**os.environ, "PYTHONPATH": f"{ROOT / 'course'}{os.pathsep}{ROOT / 'lib'}"},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert "\\n" not in said.stdout + said.stderr, arguments
    assert len(glassroom("progress", tmp_path / "mine").stdout.splitlines()) > 5


def test_a_busy_port_is_said_and_the_next_one_used(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(Problem, match=f"Port {port} is busy"):
            lab.free_port(port, 0)
        assert port < lab.free_port(port, 20) <= port + 20
        said = glassroom("lab", tmp_path / "mine", "--no-browser", "--port", port, "--port-retries", 0)
        assert said.returncode == Exit.OUTSIDE
        assert f"Port {port} is busy" in said.stderr


def test_when_every_port_it_may_try_is_busy_lab_says_which():
    with socket.create_server(("127.0.0.1", 0)) as first:
        port = first.getsockname()[1]
        try:
            second = socket.create_server(("127.0.0.1", port + 1))
        except OSError:
            second = socket.socket()  # another program uses the port, so it is busy
        with second, pytest.raises(Problem, match=f"ports {port} to {port + 1} are all busy"):
            lab.free_port(port, 1)


def test_lab_serves_the_working_copy_though_its_port_is_busy_and_there_is_no_browser(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        command = [sys.executable, "-m", "glassroom", "lab"]
        server = subprocess.Popen(
            [*command, str(tmp_path / "mine"), "--port", str(port), "--", "--IdentityProvider.token=secret"],
            env={**os.environ, "PATH": os.path.dirname(sys.executable), "BROWSER": "", "DISPLAY": ""},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
        )
        try:
            address = next(line.split()[1] for line in server.stdout if line.startswith("JupyterLab: "))
            assert f":{port}/" not in address
            assert "/lab/tree/1_memory/00_start_here.ipynb" in address
            page = _fetch(address.partition("?")[0] + "?token=secret")
            assert "jupyter-config-data" in page
            assert '"buildCheck": false' in page
        finally:
            server.terminate()
            said, _ = server.communicate(timeout=START_SECONDS)
        # The output up to the address was read above. That the working copy exists shows what was done before.
        assert (tmp_path / "mine" / "1_memory" / "00_start_here.ipynb").is_file()
        assert "Traceback" not in said


def _fetch(address):
    """The page at an address of this machine, once its server answers."""
    end = time.monotonic() + START_SECONDS
    while True:
        try:
            with urlopen(address) as answer:
                return answer.read().decode()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


def test_lab_tells_what_it_did_to_the_working_copy(tmp_path):
    first = glassroom("lab", tmp_path / "mine", "--no-lab")
    again = glassroom("lab", tmp_path / "mine", "--no-lab")
    assert first.returncode == again.returncode == Exit.OK
    assert " new)" in first.stdout
    assert "up to date" in again.stdout


def test_test_lists_its_layers_and_runs_one_with_a_closing_line():
    listed = glassroom("test", "--list").stdout
    assert {"library", "course", "outputs"} <= {line.split()[0] for line in listed.splitlines()}
    said = glassroom("test", "geometry", "-k", "points_to_flip", "--jobs", 1)
    assert said.returncode == Exit.OK, said.stdout + said.stderr
    assert said.stdout.rstrip().splitlines()[-1] == "1 passed, 0 failed, 0 skipped"


def test_the_oldest_numpy_is_the_one_that_the_package_asks_for():
    bound = ".".join(map(str, OLDEST_NUMPY))
    assert f'dependencies = ["numpy>={bound}"]' in (ROOT / "pyproject.toml").read_text()


def test_the_oldest_python_is_the_one_that_the_package_asks_for():
    bound = ".".join(map(str, OLDEST_PYTHON))
    assert f'requires-python = ">={bound}"' in (ROOT / "pyproject.toml").read_text()
