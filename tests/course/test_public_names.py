"""The names that `glassroom` offers, and the names of `tensorglass` that it uses: only public ones."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

import glassroom
import tensorglass

HERE = Path(glassroom.__file__).parent
LIBRARY = Path(tensorglass.__file__).parent
MODULES = {".".join(path.relative_to(LIBRARY).with_suffix("").parts) for path in LIBRARY.rglob("*.py")}
MODULES |= {name.removesuffix(".__init__") for name in MODULES}

# What PyTorch has too, then what tensorglass documents beside it.
PUBLIC_MODULES = {
    *("accelerator", "autograd", "autograd.forward_ad", "autograd.function", "autograd.functional", "autograd.graph"),
    *("cuda", "fft", "func", "library", "linalg", "multiprocessing", "overrides", "random", "serialization"),
    *("special", "utils", "utils.checkpoint", "utils.dlpack"),
    *("backends", "extending", "geometry", "memory", "sim", "testing", "transfers"),
}


def test_every_public_name_is_there() -> None:
    for name in glassroom.__all__:
        assert getattr(glassroom, name) is not None


def test_no_module_has_the_name_of_something_public() -> None:
    # Python puts a module into its package when it is imported: it would take the place of the function.
    modules = {path.stem for path in HERE.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert modules.isdisjoint(glassroom.__all__)


def test_the_course_imports_public_names_of_the_library_alone() -> None:
    asked = {
        (str(path.relative_to(HERE)), module)
        for path in sorted(HERE.rglob("*.py"))
        for module in modules_asked_for(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert {module for _, module in asked} >= {"memory", "geometry"}
    assert {(path, module) for path, module in asked if module not in PUBLIC_MODULES} == set()


@pytest.mark.parametrize(
    ("source", "asked"),
    [
        ("from tensorglass import Tensor, memory", {"memory"}),
        ("from tensorglass.geometry import strides", {"geometry", "geometry.strides"}),
        ("import tensorglass.geometry.views as views", {"geometry.views"}),
        ("def f():\n    import tensorglass\n    from tensorglass.memory import live", {"memory"}),
        ("SETUP = '''\nfrom tensorglass.geometry.dims import numel\n'''", {"geometry.dims"}),
        ("tensorglass.memory.live()", set()),
    ],
)
def test_every_way_to_import_a_module_is_seen(source: str, asked: set[str]) -> None:
    assert set(modules_asked_for(ast.parse(source))) == asked


def modules_asked_for(tree: ast.AST) -> Iterator[str]:
    """The modules of tensorglass that are imported in a tree, and in code within its strings."""
    for node in ast.walk(tree):
        match node:
            case ast.Import():
                names = [alias.name for alias in node.names]
            case ast.ImportFrom():
                names = [str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)]
            case ast.Constant(str(text)) if "import" in text:
                yield from modules_asked_for(parsed(text))
                continue
            case _:
                continue
        for name in names:
            library, _, module = name.partition(".")
            if library == "tensorglass" and module in MODULES:
                yield module


def parsed(text: str) -> ast.AST:
    """A string as code; empty if it is not code."""
    try:
        return ast.parse(dedent(text))
    except SyntaxError:
        return ast.Module([], [])
