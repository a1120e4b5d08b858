"""The outer tier, which docs/architecture.md names: nothing imports it unasked, and all else works without it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
TIER = [
    path.replace("/", ".")
    for path in re.findall(r"`([\w/]+)`", PAGE.split("**The outer tier**")[1].partition(".\n")[0])
]

PROGRAM = f"""
import importlib, pkgutil, sys
import tensorglass as torch
import tensorglass.nn, tensorglass.optim, glassroom.exercises, glassroom.inspectors

tier = ["tensorglass." + name for name in {TIER!r}]
print([name for name in [*tier, "tensorglass.ops.fft.fft"] if name in sys.modules])
sys.modules.update(dict.fromkeys(tier))  # what is None there cannot be imported
count, failed = 0, []
for module in pkgutil.walk_packages(torch.__path__, "tensorglass."):
    inner = module.name.startswith(tuple(name + "." for name in tier)) or module.name in tier
    if not inner and "on_path" not in module.name and not module.name.endswith("__main__"):
        count += 1
        try:
            importlib.import_module(module.name)
        except ImportError as error:
            failed.append((module.name, str(error)))
print(failed, count > 300)
layer = torch.nn.Linear(2, 1)
layer(torch.ones(3, 2)).sum().backward()
torch.optim.SGD(layer.parameters(), lr=1.0).step()
print(layer.weight.grad.tolist())
"""


def test_the_rest_of_the_library_and_the_course_do_without_it() -> None:
    assert {"distributions", "distributed", "array_api", "nn.utils.prune"} <= set(TIER)
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == ["[]", "[] True", "[[3.0, 3.0]]"], done.stderr
