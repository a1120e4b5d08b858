"""``torch.fft``: discrete Fourier transforms along one dimension, two, or many.

These functions choose dimensions, lengths and scaling; then one of three transforms runs, complex to complex, real to
complex or complex to real, and each one's derivative is another of them. Results lie in memory as the library behind
PyTorch's leaves them: the dimensions that were transformed are the inner ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Unpack

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import explained
from tensorglass.geometry import remembered
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.copies.copy import resolve_conj
from tensorglass.ops.copies.out import cast_into_out
from tensorglass.ops.creation.factory import Options, factory, of_kernel, read_out_options
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.pointwise.complex import conj_physical
from tensorglass.ops.rearrange.cat_stack import cat
from tensorglass.ops.rearrange.pad import constant_pad_nd
from tensorglass.ops.rearrange.repeat_flip_roll import roll
from tensorglass.tensor.construct import result_tensor
from tensorglass.tensor.tensor import Tensor, array_of

Out = Tensor | None

# --- reading arguments -----------------------------------------------------------------------------------------------


def scaling_of(norm: str | None, forward: bool) -> int:
    """How a transform is scaled: `norm` names the direction that is divided by the number of elements."""
    if norm == "ortho":
        return BY_ROOT
    if norm not in (None, "forward", "backward"):
        raise RuntimeError(f'Invalid normalization mode: "{norm}"')
    return BY_COUNT if (norm == "forward") == forward else UNSCALED


def of_kind(input: Tensor, *, is_complex: bool) -> Tensor:
    """`input` in a dtype that can be transformed: integers as the default dtype, real numbers complex if need be."""
    dtype = input._dtype
    if dtype.category < dtypes.FLOATING:
        dtype = dtypes.get_default_dtype()
    if dtype.itemsize == 2:
        raise explained(RuntimeError(f"Unsupported dtype {dtype.scalar_type}"), "Convert it first: x.float().")
    return input.to(dtype.to_complex() if is_complex else dtype)


def check_out(name: str, out: Out, *, is_complex: bool) -> None:
    """Raise unless `out` can hold complex, or floating-point, numbers."""
    if out is None:
        return
    if not (out._dtype.is_complex if is_complex else out._dtype.is_floating_point):
        kind = "complex" if is_complex else "floating point"
        raise RuntimeError(f"{name} expects a {kind} output tensor, but got {out._dtype.scalar_type}")


def _one_dim(input: Tensor, dim: int) -> int:
    return geometry.wrap_dim(dim, len(input._size), wrap_scalar=False)


def checked_length(n: int) -> int:
    n = geometry.as_ints(n)[0]
    if n < 1:
        raise RuntimeError(f"Invalid number of data points ({n}) specified")
    return n


def fitted_to(input: Tensor, dims: Sequence[int], sizes: Sequence[int]) -> Tensor:
    """`input` cut, or filled up with zeros, to these lengths."""
    missing = [0] * (2 * len(input._size))
    for dim, length in zip(dims, sizes, strict=True):
        if input._size[dim] < length:
            missing[-2 * dim - 1] = length - input._size[dim]
        elif input._size[dim] > length:
            input = input.narrow(dim, 0, length)
    return constant_pad_nd(input, missing) if any(missing) else input


# --- one dimension ---------------------------------------------------------------------------------------------------


def _along_one(name: str, input: Tensor, n: int | None, dim: int, norm: str | None, out: Out, forward: bool) -> Tensor:
    """From complex or real numbers to complex ones."""
    if not input._dtype.is_complex:
        return _of_reals(name, input, n, dim, norm, out, forward, onesided=False)
    check_out(name, out, is_complex=True)
    axis = _one_dim(input, dim)
    length = checked_length(input._size[axis] if n is None else n)
    fitted = fitted_to(input, (axis,), (length,))
    return cast_into_out(complex_to_complex(fitted, (axis,), scaling_of(norm, forward), forward), out)


def _of_reals(
    name: str, input: Tensor, n: int | None, dim: int, norm: str | None, out: Out, forward: bool, *, onesided: bool
) -> Tensor:
    """From real numbers to complex ones; backwards the conjugates of those."""
    if input._dtype.is_complex:
        raise RuntimeError(f"{name} expects a real input tensor, but got {input._dtype.scalar_type}")
    real = of_kind(input, is_complex=False)
    check_out(name, out, is_complex=True)
    axis = _one_dim(real, dim)
    length = checked_length(real._size[axis] if n is None else n)
    fitted = fitted_to(real, (axis,), (length,))
    answer = real_to_complex(fitted, (axis,), scaling_of(norm, forward), onesided)
    if forward:
        return cast_into_out(answer, out)
    return answer.conj() if out is None else conj_physical(answer, out=out)


def _to_reals(name: str, input: Tensor, n: int | None, dim: int, norm: str | None, out: Out, forward: bool) -> Tensor:
    """From half of a Hermitian spectrum to real numbers."""
    check_out(name, out, is_complex=False)
    spectrum = of_kind(input, is_complex=True)
    axis = _one_dim(spectrum, dim)
    length = checked_length(2 * (spectrum._size[axis] - 1) if n is None else n)
    half = fitted_to(spectrum, (axis,), (length // 2 + 1,))
    answer = complex_to_real(half.conj() if forward else half, (axis,), scaling_of(norm, forward), length)
    return cast_into_out(answer, out)


EMPTY = "transforms of no signals at all, of size (0, 3), are empty; PyTorch's library refuses them"


@operator("Fourier", namespace="fft", out=True, differs=EMPTY)
def fft_fft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Out = None) -> Tensor:
    """The discrete Fourier transform along `dim`, cut or filled up with zeros to `n` elements; complex.

    `norm` says which direction is divided by n: "backward" (the default) the inverse, "forward" this one, "ortho" both
    by its root. Integers are taken in the default dtype; float16 and bfloat16 are refused, as PyTorch's CPU does.
    """
    return _along_one("fft", input, n, dim, norm, out, forward=True)


@operator("Fourier", namespace="fft", out=True, differs=EMPTY)
def fft_ifft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Out = None) -> Tensor:
    """The inverse of `fft`: what it is the transform of."""
    return _along_one("ifft", input, n, dim, norm, out, forward=False)


@operator("Fourier", namespace="fft", out=True, differs=EMPTY)
def fft_rfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Out = None) -> Tensor:
    """The first half, n // 2 + 1 elements, of real numbers' transform; the rest is its conjugated mirror image."""
    return _of_reals("rfft", input, n, dim, norm, out, forward=True, onesided=True)


@operator("Fourier", namespace="fft", out=True, differs=EMPTY)
def fft_irfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Out = None
) -> Tensor:
    """The inverse of `rfft`: `n` real numbers, an even number unless `n` says otherwise."""
    return _to_reals("irfft", input, n, dim, norm, out, forward=False)


@operator("Fourier", namespace="fft", out=True, differs=EMPTY)
def fft_hfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Out = None) -> Tensor:
    """The real transform of `n` numbers with Hermitian symmetry, of which the first half is given."""
    return _to_reals("hfft", input, n, dim, norm, out, forward=True)


@operator("Fourier", namespace="fft", out=True, differs=EMPTY)
def fft_ihfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Out = None
) -> Tensor:
    """The inverse of `hfft`: the first half of it."""
    return _of_reals("ihfft", input, n, dim, norm, out, forward=False, onesided=True)


# --- frequencies -----------------------------------------------------------------------------------------------------


def _frequencies(name: str, n: int, d: float, out: Out, options: Options, *, onesided: bool) -> Tensor:
    place = read_out_options(f"fft_{name}", options, out)
    if place.dtype.category < dtypes.FLOATING:
        raise RuntimeError(f"{name} requires a floating point or complex dtype")
    if place.dtype.is_complex:
        raise NotImplementedError(f"\"arange_cpu\" not implemented for '{place.dtype.scalar_type}'")
    count = int(n / 2) + 1 if onesided else n
    return of_kernel((count,), place, _steps, n, d, count, onesided, out=out)


def _steps(xp: Any, n: int, d: float, count: int, onesided: bool) -> Array:
    steps = xp.arange(count, dtype="float64")
    if not onesided:
        steps = xp.where(steps < (n + 1) // 2, steps, steps - n)
    return steps * (1.0 / (n * d) if n * d else xp.inf)


@factory(namespace="fft")
def fft_fftfreq(n: int, d: float = 1.0, *, out: Out = None, **options: Unpack[Options]) -> Tensor:
    """The frequencies that the elements of a transform of `n` samples stand for, which were taken `d` apart."""
    return _frequencies("fftfreq", n, d, out, options, onesided=False)


@factory(namespace="fft")
def fft_rfftfreq(n: int, d: float = 1.0, *, out: Out = None, **options: Unpack[Options]) -> Tensor:
    """The frequencies that the elements of `rfft` of `n` samples stand for."""
    return _frequencies("rfftfreq", n, d, out, options, onesided=True)


def _shifted(input: Tensor, dim: int | Sequence[int] | None, round_up: int) -> Tensor:
    rank = len(input._size)
    dims = range(rank) if dim is None else geometry.as_ints(dim)
    places = [geometry.wrap_dim(dim, rank, wrap_scalar=False) for dim in dims]
    return roll(input, [(input._size[place] + round_up) // 2 for place in places], places)


@operator("Fourier", namespace="fft")
def fft_fftshift(input: Tensor, dim: int | Sequence[int] | None = None) -> Tensor:
    """The elements moved by half, so that frequency 0 is in the middle."""
    return _shifted(input, dim, 0)


@operator("Fourier", namespace="fft")
def fft_ifftshift(input: Tensor, dim: int | Sequence[int] | None = None) -> Tensor:
    """The inverse of `fftshift`."""
    return _shifted(input, dim, 1)


# --- several dimensions ----------------------------------------------------------------------------------------------

Sizes = Sequence[int] | None


def _many_dims(input: Tensor, s: Sizes, dim: int | Sequence[int] | None) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The dimensions to transform, and the length of each; -1 in `s` is the length that it has."""
    rank = len(input._size)
    dims: tuple[int, ...] | None = None
    if dim is not None:
        dims = tuple([geometry.wrap_dim(position, rank, wrap_scalar=False) for position in geometry.as_ints(dim)])
        if len(set(dims)) < len(dims):
            raise RuntimeError("FFT dims must be unique")
    if s is None:
        if dims is None:
            dims = tuple(range(rank))
        sizes = [input._size[axis] for axis in dims]
    else:
        given = geometry.as_ints(s)
        if dims is not None and len(dims) != len(given):
            raise RuntimeError("When given, dim and shape arguments must have the same length")
        if len(given) > rank:
            raise RuntimeError(
                f"Got shape with {len(given)} values but input tensor only has {rank} dimensions."
            )  # fmt: skip
        if dims is None:
            dims = tuple(range(rank - len(given), rank))
        sizes = [input._size[axis] if n == -1 else n for axis, n in zip(dims, given, strict=True)]
    return dims, tuple([checked_length(size) for size in sizes])


def _along_many(
    name: str, input: Tensor, s: Sizes, dim: Sequence[int] | None, norm: str | None, out: Out, forward: bool
) -> Tensor:
    dims, sizes = _many_dims(input, s, dim)
    scaling = scaling_of(norm, forward)
    check_out("fftn", out, is_complex=True)  # PyTorch's errors call all of them fftn
    fitted = fitted_to(of_kind(input, is_complex=True), dims, sizes)
    return cast_into_out(complex_to_complex(fitted, dims, scaling, forward) if dims else fitted.clone(), out)


def _check_some(name: str, dims: Sequence[int]) -> None:
    if not dims:
        raise RuntimeError(f"{name} must transform at least one axis")


def _many_of_reals(
    name: str, input: Tensor, s: Sizes, dim: Sequence[int] | None, norm: str | None, out: Out, forward: bool
) -> Tensor:
    """From real numbers: half of the last dimension."""
    if input._dtype.is_complex:
        raise RuntimeError(f"rfftn expects a real-valued input tensor, but got {input._dtype.scalar_type}")
    real = of_kind(input, is_complex=False)
    check_out("rfftn", out, is_complex=True)
    dims, sizes = _many_dims(real, s, dim)
    _check_some("rfftn", dims)
    fitted = fitted_to(real, dims, sizes)
    return cast_into_out(real_to_complex(fitted, dims, scaling_of(norm, forward), True), out)


def _many_to_reals(
    name: str, input: Tensor, s: Sizes, dim: Sequence[int] | None, norm: str | None, out: Out, forward: bool
) -> Tensor:
    """From half of a Hermitian spectrum to real numbers."""
    check_out("irfftn", out, is_complex=False)
    dims, sizes = _many_dims(input, s, dim)
    _check_some("irfftn", dims)
    length = sizes[-1] if s is not None and _last(s) != -1 else 2 * (input._size[dims[-1]] - 1)
    checked_length(length)
    spectrum = fitted_to(of_kind(input, is_complex=True), dims, (*sizes[:-1], length // 2 + 1))
    return cast_into_out(complex_to_real(spectrum, dims, scaling_of(norm, forward), length), out)


def _last(s: int | Sequence[int]) -> int:
    return geometry.as_ints(s)[-1]


Dims = Sequence[int] | None


def _declare(name: str, transform: Callable[..., Tensor], forward: bool, meaning: str) -> None:
    """Declare ``fft.<name>``; those of two dimensions take the last two if not said, the others all."""
    last_two = (-2, -1) if name.endswith("2") else None

    def body(
        input: Tensor, s: Sizes = None, dim: Dims = last_two, norm: str | None = None, *, out: Out = None
    ) -> Tensor:
        return transform(name, input, s, dim, norm, out, forward)

    body.__name__, body.__doc__ = f"fft_{name}", meaning
    operator("Fourier", namespace="fft", out=True, differs=EMPTY)(body)


_declare("fft2", _along_many, True, "`fft` along two dimensions, cut or filled up to the lengths `s`.")
_declare("ifft2", _along_many, False, "The inverse of `fft2`.")
_declare(
    "fftn", _along_many, True, "`fft` along the dimensions `dim`, or the last ones for which `s` has lengths, or all."
)
_declare("ifftn", _along_many, False, "The inverse of `fftn`.")
_declare("rfft2", _many_of_reals, True, "`fft2` of real numbers: of the last dimension the first half.")
_declare("irfft2", _many_to_reals, False, "The inverse of `rfft2`: real numbers.")
_declare("rfftn", _many_of_reals, True, "`fftn` of real numbers: of the last dimension the first half.")
_declare("irfftn", _many_to_reals, False, "The inverse of `rfftn`: real numbers.")


# --- the transforms ---------------------------------------------------------------------------------------------------

#: How a transform is scaled: not at all, by the root of the number of elements, by the number.
UNSCALED, BY_ROOT, BY_COUNT = range(3)
#: NumPy's names for that, which count from one direction.
_FORWARD = {UNSCALED: "backward", BY_ROOT: "ortho", BY_COUNT: "forward"}
_MANY = 1 << 14  # real numbers; for more, only half of a symmetric result is computed
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
    result = xp.empty((*half.shape[:dim], length, *half.shape[dim + 1 :]), half.dtype)
    target, source = result.swapaxes(dim, 0), half.swapaxes(dim, 0)
    target[:known] = source
    target[known:] = xp.conj(source[length - known : 0 : -1])
    return result


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
    size = tuple([length if dim == dims[-1] else size for dim, size in enumerate(input._size)])
    *others, last = dims
    if others:  # the last dimension is transformed after the others, and its layout goes by theirs
        input = complex_to_complex(input, tuple(others), scaling, False)
    input = resolve_conj(input)
    return _run_transform(input, (last,), size, input._dtype.to_real(), _complex_to_real, (last,), scaling, length)
