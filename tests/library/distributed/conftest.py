"""Programs run by several processes, as `mpiexec` runs them."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parent / "programs"
MPIEXEC = Path(sys.executable).with_name("mpiexec")


@pytest.fixture
def run():
    """`run(program, processes, *arguments)`: what a program in `programs/` says and returns, within a minute."""
    pytest.importorskip("mpi4py", reason="mpi4py is not installed (extra: distributed)")
    if not MPIEXEC.exists():
        pytest.skip("mpich is not installed (extra: distributed)")

    def run(program, processes, *arguments):
        command = [MPIEXEC, "-n", str(processes), sys.executable, PROGRAMS / program, *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    return run
