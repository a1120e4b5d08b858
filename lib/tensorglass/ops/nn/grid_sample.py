"""Images and volumes read at the positions of a grid, and the grid of an affine map (Jaderberg et al. 2015)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorglass.core import dtypes
from tensorglass.core.errors import explained
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.arg_parser.checks import check_tensor, not_implemented
from tensorglass.ops.creation.ranges import linspace
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.derivatives.shared import no_derivative
from tensorglass.ops.kernels import resampling as kernels
from tensorglass.ops.kernels.resampling import Sampling
from tensorglass.ops.nn.arguments import like_channels_last, run_wide
from tensorglass.ops.rearrange.cat_stack import stack
from tensorglass.ops.rearrange.meshgrid import meshgrid
from tensorglass.tensor.tensor import Tensor


def _refused(rank: int) -> Any:
    return no_derivative(f"grid_sampler_{rank}d_backward")


@derivative(
    node=lambda how, rank: f"GridSampler{rank}DBackwardBackward0",
    grad=lambda grad, rank: _refused(rank)(grad),
    input=lambda grad, rank: _refused(rank)(grad),
    grid=lambda grad, rank: _refused(rank)(grad),
)
def _input_gradient(grad: Tensor, input: Tensor, grid: Tensor, how: Sampling, rank: int) -> Tensor:
    return run_wide(kernels.sample_input_gradient, grad.contiguous(), input.contiguous(), grid.contiguous(), how=how)


@derivative(
    node=lambda how, rank: f"GridSampler{rank}DBackwardBackward0",
    grad=lambda grad, rank: _refused(rank)(grad),
    input=lambda grad, rank: _refused(rank)(grad),
    grid=lambda grad, rank: _refused(rank)(grad),
)
def _grid_gradient(grad: Tensor, input: Tensor, grid: Tensor, how: Sampling, rank: int) -> Tensor:
    return run_wide(kernels.sample_grid_gradient, grad.contiguous(), input.contiguous(), grid.contiguous(), how=how)


_towards_input: Any = recorded(_input_gradient)
_towards_grid: Any = recorded(_grid_gradient)


def _rank_of_grid(input: Tensor, grid: Tensor, mode: int) -> int:
    """The number of dimensions that the grid's positions have."""
    check_tensor("grid_sampler", input)
    check_tensor("grid_sampler", grid, "grid", 2)
    size, other = list(input._size), list(grid._size)
    if not (size and other):
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    if size[0] != other[0]:
        raise RuntimeError(
            "grid_sampler(): expected grid and input to have same batch size, but got input with sizes "
            f"{size} and grid with sizes {other}"
        )
    rank = len(size) - 2
    if other[-1] != rank:
        raise RuntimeError(
            f"grid_sampler(): expected grid to have size {rank} in last dimension, but got grid with sizes {other}"
        )
    for dim in range(2, len(size)):
        if not size[dim]:
            raise RuntimeError(
                "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes "
                f"{size} with dimension {dim} being empty"
            )
    if len(size) not in (4, 5) or len(size) != len(other):
        raise RuntimeError(
            f"grid_sampler(): expected {4 if rank == 2 else 5}D input and grid with same number of dimensions, but got "
            f"input with sizes {size} and grid with sizes {other}"
        )
    if rank == 3 and mode == 2:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
    if input._dtype is not grid._dtype:
        raise RuntimeError(f"expected scalar type {input._dtype.scalar_type} but found {grid._dtype.scalar_type}")
    if input._dtype.category != dtypes.FLOATING:
        raise not_implemented(f"grid_sampler_{rank}d_cpu", input._dtype)
    return rank


@derivative(
    node=lambda rank: f"GridSampler{rank}DBackward0",
    input=lambda grad, input, grid, how, rank: _towards_input(grad, input, grid, how, rank),
    grid=lambda grad, input, grid, how, rank: _towards_grid(grad, input, grid, how, rank),
)
def _sample(input: Tensor, grid: Tensor, how: Sampling, rank: int) -> Tensor:
    return like_channels_last(run_wide(kernels.sample, input.contiguous(), grid.contiguous(), how=how), input)


_sampled: Any = recorded(_sample)


@operator("networks", method=False)
def grid_sampler(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """(N, C, *lengths) read at the positions of (N, *counts, dimensions), from -1 to 1: (N, C, *counts).

    `interpolation_mode` is 0, linear in each dimension, 1, nearest, or 2, cubic; `padding_mode` 0, zeros beyond the
    ends, 1, the last cell, or 2, the cells mirrored. Raises RuntimeError where sizes do not fit.
    """
    rank = _rank_of_grid(input, grid, interpolation_mode)
    result: Tensor = _sampled(input, grid, Sampling(interpolation_mode, padding_mode, align_corners), rank)
    return result


@operator("networks", method=False)
def grid_sampler_2d(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """`grid_sampler` of images."""
    result: Tensor = grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners)
    return result


@operator("networks", method=False)
def grid_sampler_3d(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """`grid_sampler` of volumes."""
    result: Tensor = grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners)
    return result


# --- the grid of an affine map ---------------------------------------------------------------------------------------


def _base_grid(like: Tensor, size: Sequence[int], align_corners: bool) -> Tensor:
    """The positions of all cells, from -1 to 1, with a 1 behind each: (cells, dimensions + 1)."""
    lines = []
    for length in size[2:]:
        line = linspace(-1, 1, length, dtype=like._dtype, device=like.device)
        if length <= 1:
            line = line * 0
        elif not align_corners:
            line = line * (length - 1) / length
        lines.append(line)
    positions = [*reversed(meshgrid(*lines, indexing="ij")), like.detach().new_ones(size[2:])]
    return stack([position.reshape(-1) for position in positions], -1)


def _generated_gradient(grad: Tensor, size: Sequence[int], align_corners: bool) -> Tensor:
    base = _base_grid(grad, size, align_corners)
    flat = grad.reshape((size[0], base._size[0], grad._size[-1]))
    return flat.transpose(1, 2).matmul(base)


@operator("networks", method=False)
@derivative(theta=_generated_gradient)
def affine_grid_generator(theta: Tensor, size: Sequence[int], align_corners: bool) -> Tensor:
    """The grid at which `grid_sampler` maps an image by `theta`, (N, 2, 3), to `size`, (N, C, H, W): (N, H, W, 2).

    Of volumes `theta` is (N, 3, 4), and the grid (N, D, H, W, 3).
    """
    check_tensor("affine_grid_generator", theta)
    if len(size) not in (4, 5):
        raise explained(
            RuntimeError("AffineGridGenerator needs 4d (spatial) or 5d (volumetric) inputs."),
            "Its `size` is that of the result: (N, C, H, W).",
        )
    if theta.size(0) != size[0]:
        wanted, given = [size[0], theta.size(2)], [theta.size(0), theta.size(2)]
        raise RuntimeError(f"Expected size for first two dimensions of batch2 tensor to be: {wanted} but got: {given}.")
    base = _base_grid(theta, size, align_corners)
    return base.matmul(theta.transpose(1, 2)).reshape((size[0], *size[2:], len(size) - 2))
