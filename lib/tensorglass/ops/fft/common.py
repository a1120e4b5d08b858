"""Fourier transforms as PyTorch composes them: complex to complex, real to complex, complex to real.

The functions of `fft` choose sizes and dimensions; these three transform, and each one's derivative is another of them.
Results lie in memory as the library behind PyTorch's leaves them: the dimensions that were transformed are the inner
ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core.dtypes import dtype as DType
from tensorglass.geometry import remembered
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.copies.copy import resolve_conj
from tensorglass.ops.rearrange.cat_stack import cat
from tensorglass.ops.rearrange.pad import constant_pad_nd
from tensorglass.tensor.construct import result_tensor
from tensorglass.tensor.tensor import Tensor, array_of

#: How a transform is scaled: not at all, by the root of the number of elements, by the number.
UNSCALED, BY_ROOT, BY_COUNT = range(3)
#: NumPy's names for that, which count from one direction.
_FORWARD = {UNSCALED: "backward", BY_ROOT: "ortho", BY_COUNT: "forward"}
_MANY = 1 << 14  # real numbers from which on half of a symmetric result is computed
_BACK = {UNSCALED: "forward", BY_ROOT: "ortho", BY_COUNT: "backward"}


# --- where results lie -----------------------------------------------------------------------------------------------


def _sorted_dims(input: Tensor, dims: Sequence[int], fixed: int = 0) -> tuple[int, ...]:
    """The dimensions by their strides, the longest first; the last `fixed` ones stay at the end."""
    free = len(dims) - fixed
    return (*sorted(dims[:free], key=lambda dim: -input._stride[dim]), *dims[free:])


@remembered
def _order(stride: tuple[int, ...], dims: tuple[int, ...]) -> tuple[int, ...]:
    """The dimensions of a result, outermost first: those of the batch by their strides, then the transformed ones."""
    batch = list(range(len(stride)))
    first, last = 0, len(batch)
    while True:  # the batch goes to the front by exchanges from both ends, which decide between equal strides
        while first < last and batch[first] not in dims:
            first += 1
        while first < last and batch[last - 1] in dims:
            last -= 1
        if first >= last:
            break
        batch[first], batch[last - 1] = batch[last - 1], batch[first]
    return (*sorted(batch[:first], key=lambda dim: -stride[dim]), *dims)


def _run_transform(
    input: Tensor, dims: tuple[int, ...], size: tuple[int, ...], dtype: DType, kernel: Any, *arguments: Any
) -> Tensor:
    """Run a kernel and lay its result out; `dims` are the transformed dimensions in the order of memory."""
    order = _order(input._stride, dims)
    storage = input._storage
    backend = storage.backend
    array = backend.launch(
        _laid_out, kernel, array_of(input), arguments, order, input._storage.backend.array_dtype(dtype)
    )
    inner = geometry.contiguous_strides(tuple([size[dim] for dim in order]))
    stride = [0] * len(size)
    for place, dim in enumerate(order):
        stride[dim] = inner[place]
    strides = tuple(stride)
    return result_tensor(
        array, dtype, backend, storage.device, size, strides, geometry.is_contiguous(size, strides)
    )  # fmt: skip


def _laid_out(xp: Any, kernel: Any, array: Array, arguments: Any, order: tuple[int, ...], kind: Any) -> Array:
    answer = kernel(xp, array, *arguments)
    back = [order.index(dim) for dim in range(len(order))]
    return (
        xp.ascontiguousarray(answer.transpose(order), kind)
        .reshape([answer.shape[dim] for dim in order])
        .transpose(back)
    )


# --- kernels ---------------------------------------------------------------------------------------------------------


def _complex_to_complex(xp: Any, array: Array, dims: tuple[int, ...], scaling: int, forward: bool) -> Array:
    norm = (_FORWARD if forward else _BACK)[scaling]
    if len(dims) == 1:
        return (xp.fft.fft if forward else xp.fft.ifft)(array, axis=dims[0], norm=norm)
    return (xp.fft.fftn if forward else xp.fft.ifftn)(array, axes=dims, norm=norm)


def _real_to_complex(xp: Any, array: Array, dims: tuple[int, ...], scaling: int, onesided: bool) -> Array:
    norm = _FORWARD[scaling]
    if len(dims) > 1:
        return (xp.fft.rfftn if onesided else xp.fft.fftn)(array, axes=dims, norm=norm)
    dim = dims[0]
    if not onesided and array.size <= _MANY:
        return xp.fft.fft(array, axis=dim, norm=norm)
    half = xp.fft.rfft(array, axis=dim, norm=norm)
    return half if onesided else _mirrored(xp, half, array.shape[dim], dim)


def _mirrored(xp: Any, half: Array, length: int, dim: int) -> Array:
    """A real row's transform from one half of it: the other half are its conjugates, as in PyTorch."""
    known = half.shape[dim]
    made = xp.empty((*half.shape[:dim], length, *half.shape[dim + 1 :]), half.dtype)
    target, source = made.swapaxes(dim, 0), half.swapaxes(dim, 0)
    target[:known] = source
    target[known:] = xp.conj(source[length - known : 0 : -1])
    return made


def _complex_to_real(xp: Any, array: Array, dims: tuple[int, ...], scaling: int, length: int) -> Array:
    *others, last = dims
    if others:
        array = xp.fft.ifftn(array, axes=others, norm=_BACK[scaling])
    return xp.fft.irfft(array, length, axis=last, norm=_BACK[scaling])


# --- transforms of tensors -------------------------------------------------------------------------------------------


def _turned_back(grad: Tensor, dims: tuple[int, ...], scaling: int, forward: bool) -> Tensor:
    return complex_to_complex(grad, dims, scaling, not forward)


@recorded
@derivative(node="FftC2CBackward0", input=_turned_back)
def complex_to_complex(input: Tensor, dims: tuple[int, ...], scaling: int, forward: bool) -> Tensor:
    input = resolve_conj(input)
    places = _sorted_dims(input, dims)
    return _run_transform(input, places, input._size, input._dtype, _complex_to_complex, dims, scaling, forward)


def _of_real(grad: Tensor, input_size: tuple[int, ...], dims: tuple[int, ...], scaling: int, onesided: bool) -> Tensor:
    last = dims[-1]
    if onesided and input_size[last] != grad._size[last]:
        amounts = [0] * (2 * len(input_size))
        amounts[-2 * last - 1] = input_size[last] - grad._size[last]
        grad = constant_pad_nd(grad, amounts)
    back = complex_to_complex(grad, dims, scaling, False)
    return back.real


@recorded
@derivative(node="FftR2CBackward0", input=_of_real)
def real_to_complex(input: Tensor, dims: tuple[int, ...], scaling: int, onesided: bool) -> Tensor:
    size = list(input._size)
    if onesided:
        size[dims[-1]] = size[dims[-1]] // 2 + 1
    places = _sorted_dims(input, dims, fixed=1)
    dtype = input._dtype.to_complex()
    return _run_transform(input, places, tuple(size), dtype, _real_to_complex, dims, scaling, onesided)


def _of_half(grad: Tensor, input_size: tuple[int, ...], dims: tuple[int, ...], scaling: int) -> Tensor:
    """All but the first element, and the last of an even number, stand for two."""
    last = dims[-1]
    back = real_to_complex(grad, dims, scaling, True)
    length, half = grad._size[last], back._size[last]
    twice = back.narrow(last, 1, length - half)
    alone = back.narrow(last, length - half + 1, 2 * half - length - 1)
    return cat([back.narrow(last, 0, 1), twice * 2, alone], last)


@recorded
@derivative(node="FftC2RBackward0", input=_of_half)
def complex_to_real(input: Tensor, dims: tuple[int, ...], scaling: int, length: int) -> Tensor:
    size = tuple([length if dim == dims[-1] else each for dim, each in enumerate(input._size)])
    *others, last = dims
    if others:  # the last dimension is transformed after the others, and its layout goes by theirs
        input = complex_to_complex(input, tuple(others), scaling, False)
    input = resolve_conj(input)
    return _run_transform(input, (last,), size, input._dtype.to_real(), _complex_to_real, (last,), scaling, length)
