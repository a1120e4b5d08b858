"""`ops/declare/seams` lists every place where a shortcut may step in: `fast` fills all of them, and nothing else
does."""

import json
import os
import subprocess
import sys

import pytest

pytest.importorskip("tensorglass.fast", reason="the shortcuts are deleted")

#: Prints what is in each seam, and which names have a shortcut that belong to no operator and no function of `nn`.
PROGRAM = """
import json
import tensorglass as torch
from tensorglass.ops.declare.lazy_loading import awaited
from tensorglass.ops.declare.registry import OPERATORS
from tensorglass.ops.declare.seams import FUNCTIONS, Seams, seams
empty = Seams()
filled = [name for name in Seams.__slots__ if getattr(seams, name) not in (getattr(empty, name), {})]
methods = {name for row in OPERATORS.values() for name in row.dunders}
fetched = {path.removeprefix("Tensor.").replace(".", "_") for path in awaited()}  # not imported yet
names = {form for row in OPERATORS.values() for form in (row.name, f"{row.name}_")} | fetched
print(json.dumps([
    filled, Seams.__slots__,
    sorted(set(seams.forms) - methods - names - FUNCTIONS), sorted(FUNCTIONS - set(seams.forms)),
]))
"""


def in_a_process(shortcuts: str) -> list[list[str]]:
    environment = {**os.environ, "TENSORGLASS_FAST": shortcuts}
    run = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True)
    lines: list[list[str]] = json.loads(run.stdout)
    return lines


def test_with_shortcuts_every_seam_is_filled_and_every_shortcut_belongs_to_something() -> None:
    filled, seams, unknown, without = in_a_process("1")
    assert filled == seams
    assert unknown == without == []


def test_without_shortcuts_every_seam_is_empty() -> None:
    assert in_a_process("0")[0] == []
