"""On Windows and macOS everything imports and works but marking and the hub, which say that they are Linux's.

Neither system is here: a process takes away what they lack (`another_system`).
"""

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ANOTHER_SYSTEM = Path(__file__).parent / "another_system.py"
NEEDS_LINUX = {"glassroom.classroom.inside.limited"}  # it starts inside the sandbox, where Linux is
BY_SYSTEM = {
    "tensorglass.distributed.mpi_processes",  # mpi4py looks for MPI's libraries by the names that a system gives
    "glassroom.site.search_words",  # Sphinx makes a path of Windows, which only Windows can
}

IMPORT_ALL = """
import importlib, pkgutil
for top in ("tensorglass", "glassroom"):
    package = importlib.import_module(top)
    for module in pkgutil.walk_packages(package.__path__, f"{top}."):
        if module.name.endswith("__main__"):
            continue
        try:
            importlib.import_module(module.name)
        except Exception as error:
            print(module.name, f"{type(error).__name__}: {error}", sep="|")
"""

FILES_AND_BATCHES = """
import io, os, stat, sys, tempfile
import tensorglass as torch
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "x.pt")
    for value in (1.0, 2.0):
        torch.save({"x": torch.full((3,), value)}, path)
    os.chmod(path, 0o600)
    torch.save(torch.ones(3), path)
    print(torch.load(path).tolist(), oct(stat.S_IMODE(os.stat(path).st_mode)), os.listdir(folder))
    if sys.platform == "win32":
        print(torch.load(path, mmap=True).sum().item())
data = torch.utils.data.TensorDataset(torch.arange(5))
print([batch[0].tolist() for batch in torch.utils.data.DataLoader(data, batch_size=2)])
print(torch.get_num_threads() > 0)
"""


@dataclass
class System:
    """A system, and the process that forks another for each program to be run there."""

    name: str
    server: subprocess.Popen
    folder: Path

    def run(self, *command, cwd=None):
        said = [self.folder / name for name in ("stdout", "stderr")]
        for path in said:
            path.write_text("")
        program = {"command": [*map(str, command)], "folder": str(cwd or Path.cwd())}
        program |= {path.name: str(path) for path in said}
        print(json.dumps(program), file=self.server.stdin, flush=True)
        status = int(self.server.stdout.readline())
        return subprocess.CompletedProcess(command, status, *(path.read_text() for path in said))


@pytest.fixture(scope="module", params=["win32", "darwin"])
def system(request, tmp_path_factory):
    command = [sys.executable, ANOTHER_SYSTEM, request.param, "serve"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        yield System(request.param, server, tmp_path_factory.mktemp(request.param))
        server.stdin.close()


def test_every_module_imports(system):
    said = system.run("-c", IMPORT_ALL)
    assert said.returncode == 0, said.stderr
    failed = dict(line.split("|") for line in said.stdout.splitlines() if "|" in line)
    assert set(failed) <= NEEDS_LINUX | BY_SYSTEM, failed


def test_files_are_saved_and_read_and_batches_made(system):
    said = system.run("-c", FILES_AND_BATCHES)
    assert said.returncode == 0, said.stderr
    assert said.stdout.splitlines() == [
        "[1.0, 1.0, 1.0] 0o600 ['x.pt']",
        *(["3.0"] if system.name == "win32" else []),
        "[[0, 1], [2, 3], [4]]",
        "True",
    ]


def test_the_course_opens_and_a_class_is_made_and_marking_says_that_it_is_linuxs(system, tmp_path):
    said = system.run("-m", "glassroom", "lab", tmp_path / "mine", "--no-lab")
    assert said.returncode == 0, said.stderr
    assert (tmp_path / "mine" / "1_memory").is_dir()
    said = system.run("-m", "glassroom", "doctor", tmp_path / "mine")
    assert said.returncode == 0, said.stdout + said.stderr

    said = system.run("-m", "glassroom", "release", "1_memory/01", "--course", "class", cwd=tmp_path)
    assert said.returncode == 0, said.stderr
    assert "which run where marking does, on Linux" in said.stdout
    bring = ("collect", "handed-in", "--course", "class", "--assignment", "memory-01")
    handed_in = tmp_path / "handed-in" / "Ada_1_assignsubmission_file"
    shutil.copytree(tmp_path / "class" / "release" / "memory-01", handed_in)
    said = system.run("-m", "glassroom", *bring, cwd=tmp_path)
    assert said.returncode == 0, said.stderr
    assert said.stdout.startswith("1 notebook")
    for trust in ((), ("--trust",)):
        said = system.run("-m", "glassroom", "grade", "class", *trust, cwd=tmp_path)
        assert (said.returncode, said.stderr.count("\n")) == (4, 1), said.stderr
        assert said.stderr.startswith("glassroom: Submissions are marked on Linux alone")


def test_the_hub_says_that_it_is_linuxs(system, tmp_path):
    said = system.run("-m", "glassroom", "hub", tmp_path / "class")
    assert (said.returncode, said.stderr.count("\n")) == (4, 1), said.stderr
    assert "Linux" in said.stderr
