"""Counts the names of PyTorch that public programs use: ``python tests/programs/names.py FOLDER`` writes `names.txt`.

FOLDER has checkouts. A name is counted once a file: what the imports of the file make of ``F.relu`` or
``from torch.optim import Adam``, and attributes such as ``.masked_fill_``, if tensors have them and neither Python's
own types nor arrays and modules do. Written down are those that more than one file in a thousand uses.
"""

from __future__ import annotations

import ast
import os
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

PAGE = Path(__file__).with_name("names.txt")
LEAST = 1000  #: names are listed that more than one in this many files uses


def main(folder: str) -> None:
    """Count the names in all files that import torch."""
    warnings.simplefilter("ignore")  # what the programs' own strings and PyTorch's old names warn of
    counts: Counter[str] = Counter()
    seen: set[str] = set()
    for path in sorted(_files(folder)):
        text = path.read_text(encoding="utf-8", errors="replace")
        if "torch" not in text or text in seen:  # copies in other checkouts count once
            continue
        try:
            names = set(_names(ast.parse(text)))
        except (SyntaxError, ValueError, RecursionError):
            continue
        if names:
            seen.add(text)
            counts.update(names)
    kept = sorted((name for name, count in counts.items() if count * LEAST > len(seen)), key=lambda n: (-counts[n], n))
    lines = [f"{len(seen)} files", *[f"{counts[name]} {name}" for name in kept]]
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _files(folder: str) -> Iterator[Path]:
    for home, folders, files in os.walk(folder, followlinks=True):
        folders[:] = [folder for folder in folders if not folder.startswith(".")]
        yield from [Path(home, file) for file in files if file.endswith(".py")]


def _names(tree: ast.AST) -> Iterator[str]:
    """The names that a file uses, as paths below ``torch``; nothing if it does not import it."""
    bound: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "torch":
                    bound[alias.asname or "torch"] = alias.name if alias.asname else "torch"
                    yield from _known(alias.name)
        elif (
            isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "torch" and not node.level
        ):
            for alias in node.names:
                bound[alias.asname or alias.name] = f"{node.module}.{alias.name}"
                yield from _known(f"{node.module}.{alias.name}")
    if not bound:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            path = _dotted(node, bound)
            if path is not None:
                yield from _known(path)
            elif node.attr in _of_tensors_alone():
                yield f"Tensor.{node.attr}"


def _dotted(node: ast.expr, bound: dict[str, str]) -> str | None:
    if isinstance(node, ast.Name):
        return bound.get(node.id)
    above = _dotted(node.value, bound) if isinstance(node, ast.Attribute) else None
    return f"{above}.{node.attr}" if above is not None and isinstance(node, ast.Attribute) else None


def _known(path: str) -> Iterator[str]:
    """The name as far as PyTorch has it as a function, a class or a module; nothing if it has not."""
    import torch
    import torch.utils.tensorboard  # so that PyTorch's modules that it does not import by itself are found

    owner, name = torch, ""
    for part in path.split(".")[1:]:
        if owner in (torch.ops, torch.classes) or not isinstance(owner, ModuleType | type):
            break  # the first two answer to every name
        if isinstance(owner, type) and owner is not torch.Tensor:
            break
        try:
            owner = getattr(owner, part)
        except (AttributeError, RuntimeError):
            return
        name = f"{name}.{part}" if name else part
    if name:
        yield name


_methods: set[str] = set()


def _of_tensors_alone() -> set[str]:
    if not _methods:
        import numpy
        import torch

        others = (str, bytes, list, dict, set, int, float, object, type, numpy.ndarray, numpy, torch.nn.Module, Path)
        _methods.update(name for name in dir(torch.Tensor) if not name.startswith("_"))
        _methods.difference_update(name for other in others for name in dir(other))
    return _methods


if __name__ == "__main__":
    main(sys.argv[1])
