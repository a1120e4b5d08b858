"""The gallery of inspectors: its code runs as printed, and creates every inspector; its pictures exist."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from every_inspector import every_inspector

import tensorglass
from glassroom.workspace.execution import execute

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "inspectors.md").read_text(encoding="utf-8")
README = (DOCS.parent / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```(?:\n\n<picture>.*?images/([\w-]+)-dark\.png)?", PAGE, re.DOTALL)


def test_each_block_with_a_picture_displays_an_inspector() -> None:
    pytest.importorskip("torch", reason="the gallery shows real PyTorch tensors")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code.strip()) for code, _ in BLOCKS])
    notebook = execute(notebook, DOCS, timeout=120)
    shown = [any("image/svg+xml" in output.get("data", {}) for output in cell.outputs) for cell in notebook.cells]
    assert shown == [bool(name) for _, name in BLOCKS]


def test_every_inspector_has_its_pictures_light_and_dark() -> None:
    names = [name for _, name in BLOCKS if name]
    assert len(names) == len(set(names)) == len(every_inspector(tensorglass))
    missing = [f"{name}-{shade}.png" for name in names for shade in ("light", "dark")]
    assert [name for name in missing if not (DOCS / "images" / name).exists()] == []


def test_the_readme_shows_the_ten_lines_of_the_gallery() -> None:
    [watched] = [code for code, _ in BLOCKS if code.startswith("%%watch")]
    assert len(watched.strip().splitlines()) == 11
    assert watched in README
