"""The wheel and the sdist, built once, and an empty environment with the wheel and NumPy in it."""

import os
import subprocess
import sys
import sysconfig
import venv
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """The folder with the sdist, and with the wheel that was built from that sdist."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stdout + said.stderr
    return folder


@pytest.fixture(scope="session")
def wheel(built):
    (path,) = built.glob("*.whl")
    return path


@pytest.fixture(scope="session")
def sdist(built):
    (path,) = built.glob("*.tar.gz")
    return path


@pytest.fixture(scope="session")
def empty_environment(tmp_path_factory, wheel):
    """A function that runs a command of an environment that holds the wheel, NumPy, and nothing else."""
    return environment_with(wheel, tmp_path_factory.mktemp("empty"))


@pytest.fixture(scope="session")
def learners_wheel(tmp_path_factory):
    """The wheel that `glassroom package` writes."""
    folder = tmp_path_factory.mktemp("learners")
    command = [sys.executable, "-m", "glassroom", "package", str(folder)]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stdout + said.stderr
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="session")
def learners_environment(tmp_path_factory, learners_wheel):
    """The same for the wheel without solutions."""
    return environment_with(learners_wheel, tmp_path_factory.mktemp("learner"))


def environment_with(wheel, folder):
    """Make an environment in `folder` with this wheel and NumPy alone. Returns a function that runs its commands."""
    venv.create(folder)
    programs = folder / ("Scripts" if sys.platform == "win32" else "bin")

    def run(program, *arguments, cwd=folder, extras=False):
        """With `extras`, other people's packages that are installed here are lent to the environment."""
        command = [str(programs / program), *map(str, arguments)]
        alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        if extras:
            alone["PYTHONPATH"] = sysconfig.get_path("purelib")
        return subprocess.run(command, cwd=cwd, env=alone, capture_output=True, text=True, check=False)

    pip = [sys.executable, "-m", "pip", "--python", programs / "python"]  # it need not have one
    # What programs import is compiled then.
    install = [*pip, "install", "--no-index", "--no-deps", "--no-compile", wheel]
    said = subprocess.run(install, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stderr
    _link_numpy(Path(run("python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").stdout.strip()))
    said = subprocess.run([*pip, "check"], capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stdout
    return run


def _link_numpy(site_packages):
    """Lend this environment's NumPy to the empty one: the same files, without asking the network for them."""
    distribution = metadata.distribution("numpy")
    ours = Path(distribution.locate_file(""))
    for name in {file.parts[0] for file in distribution.files or () if file.parts[0] not in ("..", "__pycache__")}:
        (site_packages / name).symlink_to(ours / name)
