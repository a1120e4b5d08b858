"""``python -m tensorglass program.py``: the program runs as ``python program.py`` does, and `torch` is tensorglass."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

RUN = [sys.executable, "-m", "tensorglass"]

TRAINING = '''
"""A program of several files and processes."""
import importlib, importlib.metadata, multiprocessing, pickle, subprocess, sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torch.utils._pytree import tree_map

import helper


class Squares(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return torch.tensor([index * index]), torch.__version__


def square(x):
    return x * x, torch.__version__


if __name__ == "__main__":
    method = sys.argv[1]
    print(sys.argv, __name__, __file__, sys.path[0], sys.stdin.read())
    print(torch.__name__, torch.__version__, torch.__version__ >= "2.9", importlib.metadata.version("torch"))
    print(sys.modules["torch"] is torch, importlib.import_module("torch.nn.functional") is F, helper.torch is torch)
    print(tree_map(square, [torch.tensor(3)]))
    print(pickle.loads(pickle.dumps(nn.Linear(1, 1))), pickle.loads(pickle.dumps(Squares()))[2])
    for batch, versions in DataLoader(Squares(), batch_size=2, num_workers=1, multiprocessing_context=method):
        print(batch.tolist(), versions)
    with multiprocessing.get_context(method).Pool(1) as pool:
        print(pool.map(square, [torch.tensor(5)]))
    asked = "import importlib.metadata as m; print(m.version('torch')); import torch.nn; print(torch.__name__)"
    print(subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True))
    print(hasattr(torch, "compile"), hasattr(torch, "sparse_coo_tensor"), hasattr(torch.ones(1), "to_sparse"))
    sys.exit(7)
'''


def ran(*command: object, given: str = "", at: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*map(str, command)], input=given, capture_output=True, text=True, check=False, cwd=at)


def test_tensors_are_of_the_module_torch_by_which_libraries_know_them() -> None:
    program = (
        "import torch; print(torch.Tensor.__module__, type(torch.ones(1)), type(torch.ones(1, requires_grad=True)))"
    )
    assert ran(*RUN, "-c", program).stdout == "torch <class 'torch.Tensor'> <class 'torch.Tensor'>\n"


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_program_its_workers_and_its_subprocesses_have_tensorglass_for_torch(method: str, tmp_path: Path) -> None:
    program = tmp_path / "train.py"
    program.write_text(TRAINING)
    (tmp_path / "helper.py").write_text("import torch\n")
    done = ran(*RUN, program, method, "--epochs", "3", given="typed")
    version = "2.13.0+tensorglass"
    assert done.returncode == 7, done.stderr
    assert done.stdout.splitlines() == [
        f"['{program}', '{method}', '--epochs', '3'] __main__ {program} {tmp_path} typed",
        f"torch {version} True {version}",
        "True True True",
        f"[(tensor(9), '{version}')]",
        f"Linear(in_features=1, out_features=1, bias=True) (tensor([4]), '{version}')",
        f"[[0], [1]] ('{version}', '{version}')",
        f"[[4], [9]] ('{version}', '{version}')",
        f"[(tensor(25), '{version}')]",
        f"CompletedProcess(args=['{sys.executable}', '-c', "
        "\"import importlib.metadata as m; print(m.version('torch')); import torch.nn; print(torch.__name__)\"], "
        f"returncode=0, stdout='{version}\\ntorch\\n', stderr='')",
        "True True True",
    ]
    assert done.stderr == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ["-c", "import sys; print(sys.argv, __name__); 1 / 0", "a"],
        ["-c", "import sys; sys.exit('said')"],
        ["-c", "raise SystemExit(300)"],
        ["-m", "raising", "a", "-b"],
        ["-m", "missing"],
        ["raising.py", "--report"],
        ["missing.py"],
        ["-"],
        ["-X", "nonsense=1", "-W", "error", "raising.py"],
        ["-Q"],
    ],
    ids=" ".join,
)
def test_python_itself_answers(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "raising.py").write_text("import sys\nprint(sys.argv, sys.flags, sys.warnoptions)\nopen('nothing')\n")
    given = "import sys; print(sys.argv, __name__)\nassert 0"
    plain, ours = (ran(*command, *arguments, given=given, at=tmp_path) for command in ([sys.executable], RUN))
    assert (ours.returncode, ours.stdout, ours.stderr) == (plain.returncode, plain.stdout, plain.stderr)


def test_options_of_python_before_the_module_are_the_programs_too() -> None:
    said = (
        "import sys; print(sys.flags.dev_mode, sys.warnoptions, sys.stdout.line_buffering or sys.stdout.write_through)"
    )
    options = ["-X", "dev", "-W", "error::UserWarning"]
    assert ran(sys.executable, *options, "-um", "tensorglass", "-c", said).stdout == (
        ran(sys.executable, *options, "-u", "-c", said).stdout
    )
    refused = ran(sys.executable, "-I", "-m", "tensorglass", "-c", said)
    assert refused.returncode == 1
    assert "by PYTHONPATH" in refused.stderr


def test_a_report_says_which_names_were_missing_and_where(tmp_path: Path) -> None:
    (tmp_path / "asking.py").write_text(
        "import multiprocessing, torch\n"
        "def ask(_):\n"
        "    try:\n"
        "        torch.zeros(1).to_sparse()\n"
        "    except NotImplementedError:\n"
        "        return hasattr(torch.zeros(1), 'to_sparse')\n"
        "try:\n"
        "    import torch._export.db\n"
        "except ImportError:\n"
        "    pass\n"
        "print(hasattr(torch.nn, 'Linear'), hasattr(torch, 'sparse_coo_tensor'))\n"
        "for _ in range(3):\n"
        "    try:\n"
        "        torch.sparse_coo_tensor([[0]], [1.0])\n"
        "    except NotImplementedError:\n"
        "        pass\n"
        "with multiprocessing.get_context('fork').Pool(1) as pool:\n"
        "    print(pool.map(ask, [0, 0]))\n"
    )
    done = ran(*RUN, "--report", "asking.py", at=tmp_path)
    assert done.stdout == "True True\n[True, True]\n"
    assert done.stderr == (
        "tensorglass: 3 names of PyTorch were asked for and are missing.\n"
        "  torch.sparse_coo_tensor: 3 times, at asking.py:14\n"
        "  torch.Tensor.to_sparse: 2 times, at asking.py:4\n"
        "  torch._export.db: 1 time, at asking.py:8\n"
    )
    done = ran(*RUN, "--report", "-c", "import torch; torch.ones(2).sum(); raise SystemExit(3)")
    assert (done.returncode, done.stderr) == (3, "tensorglass: every name of PyTorch that was asked for is there.\n")


def test_its_own_help_is_one_screen() -> None:
    assert ran(*RUN, "--help").stdout.startswith("usage: python -m tensorglass [--report]")


NOTEBOOK = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
for cell in {cells}:
    if not shell.run_cell(cell).success:
        break
"""


def in_a_notebook(*cells: str) -> str:
    return ran(sys.executable, "-c", NOTEBOOK.format(cells=list(cells))).stdout


@pytest.mark.skipif(find_spec("IPython") is None, reason="IPython is in the extra `course`")
def test_a_notebook_loads_it_as_an_extension() -> None:
    child = (
        "import subprocess, sys; print(subprocess.check_output([sys.executable, '-c', 'import torch; print(torch)']))"
    )
    said = in_a_notebook("%load_ext tensorglass.as_torch", "import torch; print(torch.__version__)", child)
    assert said.startswith("2.13.0+tensorglass\n")
    assert "module 'tensorglass'" in said


@pytest.mark.skipif(find_spec("IPython") is None, reason="IPython is in the extra `course`")
def test_where_pytorch_is_imported_already_there_is_one_clear_error() -> None:
    there = "import sys, types; sys.modules['torch'] = types.ModuleType('torch')"
    assert "PyTorch is imported here already" in in_a_notebook(there, "%load_ext tensorglass.as_torch")


def test_the_path_of_the_environment_is_kept(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    (tmp_path / "beside.py").write_text("import torch; print(torch.__name__)")
    command = [*RUN, "-m", "beside"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd="/")
    assert done.stdout == "torch\n"


def test_older_names_for_cuda_work_when_their_modules_were_imported() -> None:
    code = (
        "import torch.cuda.amp.autocast_mode, torch.cuda.amp.grad_scaler; amp = torch.cuda.amp;"
        "from torch.cuda.amp import autocast_mode, grad_scaler; assert grad_scaler.OptState and autocast_mode.autocast;"
        "print(amp.custom_fwd(len).__name__, amp.custom_bwd(len).__name__, amp.GradScaler(enabled=False).is_enabled())"
    )
    assert ran(*RUN, "-W", "ignore", "-c", code).stdout == "len len False\n"
