"""Resizing signals, images and volumes by interpolation: what `nn.functional.interpolate` calls.

Each takes the size of the result, or the factors that give it; (N, C, *lengths) → (N, C, *output_size).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tensorglass.core import dtypes
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.arg_parser.checks import check_tensor, not_implemented
from tensorglass.ops.arg_parser.parsed import parsed
from tensorglass.ops.kernels.resampling import Steps, resample, resample_back
from tensorglass.ops.nn.arguments import like_channels_last, run_wide
from tensorglass.tensor.tensor import Tensor


class _Way(NamedTuple):
    name: str  #: PyTorch's, of the node: UpsampleBilinear2D
    steps: tuple[Steps, ...]


@derivative(node=lambda way: f"{way.name}Backward0", input=lambda grad, way: _resampled_back(grad, way))
def _resample(input: Tensor, way: _Way) -> Tensor:
    return like_channels_last(run_wide(resample, input.contiguous(), steps=way.steps), input)


@derivative(node=lambda way: f"{way.name}BackwardBackward0", part=lambda grad, way: _resampled(grad, way))
def _resample_back(part: Tensor, way: _Way) -> Tensor:
    result = run_wide(resample_back, part.contiguous(), steps=way.steps)
    return (
        result if way.name.startswith("UpsampleNearest") and len(way.steps) == 3 else like_channels_last(result, part)
    )


_resampled: Any = recorded(_resample)
_resampled_back: Any = recorded(_resample_back)

_AXES = {1: ("W",), 2: ("H", "W"), 3: ("D", "H", "W")}


def _run_upsample(
    name: str,
    mode: str,
    rank: int,
    input: Tensor,
    output_size: Sequence[int] | None,
    align_corners: bool,
    scale_factors: Sequence[float] | None,
    antialias: bool = False,
) -> Tensor:
    check_tensor(name, input)
    lengths = input._size[2:]
    if (output_size is None) == (scale_factors is None):
        raise RuntimeError("Must specify exactly one of output_size and scale_factors")
    if output_size is None:
        assert scale_factors is not None
        counts = tuple([int(length * scale) for length, scale in zip(lengths, scale_factors, strict=True)])
    else:
        counts = tuple(int(length) for length in output_size)
        if len(counts) != rank:
            raise RuntimeError(f"It is expected output_size equals to {rank}, but got size {len(counts)}")
    if len(lengths) != rank:
        raise RuntimeError(f"It is expected input_size equals to {rank + 2}, but got size {len(input._size)}")
    if min(*lengths, *counts) <= 0:
        given, wanted = (
            ", ".join(f"{axis}: {length}" for axis, length in zip(_AXES[rank], given, strict=True))
            for given in (lengths, counts)
        )
        joined = "and output" if rank == 1 else "output"
        raise RuntimeError(
            f"Input and output sizes should be greater than 0, but got input ({given}) {joined} ({wanted})"
        )
    if 0 in input._size[1:]:
        raise RuntimeError(
            f"Non-empty {rank + 2}D data tensor expected but got a tensor with sizes {list(input._size)}"
        )
    is_byte = input._dtype is dtypes.uint8 and (rank == 2 or mode[:7] == "nearest")
    if input._dtype.category != dtypes.FLOATING and not is_byte:
        raise not_implemented(f"compute_indices_weights_{mode[:7]}", input._dtype)
    scales = scale_factors or (None,) * rank
    steps = tuple([
        Steps(length, count, scale, mode, align_corners, antialias)
        for length, count, scale in zip(lengths, counts, scales, strict=True)
    ])  # fmt: skip
    result: Tensor = _resampled(input, _Way("".join([word.title() for word in name.split("_")]), steps))
    return result


def _nearest(name: str, mode: str, rank: int) -> Callable[..., Tensor]:
    @parsed(name)
    def upsample(
        input: Tensor, output_size: Sequence[int] | None, scale_factors: Sequence[float] | None = None
    ) -> Tensor:
        return _run_upsample(name, mode, rank, input, output_size, False, scale_factors)

    upsample.__doc__ = f"Each of {rank} dimensions read at the nearest cell."
    return upsample


def _weighted(name: str, mode: str, rank: int, antialias: bool = False) -> Callable[..., Tensor]:
    @parsed(name)
    def upsample(
        input: Tensor,
        output_size: Sequence[int] | None,
        align_corners: bool,
        scale_factors: Sequence[float] | None = None,
    ) -> Tensor:
        return _run_upsample(name, mode, rank, input, output_size, align_corners, scale_factors, antialias)

    upsample.__doc__ = f"Each of {rank} dimensions read between cells, {mode} interpolation."
    return upsample


upsample_nearest1d = _nearest("upsample_nearest1d", "nearest", 1)
upsample_nearest2d = _nearest("upsample_nearest2d", "nearest", 2)
upsample_nearest3d = _nearest("upsample_nearest3d", "nearest", 3)
upsample_nearest_exact1d = _nearest("_upsample_nearest_exact1d", "nearest-exact", 1)
upsample_nearest_exact2d = _nearest("_upsample_nearest_exact2d", "nearest-exact", 2)
upsample_nearest_exact3d = _nearest("_upsample_nearest_exact3d", "nearest-exact", 3)
upsample_linear1d = _weighted("upsample_linear1d", "linear", 1)
upsample_bilinear2d = _weighted("upsample_bilinear2d", "linear", 2)
upsample_trilinear3d = _weighted("upsample_trilinear3d", "linear", 3)
upsample_bicubic2d = _weighted("upsample_bicubic2d", "cubic", 2)
#: The same without aliasing where the result is smaller: each position is made of all cells that it covers.
upsample_bilinear2d_aa = _weighted("_upsample_bilinear2d_aa", "linear", 2, True)
upsample_bicubic2d_aa = _weighted("_upsample_bicubic2d_aa", "cubic", 2, True)
upsample_lanczos2d_aa = _weighted("_upsample_lanczos2d_aa", "lanczos", 2, True)
