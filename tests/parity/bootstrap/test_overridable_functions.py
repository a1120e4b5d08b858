"""`torch.overrides` lists what classes can override, under PyTorch's names."""

from __future__ import annotations

import inspect
import subprocess
import sys
from operator import attrgetter
from types import ModuleType
from typing import Any

import pytest

import tensorglass
from tensorglass.core.left_out import is_left_out

torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")

PLACES = ("", "functional", "nn.functional", "linalg", "fft", "special")
#: What has another name in PyTorch, since two of its names are one function there and not here, or here and not there.
OTHERWISE = {
    "torch.adaptive_max_pool1d", "torch.max_pool1d_with_indices", "torch.spmm", "torch.Tensor.ndimension",
    "torch.Tensor.nelement", "torch.Tensor._grad.__get__", "torch.autocast", "torch.nn.functional._sym_int",
    "torch.mm", "torch.nn.functional.adaptive_max_pool1d_with_indices",
    "torch.nn.functional.max_pool1d_with_indices",
}  # fmt: skip


def listed(library: Any) -> dict[str, set[str]]:
    """The names of the functions, by where they are."""
    found: dict[str, set[str]] = {}
    for place, functions in library.overrides.get_overridable_functions().items():
        if isinstance(place, ModuleType):
            where = place.__name__.partition(".")[2]
        else:
            where = "Tensor" if place is library.Tensor else "attributes"
        found.setdefault(where, set()).update(library.overrides.resolve_name(function) for function in functions)
    return found


def is_there(name: str) -> bool:
    try:
        return not is_left_out(attrgetter(name.removeprefix("torch."))(tensorglass))
    except AttributeError:
        return False


@pytest.mark.filterwarnings("ignore")
def test_the_functions_that_can_be_overridden_are_those_of_pytorch_that_are_here() -> None:
    ours, theirs = listed(tensorglass), listed(torch)
    assert set(ours) == {*PLACES, "Tensor", "attributes"} == set(theirs)
    for place, names in theirs.items():
        assert ours[place] - OTHERWISE == {name for name in names - OTHERWISE if is_there(name)}, place


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "name",
    ["add", "split", "conv1d", "linalg.det", "nn.functional.relu", "Tensor.add", "Tensor.shape.__get__", "Tensor.dim",
     "Tensor.grad.__set__", "special.expit", "functional.einsum", "rand", "nn.functional.tanh"],
)  # fmt: skip
def test_a_function_is_known_by_pytorchs_name(name: str) -> None:
    asked = [attrgetter(name)(library) for library in (tensorglass, torch)]
    for answer in ("resolve_name", "is_tensor_method_or_property"):
        ours, theirs = (
            getattr(library.overrides, answer)(function)
            for library, function in zip((tensorglass, torch), asked, strict=True)
        )
        assert ours == theirs
    ours, theirs = (
        function in library.overrides.get_ignored_functions()
        for library, function in zip((tensorglass, torch), asked, strict=True)
    )
    assert ours == theirs


def test_what_is_no_operator_has_no_name() -> None:
    for library in (tensorglass, torch):
        assert library.overrides.resolve_name(print) is None


def test_a_stand_in_takes_any_arguments_and_has_the_functions_name() -> None:
    stand_ins = tensorglass.overrides.get_testing_overrides()
    assert stand_ins[tensorglass.add](1, other=2) == -1
    assert inspect.unwrap(stand_ins[tensorglass.Tensor.add]) is tensorglass.Tensor.add
    listing = tensorglass.overrides.get_overridable_functions()
    assert set(stand_ins) == {function for functions in listing.values() for function in functions}


def test_the_names_stay_when_the_first_subclass_is_defined() -> None:
    program = """
import tensorglass as torch
def asked():
    names = torch.overrides.resolve_name
    return names(torch.Tensor.shape.__get__), names(torch.Tensor.__getitem__), names(torch.Tensor.add)
before = asked()
class Mine(torch.Tensor):
    pass
print(before == asked() == ("torch.Tensor.shape.__get__", "torch.Tensor.__getitem__", "torch.Tensor.add"))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == "True\n", done.stderr
