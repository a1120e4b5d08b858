"""Sampled functions: their slopes, from differences of neighbours, and their integrals, by the trapezoid rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorglass import geometry
from tensorglass.core import dtypes
from tensorglass.core.errors import explained
from tensorglass.graph.recorder import in_cpp
from tensorglass.ops.arg_parser.bool_arguments import Stated, StatedTensor
from tensorglass.ops.creation.fill import zeros
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.rearrange.cat_stack import cat
from tensorglass.tensor.tensor import Tensor


def _read_spacing(
    input: Tensor, spacing: Any, dim: int | Sequence[int] | None, edge_order: int
) -> tuple[list[int], list[float | Tensor]]:
    """The dimensions, and for each the distance between neighbours, or their coordinates."""
    rank = len(input._size)
    given = None if dim is None else [dim] if isinstance(dim, int) else list(dim)
    if isinstance(spacing, Tensor) and not spacing._size:
        spacing = spacing.item()
    is_list = isinstance(spacing, list | tuple)
    count = rank if given is None else len(given)
    if is_list and len(spacing) != count:
        if given is None:
            raise RuntimeError(
                "torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to "
                f"'self.dim() = {rank}', since dim argument was not given, but got a list of length {len(spacing)}"
            )
        raise RuntimeError(
            "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim arguments to have "
            f"the same length, but got a spacing argument of length {len(spacing)} and a dim argument of length "
            f"{count}."
        )
    if input._dtype is dtypes.uint8:
        raise explained(
            RuntimeError("torch.gradient does not support uint8 input."), "Slopes can be negative: convert it first."
        )
    dims = list(range(rank)) if given is None else [geometry.wrap_dim(dim, rank) if rank else dim for dim in given]
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    for wanted in dims:
        if not rank:
            raise IndexError(f"Dimension specified as {wanted} but tensor has no dimensions")
        if dims.count(wanted) > 1:
            raise RuntimeError(f"dim {wanted} appears multiple times in the list of dims")
        if input._size[wanted] < edge_order + 1:
            raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    steps = list(spacing) if is_list else [1.0 if spacing is None else spacing] * count
    for step in steps:
        if isinstance(step, Tensor) and len(step._size) != 1:
            raise RuntimeError(
                "torch.gradient expected each element of spacing to have one dimension, but got an element with "
                f"{len(step._size)} dimensions!"
            )
    return dims, steps


def _even_slopes(input: Tensor, dim: int, step: float, edge_order: int) -> Tensor:
    """The slopes of elements that lie `step` apart."""
    last = input._size[dim] - 1

    def part(start: int, length: int = 1) -> Tensor:
        return input.narrow(dim, start, length)

    if edge_order == 1:
        first = part(1) - part(0)
        final = part(last) - part(last - 1)
    else:
        first = part(0) * -1.5 + part(1) * 2 - part(2) * 0.5
        final = part(last - 2) * 0.5 - part(last - 1) * 2 + part(last) * 1.5
    middle = (part(2, last - 1) - part(0, last - 1)) / 2
    return cat([first / step, middle / step, final / step], dim)


def _uneven_slopes(input: Tensor, dim: int, places: Tensor, edge_order: int) -> Tensor:
    """The slopes of elements with coordinates: the slope of the parabola through each element and its two
    neighbours."""
    if places._dtype is dtypes.bool:
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, "
            "use the `~` or `logical_not()` operator instead."
        )
    last = input._size[dim] - 1
    shape = [-1 if axis == dim else 1 for axis in range(len(input._size))]
    apart = places.narrow(0, 1, last) - places.narrow(0, 0, last)
    before, behind = apart.narrow(0, 0, last - 1), apart.narrow(0, 1, last - 1)

    def part(start: int, length: int = 1) -> Tensor:
        return input.narrow(dim, start, length)

    low = -behind / (before * (before + behind))
    middle = (behind - before) / (before * behind)
    high = before / (behind * (before + behind))
    inner = (
        low.view(shape) * part(0, last - 1)
        + middle.view(shape) * part(1, last - 1)
        + high.view(shape) * part(2, last - 1)
    )
    if edge_order == 1:
        first = (part(1) - part(0)) / apart[0]
        final = (part(last) - part(last - 1)) / apart[last - 1]
    else:
        one, two = apart[0], apart[1]
        first = (
            -(one * 2 + two) / (one * (one + two)) * part(0)
            + (one + two) / (one * two) * part(1)
            + -one / (two * (one + two)) * part(2)
        )
        one, two = apart[last - 2], apart[last - 1]
        final = (
            two / (one * (one + two)) * part(last - 2)
            + -(one + two) / (one * two) * part(last - 1)
            + (two * 2 + one) / (two * (one + two)) * part(last)
        )
    return cat([first, inner, final], dim)


@operator("numerical", method=False)
def gradient(
    input: Tensor, *, spacing: Any = None, dim: int | Sequence[int] | None = None, edge_order: int = 1
) -> tuple[Tensor, ...]:
    """The slopes along each of the dimensions `dim`, from the differences of each element's neighbours.

    `spacing` is how far neighbours are apart: one number, one for each dimension, or a vector of coordinates for each.
    At the edges the slope is that of two elements, or, if `edge_order` is 2, of a parabola through three.
    """
    dims, steps = _read_spacing(input, spacing, dim, edge_order)
    return tuple(
        [
            _uneven_slopes(input, axis, step, edge_order)
            if isinstance(step, Tensor)
            else _even_slopes(input, axis, step, edge_order)
            for axis, step in zip(dims, steps, strict=True)
        ]
    )


# --- integrals -------------------------------------------------------------------------------------------------------


def _neighbours(y: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """The later and the earlier of neighbours."""
    length = y._size[dim]
    count = max(length - 1, 0)
    return y.narrow(dim, length - count, count), y.narrow(dim, 0, count)


def _widths(name: str, y: Tensor, x: Tensor, dim: int) -> Tensor:
    """The steps between sample points, shaped to broadcast along `dim` of `y`."""
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
@in_cpp
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
@in_cpp
def cumulative_trapezoid(y: Tensor, x: StatedTensor = None, *, dx: Stated = None, dim: int = -1) -> Tensor:
    """The integral along `dim` up to each point but the first, by the trapezoid rule."""
    axis = _trapezoid_axis("cumulative_trapezoid", y, dim)
    later, earlier = _neighbours(y, axis)
    if x is None:
        step = _spacing_step("cumulative_trapezoid", y, dx)
        return ((earlier + later) * (step / 2.0)).cumsum(axis)
    return ((earlier + later) * _widths("cumulative_trapezoid", y, x, axis)).cumsum(axis) / 2.0
