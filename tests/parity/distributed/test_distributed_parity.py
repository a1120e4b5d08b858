"""Two processes see of `torch.distributed` over MPI what they see of PyTorch over Gloo: results, errors, warnings."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed (extra: parity)")
pytest.importorskip("mpi4py", reason="mpi4py is not installed (extra: distributed)")

CALLS = Path(__file__).with_name("distributed_calls.py")
MPIEXEC = Path(sys.executable).with_name("mpiexec")


def test_two_processes_see_what_they_see_of_pytorch(tmp_path):
    for start, library in (((), "torch"), ((MPIEXEC, "-n", "2"), "tensorglass")):
        command = [*start, sys.executable, CALLS, library, tmp_path]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    for rank in range(2):
        ours, theirs = ((tmp_path / f"{library}{rank}").read_text().split("\n") for library in ("tensorglass", "torch"))
        assert len(theirs) > 60
        assert ours == theirs
