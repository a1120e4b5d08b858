"""Every example in a docstring of the library runs, and prints what it says: here and, where it can, on PyTorch."""

from __future__ import annotations

import doctest
import importlib
import inspect
import io
import pkgutil
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

import tensorglass
from tensorglass.ops import OPERATORS
from tensorglass.ops.declare.registry import EXAMPLES, FUNCTIONS

#: Modules without a counterpart in PyTorch, and those that need a driver.
NOT_LOADED = ("tensorglass.cuda", "tensorglass.backends.cupy_backend", "tensorglass.as_torch.on_path.torch")
#: Modules whose examples print something of their own on PyTorch, or nothing.
OWN = ("memory", "transfers", "sim", "allocator", "backends", "array_api", "lookers")
#: Operators that nobody calls by name, and those that need a file, or a device which tests may not have.
WITHOUT_EXAMPLE = ("cuda", "from_file", "new", "pin_memory", "to_device", "to_dlpack")


def modules() -> Iterator[Any]:
    yield tensorglass
    for module_info in pkgutil.walk_packages(tensorglass.__path__, "tensorglass."):
        if not module_info.name.startswith(NOT_LOADED):
            yield importlib.import_module(module_info.name)


def of_modules() -> Iterator[doctest.DocTest]:
    """The examples in docstrings of modules, classes and functions, except operators."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    for module in list(modules()):  # all are imported first, as that adds names to packages
        for docstring in finder.find(
            module, module.__name__, module=module, globs={**vars(module), "torch": tensorglass}
        ):
            is_operator = docstring.name.startswith("tensorglass.ops.") or is_handed_out(
                docstring.name.partition(".")[2]
            )
            if docstring.examples and not is_operator:
                yield docstring


def is_handed_out(path: str) -> bool:
    """Whether this is a function or a method from the operator table."""
    return path in FUNCTIONS or getattr(vars(tensorglass.Tensor).get(path[7:]), "__module__", "") == "tensorglass"


def of_operators() -> Iterator[doctest.DocTest]:
    parser = doctest.DocTestParser()
    for path, text in EXAMPLES.items():
        yield parser.get_doctest(f"{text}\n", {}, path, None, 0)


def said(test: doctest.DocTest, library: Any) -> str:
    """What is printed about the examples that fail; nothing if they all go through."""
    before, test.globs = test.globs, {**test.globs, "torch": library}
    told = io.StringIO()
    tensorglass.sim.empty_cache()  # an example tells what is reserved; other tests may have left blocks
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS).run(test, out=told.write)
    test.globs = before  # pytest keeps the tests: what an example made would live on, on devices too
    return told.getvalue()


def name_of(test: doctest.DocTest) -> str:
    return test.name


@pytest.mark.parametrize("test", list(of_modules()), ids=name_of)
def test_examples_of_the_library_print_what_they_say(test: doctest.DocTest) -> None:
    assert said(test, tensorglass) == ""


@pytest.mark.parametrize("test", [test for test in of_modules() if test.name.split(".")[1] not in OWN], ids=name_of)
def test_examples_of_the_library_print_the_same_on_pytorch(test: doctest.DocTest) -> None:
    torch = pytest.importorskip("torch", reason="real PyTorch is not installed (extra: parity)")
    assert said(test, torch) == ""


@pytest.mark.parametrize("test", list(of_operators()), ids=name_of)
def test_examples_of_operators_print_what_they_say(test: doctest.DocTest) -> None:
    assert said(test, tensorglass) == ""


@pytest.mark.parametrize("test", list(of_operators()), ids=name_of)
def test_examples_of_operators_print_the_same_on_pytorch(test: doctest.DocTest) -> None:
    torch = pytest.importorskip("torch", reason="real PyTorch is not installed (extra: parity)")
    assert said(test, torch) == ""


def test_every_operator_that_is_called_by_name_has_an_example() -> None:
    called = [row for row in OPERATORS.values() if row.is_function or row.is_method or row.is_attribute]
    paths = [row.path for row in called if not row.name.startswith("_")]
    assert sorted(path for path in paths if path not in EXAMPLES) == sorted(WITHOUT_EXAMPLE)


def test_every_example_belongs_to_an_operator_and_stands_in_its_docstring() -> None:
    rows = {row.path: row for row in OPERATORS.values()}
    assert set(EXAMPLES) - set(rows) == set()
    for path, example in EXAMPLES.items():
        assert example in (rows[path].function.__doc__ or ""), path


def test_examples_are_shown_by_help() -> None:
    assert ">>> torch.sqrt(" in (inspect.getdoc(tensorglass.sqrt) or "")
    assert ">>> torch.sqrt(" in (inspect.getdoc(tensorglass.Tensor.sqrt) or "")
