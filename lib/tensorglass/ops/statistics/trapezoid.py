"""Integrals of sampled functions: trapezoid, cumulative_trapezoid."""

from __future__ import annotations

from typing import Any

from tensorglass import geometry
from tensorglass.core import dtypes
from tensorglass.ops.arg_parser.bool_arguments import Stated, StatedTensor
from tensorglass.ops.creation.fill import zeros
from tensorglass.ops.declare.registry import operator
from tensorglass.tensor.tensor import Tensor


def _neighbours(y: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """The later and the earlier of neighbours."""
    length = y._size[dim]
    count = max(length - 1, 0)
    return y.narrow(dim, length - count, count), y.narrow(dim, 0, count)


def _widths(name: str, y: Tensor, x: Tensor, dim: int) -> Tensor:
    """The steps between sample points, so that they are multiplied along `dim` of `y`."""
    if y._dtype is dtypes.bool or x._dtype is dtypes.bool:
        raise RuntimeError(f"{name}: received a bool input for `x` or `y`, but bool is not supported")
    if len(x._size) != 1:
        wide_x = x.view((1,) * (len(y._size) - len(x._size)) + x._size) if len(x._size) < len(y._size) else x
        later, earlier = _neighbours(wide_x, dim)
        return later - earlier
    if len(x) != y._size[dim]:
        raise RuntimeError(f"{name}: There must be one `x` value for each sample point")
    wide = [1] * len(y._size)
    wide[dim] = len(x)
    later, earlier = _neighbours(x.view(wide), dim)
    return later - earlier


def _trapezoid_axis(name: str, y: Tensor, dim: int) -> int:
    if not y._size and name == "cumulative_trapezoid":
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    if not y._size:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return geometry.wrap_dim(dim, len(y._size))


def _spacing_step(name: str, y: Tensor, dx: Any) -> float:
    if y._dtype is dtypes.bool:
        raise RuntimeError(f"{name}: received a bool input for `y`, but bool is not supported")
    if isinstance(dx, (bool, complex)):
        raise RuntimeError(f"{name}: Currently, we only support dx as a real number.")
    return 1.0 if dx is None else float(dx)


@operator("cumulative", method=False, aliases=("trapz",))
def trapezoid(y: Tensor, x: StatedTensor = None, *, dx: Stated = None, dim: int = -1) -> Tensor:
    """The integral along `dim` of a function whose values are `y`, by the trapezoid rule.

    The points lie at `x`, or `dx` (1) apart.
    """
    axis = _trapezoid_axis("trapezoid", y, dim)
    if not y._size[axis]:
        return zeros(y._size[:axis] + y._size[axis + 1 :], dtype=y._dtype, device=y.device)
    if x is None:
        step = _spacing_step("trapezoid", y, dx)
        ends = (y.select(axis, 0) + y.select(axis, -1)) * 0.5
        return (y.sum(axis) - ends) * step
    width = _widths("trapezoid", y, x, axis)
    later, earlier = _neighbours(y, axis)
    return ((earlier + later) * width).sum(axis) / 2.0


@operator("cumulative", method=False)
def cumulative_trapezoid(y: Tensor, x: StatedTensor = None, *, dx: Stated = None, dim: int = -1) -> Tensor:
    """The integral along `dim` up to each point but the first, by the trapezoid rule."""
    axis = _trapezoid_axis("cumulative_trapezoid", y, dim)
    later, earlier = _neighbours(y, axis)
    if x is None:
        step = _spacing_step("cumulative_trapezoid", y, dx)
        return ((earlier + later) * (step / 2.0)).cumsum(axis)
    return ((earlier + later) * _widths("cumulative_trapezoid", y, x, axis)).cumsum(axis) / 2.0
