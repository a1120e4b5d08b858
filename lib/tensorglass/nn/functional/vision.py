"""Functions on images: padding, shuffling channels, interpolation, sampling at the positions of a grid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorglass as torch
from tensorglass import channel_shuffle, native_channel_shuffle, pixel_shuffle, pixel_unshuffle
from tensorglass.core.errors import warn
from tensorglass.nn.functional.pooling import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d
from tensorglass.ops.declare.autocast import in_float32
from tensorglass.ops.nn import upsample as ways
from tensorglass.ops.rearrange.pad import pad
from tensorglass.tensor.tensor import Tensor

__all__ = [
    "affine_grid", "channel_shuffle", "grid_sample", "interpolate", "native_channel_shuffle", "pad", "pixel_shuffle",
    "pixel_unshuffle", "upsample", "upsample_bilinear", "upsample_nearest",
]  # fmt: skip

# --- interpolation ---------------------------------------------------------------------------------------------------

#: By the mode and the number of the input's dimensions.
_NEAREST = {
    ("nearest", 3): ways.upsample_nearest1d,
    ("nearest", 4): ways.upsample_nearest2d,
    ("nearest", 5): ways.upsample_nearest3d,
    ("nearest-exact", 3): ways.upsample_nearest_exact1d,
    ("nearest-exact", 4): ways.upsample_nearest_exact2d,
    ("nearest-exact", 5): ways.upsample_nearest_exact3d,
}
_WEIGHTED = {
    ("linear", 3): ways.upsample_linear1d,
    ("bilinear", 4): ways.upsample_bilinear2d,
    ("trilinear", 5): ways.upsample_trilinear3d,
    ("bicubic", 4): ways.upsample_bicubic2d,
}
_ANTIALIASED = {
    "bilinear": ways.upsample_bilinear2d_aa,
    "bicubic": ways.upsample_bicubic2d_aa,
    "lanczos": ways.upsample_lanczos2d_aa,
}
_AREA = {3: adaptive_avg_pool1d, 4: adaptive_avg_pool2d, 5: adaptive_avg_pool3d}


def interpolate(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """Resize (N, C, *lengths): its lengths are changed to `size`, or multiplied by `scale_factor`.

    `mode` is "nearest", "nearest-exact", "area" (the mean of the pixels that are covered), "linear" (3 dimensions),
    "bilinear" or "bicubic" (4), "trilinear" (5), or with `antialias` also "lanczos". With `align_corners` the centers
    of the corner pixels stay in place, otherwise their outer edges do. Raises ValueError where sizes do not fit the
    input.
    """
    if mode in ("nearest", "area", "nearest-exact"):
        if align_corners is not None:
            raise ValueError(
                "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | "
                "trilinear"
            )
    elif align_corners is None:
        align_corners = False
    rank = input.dim() - 2
    output_size, factors = _wanted(input, rank, size, scale_factor)
    if recompute_scale_factor and size is not None:
        raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
    if factors is not None and (recompute_scale_factor or mode == "area"):
        output_size = [int(input.size(dim + 2) * factors[dim]) for dim in range(rank)]
        factors = None
    if antialias and not (mode in (*_ANTIALIASED,) and input.ndim == 4):
        raise ValueError(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as input"
        )
    way = (mode, input.dim()) if isinstance(mode, str) else None
    if way in _NEAREST:
        return _NEAREST[way](input, output_size, factors)
    if mode == "area" and input.dim() in _AREA:
        return _AREA[input.dim()](input, output_size)
    if mode == "lanczos" and input.dim() == 4:
        if align_corners:
            raise ValueError("Lanczos mode does not support align_corners=True")
        if not antialias:
            raise ValueError("Lanczos mode requires antialias=True")
    if antialias:
        return _ANTIALIASED[mode](input, output_size, align_corners, factors)
    if way in _WEIGHTED:
        return _WEIGHTED[way](input, output_size, align_corners, factors)
    needed = {"linear": 3, "bilinear": 4, "trilinear": 5}.get(mode) if way else None
    if needed is not None and input.dim() in (3, 4, 5):
        raise NotImplementedError(f"Got {input.dim()}D input, but {mode} mode needs {needed}D input")
    raise NotImplementedError(
        f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {input.dim()}D) for the modes: nearest | linear "
        f"| bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got {mode})"
    )


def _wanted(input: Tensor, rank: int, size: Any, scale_factor: Any) -> tuple[Any, Any]:
    """For each dimension, the length of the result, or else the factor that gives it."""
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    given = f"but got input with spatial dimensions of {list(input.shape[2:])} and"
    if size is not None:
        if not isinstance(size, (list, tuple)):
            return [size] * rank, None
        if len(size) != rank:
            raise ValueError(
                f"Input and output must have the same number of spatial dimensions, {given} output size of {size}. "
                "Please provide input tensor in (N, C, d1, d2, ...,dK) format and output size in (o1, o2, ...,oK) "
                "format."
            )
        if not all(hasattr(length, "__index__") for length in size):
            raise TypeError(
                "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, int], but got size "
                f"with types {[type(length) for length in size]}"
            )
        return size, None
    if not isinstance(scale_factor, (list, tuple)):
        return None, [scale_factor] * rank
    if len(scale_factor) != rank:
        raise ValueError(
            f"Input and scale_factor must have the same number of spatial dimensions, {given} scale_factor of shape "
            f"{scale_factor}. Please provide input tensor in (N, C, d1, d2, ...,dK) format and scale_factor in (s1, "
            "s2, ...,sK) format."
        )
    return None, scale_factor


def upsample(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None
) -> Tensor:
    """`interpolate`, by its old name."""
    warn("`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.")
    return torch.nn.functional.interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """`interpolate` in mode "nearest", by its old name."""
    warn("`nn.functional.upsample_nearest` is deprecated. Use `nn.functional.interpolate` instead.")
    return torch.nn.functional.interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """`interpolate` in mode "bilinear" with aligned corners, by its old name."""
    warn("`nn.functional.upsample_bilinear` is deprecated. Use `nn.functional.interpolate` instead.")
    return torch.nn.functional.interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)


# --- grids -----------------------------------------------------------------------------------------------------------

_MODES = {"bilinear": 0, "nearest": 1, "bicubic": 2}
_PADDINGS = {"zeros": 0, "border": 1, "reflection": 2}
_CORNERS = (
    "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify "
    "align_corners=True if the old behavior is desired. See the documentation of grid_sample for details."
)


@in_float32
def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """(N, C, H, W) sampled at the positions (x, y) of (N, H', W', 2), which go from -1 to 1: (N, C, H', W').

    Volumes are (N, C, D, H, W), and their grids (N, D', H', W', 3). `padding_mode` says what lies outside of the image.
    """
    if mode not in (*_MODES,):
        raise ValueError(
            f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'"
        )
    if padding_mode not in (*_PADDINGS,):
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: "
            f"'{padding_mode}'"
        )
    if align_corners is None:
        warn(_CORNERS)
        align_corners = False
    return torch.grid_sampler(input, grid, _MODES[mode], _PADDINGS[padding_mode], align_corners)


def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    """The grid with which `grid_sample` maps images by `theta`, (N, 2, 3), to `size`, (N, C, H, W): (N, H, W, 2)."""
    if align_corners is None:
        warn(_CORNERS)
        align_corners = False
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    if len(size) not in (4, 5):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size "
            f"{size}."
        )
    rank = len(size) - 2
    if theta.dim() != 3 or tuple(theta.shape[-2:]) != (rank, rank + 1):
        raise ValueError(
            f"Expected a batch of {rank}D affine matrices of shape Nx{rank}x{rank + 1} for size {size}. Got "
            f"{theta.shape}."
        )
    if align_corners and min(size[-rank:]) == 1:
        warn(
            "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when align_corners=True. This "
            "is not an intended use case of affine_grid. See the documentation of affine_grid for details."
        )
    elif min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    return torch.affine_grid_generator(theta, size, align_corners)
