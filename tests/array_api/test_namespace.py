"""The namespace itself: the standard's names with their signatures, what it says about itself, how it is found."""

from __future__ import annotations

import inspect
import subprocess
import sys
from types import ModuleType
from typing import Any

import pytest
from array_api.oracle import DTYPES, strict
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.array_api import make_strategies_namespace

import tensorglass as torch
from tensorglass import array_api as xp

#: Names that the oracle has and the standard has not, or that were added to the standard later.
NOT_OF_THE_STANDARD = {"ArrayAPIStrictFlags", "Device", "ModuleType", "broadcast_shapes", "isin"}


def names_of(module: ModuleType) -> list[str]:
    listed = getattr(module, "__all__", dir(module))
    return [name for name in listed if not name.startswith("_") and "strict_flags" not in name]


def functions() -> list[Any]:
    main = [
        pytest.param(xp, strict, name, id=name)
        for name in names_of(strict)
        if name not in NOT_OF_THE_STANDARD and not inspect.ismodule(getattr(strict, name))
    ]
    extensions = [
        pytest.param(getattr(xp, extension), getattr(strict, extension), name, id=f"{extension}.{name}")
        for extension in ("linalg", "fft")
        for name in names_of(getattr(strict, extension))
    ]
    return main + extensions


@pytest.mark.parametrize(("ours", "theirs", "name"), functions())
def test_every_name_of_the_standard_is_there_with_its_signature(ours: Any, theirs: Any, name: str) -> None:
    offered, expected = getattr(ours, name), getattr(theirs, name)
    if not inspect.isfunction(expected):
        return
    given, wanted = inspect.signature(offered).parameters, inspect.signature(expected).parameters
    assert list(given) == list(wanted)
    for parameter in wanted:
        assert given[parameter].kind is wanted[parameter].kind
        default = wanted[parameter].default
        if default is not inspect.Parameter.empty and "UNDEF" not in repr(default):
            assert given[parameter].default == default
    assert offered.__doc__
    assert offered.__name__ == name


def test_a_tensor_knows_its_namespace() -> None:
    x = torch.ones(2)
    assert x.__array_namespace__() is xp
    for version in ("2021.12", "2022.12", "2023.12", xp.__array_api_version__):
        assert x.__array_namespace__(api_version=version) is xp
    with pytest.raises(ValueError, match=r"no version '2099\.12'"):
        x.__array_namespace__(api_version="2099.12")


def test_constants_are_the_standards() -> None:
    for name in ("e", "inf", "pi"):
        assert getattr(xp, name) == getattr(strict, name)
    assert xp.nan != xp.nan
    assert xp.newaxis is None


def test_the_namespace_tells_what_is_there() -> None:
    info = xp.__array_namespace_info__()
    assert info.capabilities() == strict.__array_namespace_info__().capabilities() | {"max dimensions": 64}
    assert info.default_device() == torch.device("cpu")
    assert info.default_dtypes().keys() == strict.__array_namespace_info__().default_dtypes().keys()
    assert info.default_dtypes()["real floating"] is torch.get_default_dtype()
    assert torch.device("cpu") in info.devices()
    assert {*info.dtypes()} == {*DTYPES}
    for kind in ("bool", "integral", "signed integer", "unsigned integer", "real floating", "complex floating",
                 "numeric", ("bool", "integral")):  # fmt: skip
        theirs = strict.__array_namespace_info__().dtypes(kind=kind)
        assert {*info.dtypes(kind=kind)} == {*theirs}


def test_tensors_have_what_the_standard_asks_of_arrays() -> None:
    array = type(strict.ones(1))
    asked = [name for name in vars(array) if name.startswith("__") or not name.startswith("_")]
    # The buffer is the oracle's own; `x @= y` is `x = x @ y` in PyTorch.
    asked = [name for name in asked if name not in ("__buffer__", "__imatmul__", *vars(type("", (), {})))]
    assert len(asked) > 50
    assert [name for name in asked if not hasattr(torch.ones(2, 2), name)] == []


def test_to_device_is_the_standards_to() -> None:
    x = torch.ones(2)
    assert x.to_device("cpu") is x
    assert x.to_device("sim", stream=None).device.type == "sim"


@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_hypothesis_makes_tensors_by_the_standard(data: st.DataObject) -> None:
    strategies = make_strategies_namespace(xp)
    dtype = data.draw(strategies.scalar_dtypes())
    size = data.draw(strategies.array_shapes(min_dims=0, min_side=0, max_dims=3, max_side=4))
    array = data.draw(strategies.arrays(dtype, size))
    assert array.dtype is dtype
    assert array.shape == size


def test_the_namespace_is_imported_when_it_is_asked_for() -> None:
    program = """
import sys, tensorglass as torch
assert "tensorglass.array_api" not in sys.modules
assert torch.ones(2).__array_namespace__() is torch.array_api
"""
    subprocess.run([sys.executable, "-c", program], check=True)


ON_A_DEVICE = {
    "elementwise": lambda x: (xp.sign(x), xp.remainder(x, 2), xp.floor_divide(x, 2), xp.clip(x, 1), xp.atan2(x, 2.0)),
    "other dtypes": lambda x: (xp.add(x, xp.ones((), dtype=xp.float64, device=x.device)), xp.astype(x, xp.complex64)),
    "wide unsigned": lambda x: [f(xp.astype(x, xp.uint64)) for f in (xp.square, xp.max, xp.sum, xp.argmin, xp.flip)],
    "reductions": lambda x: (xp.sum(x), xp.prod(x, axis=(0, 1)), xp.std(x, axis=()), xp.count_nonzero(x, axis=0)),
    "running sums": lambda x: (xp.cumulative_sum(x, axis=1, include_initial=True), xp.diff(x)),
    "unique": lambda x: (*xp.unique_all(x), xp.unique_values(xp.astype(x, xp.complex64))),
    "searching": lambda x: (xp.argmax(x, keepdims=True), *xp.nonzero(x), xp.where(x > 1, x, 0)),
    "places": lambda x: (xp.searchsorted(xp.sort(x[0]), x), xp.isin(x, x[0])),
    "sorting": lambda x: (xp.sort(x, descending=True), xp.argsort(x)),
    "creation": lambda x: (xp.eye(3, k=1, device=x.device), xp.linspace(0, 1, 3, device=x.device), xp.zeros_like(x)),
    "rearranging": lambda x: (xp.concat([x, x], axis=None), xp.repeat(x, 2, axis=0), xp.tile(x, (2, 1)), xp.flip(x)),
    "picking": lambda x: (xp.take(x, xp.argsort(x[0]), axis=1), xp.take_along_axis(x, xp.argsort(x))),
    "linear algebra": lambda x: (xp.matmul(x, xp.matrix_transpose(x)), xp.linalg.vector_norm(x), xp.linalg.svdvals(x)),
}


@pytest.mark.parametrize("what", ON_A_DEVICE)
def test_results_are_where_the_arrays_are(what: str) -> None:
    here = xp.asarray([[3.0, 1.0, 2.0], [0.0, 5.0, 4.0]])
    there = here.to_device("sim")
    for one, other in zip(ON_A_DEVICE[what](here), ON_A_DEVICE[what](there), strict=True):
        assert other.device == there.device
        assert one.dtype is other.dtype
        torch.testing.assert_close(other.cpu(), one)
