"""Makes the two files of the library that are derived from PyTorch: ``python docs/make_from_pytorch.py``.

`bootstrap/pytorch_names.txt` lists the public names of the installed PyTorch. `ops/arg_parser/signatures.txt` has the
signatures of the operators. Those of an operator with several are read from PyTorch's error for a call that fits none.
PyTorch does not list the signature of an operator with only one, nor deprecated ones, nor which arguments may be None
or one int: such lines and marks are kept, and `tests/parity/ops/arg_parser` shows which no longer fit. What must be
checked by hand is printed. `docs/moving-to-a-new-pytorch.md` says when to run this.
"""

from __future__ import annotations

import re
import sys
import textwrap
import types
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any

import torch

LIBRARY = Path(__file__).resolve().parents[1] / "lib" / "tensorglass"
NAMES = LIBRARY / "bootstrap" / "pytorch_names.txt"
SIGNATURES = LIBRARY / "ops" / "arg_parser" / "signatures.txt"

#: Names that modules import for their own use.
INTERNAL = re.compile(r"(Tensor|torch|TYPE_CHECKING|\w*common\w*)$")

#: Functions that PyTorch writes in Python: they call the operator whose signatures these are.
WRITTEN_IN_PYTHON = ("stft",)


def public(home: str) -> list[str]:
    """The public names of a module of PyTorch, or of its Tensor, by their paths."""
    holder = getattr(torch, home) if home else torch
    paths = []
    for name in dir(holder):
        value = getattr(holder, name, None)
        is_pythons = isinstance(value, types.ModuleType) and not value.__name__.startswith("torch.")
        if not name.startswith("_") and not is_pythons and (not home or not INTERNAL.match(name)):
            paths.append(f"{home}.{name}" if home else name)
    return paths


def names() -> str:
    """The text of `pytorch_names.txt`."""
    root = [name for name in public("") if name not in ("torch", "TYPE_CHECKING")]
    lazy = ["onnx"]  # imported on first use, so that dir() does not list it
    paths = [*root, *lazy, *[path for home in ("Tensor", "fft", "linalg", "special") for path in public(home)]]
    return textwrap.fill(" ".join(sorted(paths)), 118, break_on_hyphens=False) + "\n"


def operator(name: str) -> Callable[..., Any]:
    """The operator that a name in `signatures.txt` stands for: "add", "linalg_norm", "Tensor.add_"."""
    if name.startswith("Tensor."):
        method: Callable[..., Any] = getattr(torch.zeros(2), name.removeprefix("Tensor."))
        return method
    if hasattr(torch._C._nn, name):
        function: Callable[..., Any] = getattr(torch._C._nn, name)
        return function
    for home in ("linalg", "fft", "special"):
        if name.startswith(f"{home}_"):
            name = name.replace("_", ".", 1)
    return reduce(getattr, name.split("."), torch)  # type: ignore[return-value]


def listed(name: str) -> list[str]:
    """The signatures that PyTorch lists for a call with far too many arguments; none if there is only one."""
    try:
        operator(name)(*[object()] * 40)
    except TypeError as error:
        return [line.removeprefix(" * ") for line in str(error).splitlines() if line.startswith(" * ")]
    except AttributeError:
        print(f"{name}: PyTorch no longer has it")
    return []


def as_listed(line: str) -> str:
    """A line of the file as PyTorch lists it, without the marks for arguments that may be one int or None."""
    return re.sub(r"(tuple of \w+) or \w+", r"\1", line).replace("?", "")


def signatures() -> str:
    """The text of `signatures.txt`."""
    lines = []
    for block in re.split(r"\n(?=\S)", SIGNATURES.read_text(encoding="utf-8").rstrip("\n")):
        name, *kept = block.splitlines()
        deprecated = [line for line in kept if line.endswith(" deprecated")]
        current = {as_listed(line): line for line in kept if line not in deprecated}
        told = [f"    {signature}" for signature in listed(name)]
        if told and sorted(told) != sorted(current):  # keep the file's order if they are the same
            kept = deprecated + [current.get(line, line) for line in told]
            print(f"{name}: new signatures; see what its arguments may be besides: one int, None (?)")
        elif not told and len(current) > 1 and name not in WRITTEN_IN_PYTHON:
            print(f"{name}: PyTorch lists no signatures, the file {len(current)}; see to it by hand")
        lines += [name, *kept]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    made = {NAMES: names(), SIGNATURES: signatures()}
    if "--check" not in sys.argv[1:]:
        for path, text in made.items():
            path.write_text(text, encoding="utf-8")
    elif stale := [path.name for path, text in made.items() if path.read_text(encoding="utf-8") != text]:
        sys.exit(
            f"not what PyTorch {torch.__version__} says: {', '.join(stale)}; run: python docs/make_from_pytorch.py"
        )
