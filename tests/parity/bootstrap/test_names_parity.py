"""The list of PyTorch's names, which tells whether a missing one is PyTorch's, and the signatures are its own."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="real PyTorch is not installed (extra: parity)")
ROOT = Path(__file__).resolve().parents[3]


def test_the_names_and_signatures_are_those_that_pytorch_tells() -> None:
    # in a process of its own: PyTorch's modules that other tests have imported would count as its names
    check = [sys.executable, ROOT / "docs" / "make_from_pytorch.py", "--check"]
    done = subprocess.run(check, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


@pytest.mark.parametrize(
    "path",
    [
        "nn.modules.transformer.Tensor", "nn.functional.Tensor", "nn.modules.linear.UninitializedParameter",
        "nn.modules.module.RemovableHandle", "nn.modules.activation.xavier_uniform_", "optim.adam.Optimizer",
        "optim.lr_scheduler.Optimizer", "autograd.graph.Variable", "nn.utils.rnn.Tensor",
        "functional.einsum", "functional.Tensor",
    ],
)  # fmt: skip
def test_names_that_pytorchs_modules_import_can_be_imported_from_there(path: str) -> None:
    home, _, name = path.rpartition(".")
    ours, theirs = (getattr(importlib.import_module(f"{library}.{home}"), name) for library in ("tensorglass", "torch"))
    assert ours.__name__ == theirs.__name__
    with pytest.raises(AttributeError, match="has no attribute 'Optimizers'"):
        _ = importlib.import_module(f"tensorglass.{home}").Optimizers
