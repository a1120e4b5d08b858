"""Weight normalization: lengths and directions that are learned separately (Salimans and Kingma 2016)."""

from __future__ import annotations

from typing import Any

from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.tensor.tensor import Tensor


def norm_except_dim(weight: Tensor, dim: int) -> Tensor:
    """The length of each slice along `dim`, with the other dimensions as 1; of the whole, if `dim` is -1."""
    if dim == -1:
        return weight.norm()
    others = [axis for axis in range(weight.dim()) if axis != dim]
    return weight.norm(2, others, keepdim=True) if others else weight.abs()


def _of_direction(grad: Tensor, v: Tensor, g: Tensor, dim: int) -> Tensor:
    """The part of the gradient that is orthogonal to `v`."""
    length = norm_except_dim(v, dim)
    return g / length * (grad - v * (_along(grad * v, dim) / length**2))


def _along(products: Tensor, dim: int) -> Tensor:
    return products.sum([axis for axis in range(products.dim()) if axis != dim], keepdim=True)


@derivative(
    node="WeightNormInterfaceBackward0",
    v=_of_direction,
    g=lambda grad, v, dim: _along(grad * v, dim) / norm_except_dim(v, dim),
)
def _interface(v: Tensor, g: Tensor, dim: int) -> Tensor:
    return v * (g / norm_except_dim(v, dim))


_recorded: Any = recorded(_interface)


def normalized(v: Tensor, g: Tensor, dim: int) -> Tensor:
    """The direction of `v` with the lengths `g`, ``v * (g / |v|)``: one node along the first or last dimension."""
    if v.dim() > 1 and dim in (0, v.dim() - 1):
        result: Tensor = _recorded(v, g, dim)
        return result
    return v * (g / norm_except_dim(v, dim))
