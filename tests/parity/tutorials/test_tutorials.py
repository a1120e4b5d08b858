"""Programs as tutorials and textbooks have them print the same on both libraries, from the same seeds.

They are run unchanged: this library only stands in ``sys.modules["torch"]``.
"""

from __future__ import annotations

import contextlib
import io
import re
import subprocess
import sys
import types
import warnings
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))
STANDING_IN = """
import runpy, sys, warnings, tensorglass
sys.modules["torch"] = tensorglass
warnings.simplefilter("ignore")
runpy.run_path(sys.argv[1], run_name="__main__")
"""
NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:e[-+]?\d+)?")
TOLERANCE = 1e-3  # of printed numbers, often after many steps in float32


def printed_here(program: Path) -> list[str]:
    """What the program prints with tensorglass for PyTorch."""
    command = [sys.executable, "-c", STANDING_IN, str(program)]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert not run.returncode, run.stderr
    return run.stdout.splitlines()


def printed_there(program: Path) -> list[str]:
    """What it prints with PyTorch."""
    out = io.StringIO()
    module = types.ModuleType("__main__")
    before = sys.modules["__main__"]
    sys.modules["__main__"] = module  # where its classes are found when they are pickled
    try:
        with contextlib.redirect_stdout(out), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(program.read_text(), str(program), "exec"), module.__dict__)
    finally:
        sys.modules["__main__"] = before
    return out.getvalue().splitlines()


def are_the_same(ours: str, theirs: str) -> bool:
    """Whether two lines differ only in the last places of numbers."""
    if re.sub(r"\s+", " ", NUMBER.sub("#", ours)) != re.sub(r"\s+", " ", NUMBER.sub("#", theirs)):
        return False
    pairs = zip(map(float, NUMBER.findall(ours)), map(float, NUMBER.findall(theirs)), strict=True)
    return all(abs(one - other) <= TOLERANCE * max(0.1, abs(other)) for one, other in pairs)


@pytest.mark.sweep
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_prints_what_it_prints_with_pytorch(program: Path) -> None:
    ours, theirs = printed_here(program), printed_there(program)
    different = [pair for pair in zip(ours, theirs, strict=False) if not are_the_same(*pair)]
    assert different == []
    assert len(ours) == len(theirs)
