"""Functions of Python, applied element by element: apply_ and map_.

They are slow, work only on the CPU, and do not count as writes, as in PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST
from tensorglass.errors import explained
from tensorglass.ops.elementwise import refuse_overlapping_write
from tensorglass.ops.table import operator
from tensorglass.tensor import Tensor, array_of, raw_array


def _refuse(name: str, input: Tensor) -> None:
    if input.requires_grad:
        raise explained(
            RuntimeError(f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead."),
            "Nobody knows the slope of a function of Python.",
        )
    if input._storage.backend is not HOST:
        raise TypeError(f"{name} is only implemented on CPU tensors")


def _each(xp: Any, target: Array, function: Callable[..., Any], others: list[Array]) -> None:
    for place in xp.ndindex(target.shape):
        target[place] = function(target[place].item(), *[other[place].item() for other in others])


@operator("in place", function=False)
def apply_(input: Tensor, callable: Callable[[Any], Any]) -> Tensor:
    """Every element replaced by what `callable` makes of it, as a Python number."""
    _refuse("apply_", input)
    refuse_overlapping_write(input)
    HOST.launch(_each, raw_array(input), callable, [])
    return input


@operator("in place", function=False)
def map_(input: Tensor, tensor: Tensor, callable: Callable[[Any, Any], Any]) -> Tensor:
    """Every element replaced by what `callable` makes of it and of the one of `tensor`, expanded to its size."""
    _refuse("map_", input)
    if tensor.requires_grad:
        raise RuntimeError("Can't call map_() on Variable that requires grad. Use var.detach().map_() instead.")
    if tensor._dtype is not input._dtype:
        raise TypeError(f"map_: expected {input.type()} for 'other' (got {tensor.type()})")
    refuse_overlapping_write(input)
    HOST.launch(_each, raw_array(input), callable, [array_of(tensor.expand(input._size))])
    return input
