"""Reading raises nothing, whatever the class of a tensor or an object overrides, and ignores such overrides."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any

import numpy
import pytest

from glassroom import aliases, device_map, graph, holders, memory_timeline, model_map, show, watch
from glassroom.testing import assert_no_leak, assert_peak_below

torch = pytest.importorskip("torch", reason="its classes are derived from")


class WrongShape(torch.Tensor):
    shape = ("text",)


class NoClass(torch.Tensor):
    @property
    def __class__(self) -> Any:
        raise RuntimeError("no class")


class NoAttributes(torch.Tensor):
    def __getattribute__(self, name: str) -> Any:
        raise LookupError(name)


class NoWords(torch.Tensor):
    def refuse(self, *_: object) -> Any:
        raise LookupError("no words")

    __repr__ = __str__ = __bool__ = __eq__ = __len__ = __iter__ = refuse
    __hash__ = refuse


class WrongAnswers(torch.Tensor):
    grad_fn = _base = 7
    grad = layout = requires_grad = _version = device = dtype = is_leaf = "wrong"

    def stride(self) -> str:
        return "wrong"

    untyped_storage = data_ptr = storage_offset = element_size = stride


class WrongArray(numpy.ndarray):
    shape = base = strides = __array_interface__ = "wrong"


class Wrapper(torch.Tensor):
    """A class that raises for every operator, even for its size."""

    @staticmethod
    def __new__(cls: Any, size: Any) -> Any:
        make = torch.Tensor._make_wrapper_subclass
        return make(cls, size, dispatch_sizes_strides_policy="sizes", requires_grad=True)

    @classmethod
    def __torch_dispatch__(cls, *_: Any) -> Any:
        raise LookupError("no operator")


class NoObject:
    __slots__ = ("held",)

    @property
    def __class__(self) -> Any:
        raise RuntimeError("no class")

    @property
    def __dict__(self) -> Any:
        raise RuntimeError("no dict")

    def __getattribute__(self, name: str) -> Any:
        raise LookupError(name)


class Refusing(type):
    def __getattribute__(cls, name: str) -> Any:
        raise LookupError(name)


class OfARefusingClass(metaclass=Refusing):
    pass


class Named(torch.autograd.Function):
    """A function whose node has the attributes of a leaf's node."""

    @staticmethod
    def forward(ctx: Any, given: Any) -> Any:
        ctx.variable = 5
        return given * 2

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        return gradient * 2


def hostile() -> dict[str, Any]:
    by_name: dict[str, Any] = {}
    weight = torch.ones(3, requires_grad=True)
    for kind in (WrongShape, NoClass, NoAttributes, NoWords, WrongAnswers):
        by_name[f"{kind.__name__} of data"] = torch.ones(3).as_subclass(kind)
        by_name[f"{kind.__name__} with a graph"] = (weight * 2).exp().as_subclass(kind)
        by_name[f"{kind.__name__} that is a leaf"] = torch.Tensor._make_subclass(kind, torch.ones(3), True)
    by_name["an array"] = numpy.ones(3).view(WrongArray)
    by_name["a wrapper"] = Wrapper((3,))
    by_name["an object"] = NoObject()
    by_name["of a refusing class"] = OfARefusingClass()
    by_name["several"] = [NoObject(), {"a": OfARefusingClass()}, (Wrapper((2,)),)]
    by_name["a node"] = Named.apply(weight)
    return by_name


def test_what_answers_by_code_of_its_own_raises_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    unraisable: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", unraisable.append)
    values = hostile()
    beside = torch.ones(100)

    def step() -> Any:
        return values, beside * 2

    for look in (holders, aliases, lambda: memory_timeline(step), lambda: watch(step)):
        picture = look()
        assert picture.text
        assert picture.svg
    with assert_no_leak(), assert_peak_below("1 KiB"):
        step()
    for value in values.values():
        for ask in (show, graph, holders, device_map, model_map, lambda tensor: aliases(tensor, beside)):
            with suppress(TypeError, ValueError):  # their errors say what they accept, or that there is no graph
                assert ask(value).text
    assert not unraisable


@pytest.mark.parametrize("kind", [WrongShape, NoClass, NoAttributes, NoWords, WrongAnswers])
def test_a_subclass_is_drawn_as_its_library_declares_it(kind: Any) -> None:
    plain = torch.arange(3.0)
    odd = plain.as_subclass(kind)
    header, other = show(x=odd).data.headers[0], show(x=plain).data.headers[0]
    assert (header.size, header.stride, header.cells) == (other.size, other.stride, other.cells)
    assert holders(odd).data.nbytes == 12
