"""Tensors stretched to the size at which they meet: expand_as, broadcast_to, broadcast_tensors.

All of them are `expand`, stride 0 in place of copies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorglass import geometry
from tensorglass.ops.arg_parser.checks import all_tensors, check_tensor
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.views.shape import expand
from tensorglass.tensor.tensor import Tensor


@operator("view", function=False)
def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """`input.expand(other.size())`."""
    check_tensor("expand_as", other, "other")
    return expand(input, other._size)


def _broadcast_to_method(input: Tensor, *size: Any) -> Tensor:
    """`input.expand(size)`."""
    return expand(input, *size)


@operator("view", method_form=_broadcast_to_method)
def broadcast_to(input: Tensor, size: Sequence[int]) -> Tensor:
    """`input.expand(size)`."""
    if not isinstance(size, tuple | list):
        raise TypeError("a size is a tuple")  # `calls` says it in PyTorch's words
    return expand(input, size)


@operator("view", method=False, signatures=None)
def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """Every tensor expanded to the size at which they all meet."""
    size = geometry.broadcast_shapes(*[tensor._size for tensor in all_tensors(tensors)])
    return tuple([tensor if tensor._size == size else expand(tensor, size) for tensor in tensors])
