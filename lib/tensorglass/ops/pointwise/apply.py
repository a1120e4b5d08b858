"""Functions of Python, applied element by element: apply_, map_ and map2_.

They are slow, work only on the CPU, and do not count as writes, as in PyTorch. The functions are called outside of any
kernel, and may use tensors themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import index
from typing import Any

from tensorglass.backends import Array
from tensorglass.backends import get as get_backend
from tensorglass.core import dtypes
from tensorglass.core.devices import CPU
from tensorglass.core.dtype_info import iinfo
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import explained
from tensorglass.ops.arg_parser.checks import type_name
from tensorglass.ops.declare.registry import operator
from tensorglass.tensor.tensor import Tensor, array_of, raw_array

_HOST: Any = get_backend(CPU)  # where Python's lists and numbers are


@operator("in place", function=False)
def apply_(input: Tensor, callable: Callable[[Any], Any]) -> Tensor:
    """Every element replaced by what `callable` makes of it, as a Python number."""
    return _replace("apply_", input, callable)


@operator("in place", function=False)
def map_(input: Tensor, other: Tensor, callable: Callable[[Any, Any], Any]) -> Tensor:
    """Every element replaced by what `callable` makes of it and of the one of `other`, expanded to its size."""
    return _replace("map_", input, callable, other=other)


@operator("in place", function=False)
def map2_(input: Tensor, x: Tensor, y: Tensor, callable: Callable[[Any, Any, Any], Any]) -> Tensor:
    """Every element replaced by what `callable` makes of it and of those of `x` and `y`, expanded to its size."""
    return _replace("map2_", input, callable, x=x, y=y)


def _replace(name: str, input: Tensor, function: Callable[..., Any], **others: Tensor) -> Tensor:
    if any(each.requires_grad for each in (input, *others.values())):
        raise explained(
            RuntimeError(f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead."),
            "The slope of a function of Python is not known.",
        )
    if input._storage.backend is not _HOST:
        raise TypeError(f"{name} is only implemented on CPU tensors")
    for argument, other in others.items():
        if other._dtype is not input._dtype:
            which = f"argument '{argument}'" if len(others) > 1 else f"'{argument}'"
            raise TypeError(f"{name}: expected {input.type()} for {which} (got {other.type()})")
    target, sources = raw_array(input), [array_of(each.expand(input._size)) for each in others.values()]
    for place in _HOST.xp.ndindex(target.shape):
        answer = function(*[each[place].item() for each in (target, *sources)])
        _HOST.launch(_write_element, target, place, _element(answer, input._dtype))
    return input


def _write_element(xp: Any, target: Array, place: tuple[int, ...], element: complex) -> None:
    target[place] = element


def _element(answer: Any, dtype: DType) -> complex:
    """What a function answered, as PyTorch reads it for an element of `dtype`."""
    if dtype.is_complex and isinstance(answer, complex):
        return answer
    if dtype.category >= dtypes.FLOATING:
        if isinstance(answer, str) or not hasattr(answer, "__float__"):
            raise TypeError(f"must be real number, not {type_name(answer)}")
        return float(answer)
    whole = int(answer) if isinstance(answer, float) else index(answer)
    if not -(2**63) <= whole < 2**63:
        raise ValueError("Overflow when unpacking long long")
    if dtype is dtypes.bool:
        return bool(whole)
    limits = iinfo(dtype)
    if not (limits.min or -limits.max) <= whole <= limits.max:
        raise RuntimeError(f"value cannot be converted to type {limits.dtype} without overflow")
    return whole & limits.max if dtype is dtypes.uint8 else whole
