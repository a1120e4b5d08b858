"""Arguments that all layers read in the same way: a number for each dimension, or one for all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import index
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.memory_format import channels_last, channels_last_3d, contiguous_format
from tensorglass.ops.kernels import half
from tensorglass.tensor.construct import from_array
from tensorglass.tensor.tensor import Tensor, array_of

Ints = int | Sequence[int]


def each_of(value: Any, rank: int) -> tuple[Any, ...]:
    """The elements of an iterable, or `value` once for each dimension: PyTorch's ``_ntuple``.

    Raises TypeError for a 0-dim tensor.
    """
    return tuple(value) if isinstance(value, Iterable) else (value,) * rank


def for_each(value: Ints, rank: int) -> tuple[int, ...]:
    """The number for each of `rank` dimensions: one is repeated. Tensors of one integer become that integer.

    Raises TypeError for other tensors.
    """
    if isinstance(value, (tuple, list)):
        lengths = tuple([index(length) if isinstance(length, Tensor) else length for length in value])
        return lengths * rank if len(lengths) == 1 else lengths
    return (index(value) if isinstance(value, Tensor) else value,) * rank  # type: ignore[return-value]  # a Sequence is a list or a tuple


def like_channels_last(result: Tensor, *inputs: Tensor) -> Tensor:
    """The result, in channels-last memory format if one of the inputs has it."""
    if any(geometry.suggests_channels_last(input._size, input._stride) for input in inputs):
        laid_out: Tensor = result.clone(memory_format=channels_last if len(result._size) == 4 else channels_last_3d)
        return laid_out
    return result


def as_input_lies(grad: Tensor, size: tuple[int, ...], stride: tuple[int, ...]) -> Tensor:
    """A gradient of results, in channels-last memory format if an input with these strides has it."""
    is_last = geometry.suggests_channels_last(size, stride)
    if is_last == geometry.suggests_channels_last(grad._size, grad._stride):
        return grad
    wanted = contiguous_format if not is_last else channels_last if len(size) == 4 else channels_last_3d
    laid_out: Tensor = grad.contiguous(memory_format=wanted)
    return laid_out


def as_query_lies(query: Tensor, key: Tensor, value: Tensor) -> tuple[int, ...] | None:
    """The strides of attention's output where PyTorch computes it block by block: those of the query.

    None elsewhere: the output is contiguous.
    """
    is_blockwise = len(query._size) == 4 and query._size[-1] == value._size[-1]
    if not is_blockwise or query._stride[-1] != 1 or key._stride[-1] != 1 or value._stride[-1] != 1:
        return None
    return geometry.preserved_strides(query._size, query._stride)


def run_wide(kernel: Any, *inputs: Any, **parameters: Any) -> Tensor:
    """The tensor of a kernel's one result. Half types are computed in float32 and rounded at the end."""
    first: Tensor = inputs[0]
    backend, dtype = first._storage.backend, first._dtype
    arrays = [array_of(input) if isinstance(input, Tensor) else input for input in inputs]
    if dtype.itemsize == 2 and dtype.category == dtypes.FLOATING:
        result = backend.launch(_in_float32, kernel, *arrays, **parameters)
    else:
        result = backend.launch(kernel, *arrays, **parameters)
    return from_array(result, dtype, first._storage)


def _in_float32(xp: Any, kernel: Any, *arrays: Any, **parameters: Any) -> Array:
    wide = [
        half.converted(array, xp.dtype("float32")) if hasattr(array, "dtype") and half.is_half(array) else array
        for array in arrays
    ]
    return kernel(xp, *wide, **parameters).astype(arrays[0].dtype)
