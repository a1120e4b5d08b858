"""The runner of public programs, tried on programs of our own: it sees what agrees, and what does not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")

RUN = Path(__file__).parent / "run.py"
README = """\
```python
import torch
weight = torch.randn(1000, 3, requires_grad=True)
```
```python
weight.square().sum().backward()
print(weight.grad.norm().item())
```
"""
SCRIPT = """\
import sys
import torch

def main(steps=100000):
    model = torch.nn.Linear(3, 2)
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(steps):
        optimizer.zero_grad()
        loss = model(torch.randn(4, 3)).square().mean()
        loss.backward()
        optimizer.step()
    print(type(model), sys.argv[1])

if __name__ == "__main__":
    main(steps=100000)
"""
# Programs that detect the library that they run on, and take another path on each.
APART = {
    "value": "x = torch.ones(3) + ours",
    "gradient": "x = torch.ones(3, requires_grad=True); (x * (1 + ours)).sum().backward()",
    "parameter": "model = torch.nn.Linear(2, 2); model.bias.data += ours",
    "text": "print('ours' if ours else 'theirs')",
    "printed number": "print(0.25 + ours)",
    "error": "if ours: raise ValueError('of ours')",
    "dtype": "x = torch.ones(2, dtype=torch.float64 if ours else torch.float32)",
    "missing": "x = 1\nif ours: del x",
}


def test_programs_that_agree_and_that_do_not(tmp_path: Path) -> None:
    checkout = tmp_path / "folder" / "someone" / "examples"
    checkout.mkdir(parents=True)
    (checkout / "README.md").write_text(README)
    (checkout / "script.py").write_text(SCRIPT)
    (checkout / "test_suite.py").write_text("import torch\ndef test_sum():\n    assert torch.ones(2).sum() == 2\n")
    cells = [{"cell_type": "code", "source": [line]} for line in ("%matplotlib inline\n", "import torch", "torch.e")]
    (checkout / "book.ipynb").write_text(json.dumps({"cells": cells}))
    entries = [
        '{ readme = "README.md" }',
        '{ script = "script.py", arguments = "word", set = { steps = 3 } }',
        '{ notebook = "*.ipynb" }',
        '{ tests = "test_*.py" }',
        '{ model = "torch.nn:Linear(3, 2)", inputs = "torch.randn(4, 3)" }',
        '{ name = "raises", code = "import torch; torch.ones(2) @ torch.ones(3)" }',
    ]
    for name, code in APART.items():
        source = f"import torch; ours = 'tensorglass' in torch.__version__\n{code}\ndel ours"
        entries.append(f"{{ name = {json.dumps(name)}, code = {json.dumps(source)} }}")
    manifest = tmp_path / "manifest"
    manifest.mkdir()
    (manifest / "ours.toml").write_text(
        f'[[repository]]\nname = "someone/examples"\ncommit = "0123456789"\nprograms = [{",".join(entries)}]\n'
        '[[repository]]\nname = "nobody/nothing"\ncommit = "abcdef0123"\nprograms = []\n'
    )
    command = [sys.executable, str(RUN), str(tmp_path / "folder"), "--manifest", str(manifest), "someone/", "nobody/"]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "missing: nobody/nothing at abcdef01" in told.stdout
    assert told.stdout.splitlines()[-1:] == [f"6 agree, 0 declared, {len(APART)} differ"], told.stdout + told.stderr
    for name in APART:
        assert f"differs: someone/examples {name}\n" in told.stdout
    assert "fails on PyTorch: someone/examples raises\n    RuntimeError" in told.stdout
    assert told.returncode == len(APART)


def test_rounding_otherwise_moves_last_digits_of_sums_and_functions_alone() -> None:
    sys.path.insert(0, str(RUN.parent))
    from worker import rounding_otherwise  # it stands alone: programs import from their own folders

    x = torch.linspace(0.1, 2, 1000, requires_grad=True)
    with rounding_otherwise():
        moved = (x.exp() * 0.5).sum()
        moved.backward()
        whole, halves = torch.ones(7).sum(), x * 0.5
    expected = (x.exp() * 0.5).detach()
    assert 0 < (x.grad - expected).abs().max() < 1e-6  # the derivative of exp is its moved result
    assert whole == 7
    assert torch.equal(halves, x * 0.5)
