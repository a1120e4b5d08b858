"""The names of PyTorch that public programs use (`names.txt`) are here, or it is said what to do instead."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import tensorglass
from tensorglass.core.module_names import ours
from tensorglass.core.out_of_scope import about

HEAD, *LINES = Path(__file__).with_name("names.txt").read_text(encoding="utf-8").splitlines()
NAMES = [line.split()[1] for line in LINES]


def _is_there(path: str) -> bool:
    member: Any = tensorglass
    home = ""
    for part in path.split("."):
        home = f"{home}.{part}" if home else part
        try:
            member = getattr(member, part)
        except AttributeError:
            try:
                member = import_module(ours(f"torch.{home}"))
            except ImportError:
                return False
    return True


def test_names_that_programs_use_work_or_are_declared() -> None:
    assert len(NAMES) > 500
    missing = [name for name in NAMES if not _is_there(name)]
    assert [name for name in missing if about(name) is None] == []
    assert len(missing) <= 29


def test_the_counter_follows_imports(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")
    pytest.importorskip("tensorboard", reason="PyTorch's writer needs it: pip install tensorboard")
    (tmp_path / "programs" / "one").mkdir(parents=True)
    (tmp_path / "programs" / "one" / "a.py").write_text(
        "import torch as t, torch.nn.functional as F\nfrom torch import nn, optim as o\n"
        "x = F.relu(t.zeros(2)).masked_fill_(t.ones(2) > 0, 1).item()\n"
        "nn.Linear.forward; o.Adam; F.nothing; a.append(1)\n"
    )
    (tmp_path / "programs" / "one" / "b.py").write_text("class torch: zeros = 1\ntorch.zeros\n")
    script = Path(__file__).with_name("names.py").read_text(encoding="utf-8")
    (tmp_path / "names.py").write_text(script, encoding="utf-8")
    subprocess.run([sys.executable, tmp_path / "names.py", tmp_path / "programs"], check=True)
    head, *lines = (tmp_path / "names.txt").read_text(encoding="utf-8").splitlines()
    assert head == "1 files"
    assert {line.split()[1] for line in lines} == {
        "Tensor.masked_fill_", "nn", "nn.Linear", "nn.functional", "nn.functional.relu", "ones", "optim", "optim.Adam",
        "zeros",
    }  # fmt: skip
