"""`apply_`: a function of Python, applied element by element.

It is slow, works only on the CPU, and does not count as a write, as in PyTorch. The function is called outside of any
kernel, and may use tensors itself.
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
from tensorglass.tensor.tensor import Tensor, raw_array

_HOST: Any = get_backend(CPU)  # where Python's lists and numbers are


@operator("in place", function=False)
def apply_(input: Tensor, callable: Callable[[Any], Any]) -> Tensor:
    """Every element replaced by what `callable` makes of it, as a Python number."""
    if input.requires_grad:
        raise explained(
            RuntimeError("Can't call apply_() on Variable that requires grad. Use var.detach().apply_() instead."),
            "The slope of a function of Python is not known.",
        )
    if input._storage.backend is not _HOST:
        raise TypeError("apply_ is only implemented on CPU tensors")
    target = raw_array(input)
    for place in _HOST.xp.ndindex(target.shape):
        _HOST.launch(_write_element, target, place, _element(callable(target[place].item()), input._dtype))
    return input


def _write_element(xp: Any, target: Array, place: tuple[int, ...], element: complex) -> None:
    target[place] = element


def _element(answer: Any, dtype: DType) -> complex:
    """The function's result, converted as PyTorch does for an element of `dtype`."""
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
