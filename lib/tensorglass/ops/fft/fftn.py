"""``torch.fft``: discrete Fourier transforms along two dimensions, or along many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tensorglass import geometry
from tensorglass.ops.arg_parser.checks import check_tensor
from tensorglass.ops.copies.out import cast_into_out
from tensorglass.ops.declare.registry import Sample, operator, sample
from tensorglass.ops.declare.samples import values
from tensorglass.ops.fft.common import complex_to_complex, complex_to_real, real_to_complex
from tensorglass.ops.fft.fft import EMPTY, Out, check_out, checked_length, fitted_to, of_kind, scaling_of
from tensorglass.ops.pointwise.complex import conj_physical
from tensorglass.tensor.tensor import Tensor

Sizes = Sequence[int] | None


def _many_dims(input: Tensor, s: Sizes, dim: int | Sequence[int] | None) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The dimensions to transform, and the length of each; -1 in `s` is the length that it has."""
    rank = len(input._size)
    dims: tuple[int, ...] | None = None
    if dim is not None:
        dims = tuple([geometry.wrap_dim(each, rank, wrap_scalar=False) for each in geometry.as_ints(dim)])
        if len(set(dims)) < len(dims):
            raise RuntimeError("FFT dims must be unique")
    if s is None:
        if dims is None:
            dims = tuple(range(rank))
        sizes = [input._size[each] for each in dims]
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
        sizes = [input._size[each] if n == -1 else n for each, n in zip(dims, given, strict=True)]
    return dims, tuple([checked_length(each) for each in sizes])


def _along_many(
    name: str, input: Tensor, s: Sizes, dim: Sequence[int] | None, norm: str | None, out: Out, forward: bool
) -> Tensor:
    check_tensor(f"fft_{name}", input)
    dims, sizes = _many_dims(input, s, dim)
    scaling = scaling_of(norm, forward)
    check_out("fftn", out, is_complex=True)  # PyTorch's errors call all of them that
    fitted = fitted_to(of_kind(input, is_complex=True), dims, sizes)
    return cast_into_out(complex_to_complex(fitted, dims, scaling, forward) if dims else fitted.clone(), out)


def _check_some(name: str, dims: Sequence[int]) -> None:
    if not dims:
        raise RuntimeError(f"{name} must transform at least one axis")


def _many_of_reals(
    name: str, input: Tensor, s: Sizes, dim: Sequence[int] | None, norm: str | None, out: Out, forward: bool
) -> Tensor:
    """From real numbers: half of the last dimension. Backwards the other dimensions are transformed after it."""
    check_tensor(f"fft_{name}", input)
    name = f"{name[:-1]}n"
    if input._dtype.is_complex:
        line = f"Only supports floating-point dtypes, but found: {input._dtype.scalar_type}"
        if forward:
            line = f"{name} expects a real-valued input tensor, but got {input._dtype.scalar_type}"
        raise RuntimeError(line)
    real = of_kind(input, is_complex=False)
    check_out(name, out, is_complex=True)
    dims, sizes = _many_dims(real, s, dim)
    _check_some(name, dims)
    fitted, scaling = fitted_to(real, dims, sizes), scaling_of(norm, forward)
    if forward:
        return cast_into_out(real_to_complex(fitted, dims, scaling, True), out)
    answer = real_to_complex(fitted, dims[-1:], scaling, True)
    if len(dims) == 1:
        return cast_into_out(answer.conj(), out)
    return cast_into_out(complex_to_complex(conj_physical(answer), dims[:-1], scaling, False), out)


def _many_to_reals(
    name: str, input: Tensor, s: Sizes, dim: Sequence[int] | None, norm: str | None, out: Out, forward: bool
) -> Tensor:
    check_tensor(f"fft_{name}", input)
    name = f"{name[:-1]}n"
    check_out(name, out, is_complex=False)
    dims, sizes = _many_dims(input, s, dim)
    _check_some(name, dims)
    last = dims[-1]
    length = sizes[-1] if s is not None and _last(s) != -1 else 2 * (input._size[last] - 1)
    checked_length(length)
    spectrum = fitted_to(of_kind(input, is_complex=True), dims, (*sizes[:-1], length // 2 + 1))
    scaling = scaling_of(norm, forward)
    if not forward:
        return cast_into_out(complex_to_real(spectrum, dims, scaling, length), out)
    if len(dims) > 1:
        spectrum = complex_to_complex(spectrum, dims[:-1], scaling, True)
    return cast_into_out(complex_to_real(spectrum.conj(), (last,), scaling, length), out)


def _last(s: int | Sequence[int]) -> int:
    return geometry.as_ints(s)[-1]


def _planes() -> Iterator[Sample]:
    yield sample(values(2, 3))
    yield sample(values(3, 2, 4), norm="ortho")
    yield sample(values(2, 3, 4), (3, 2), (0, 1), "forward")
    yield sample(values(2, 3, 4), dim=(-1, 0))


def _longer_planes() -> Iterator[Sample]:
    yield sample(values(2, 4))
    yield sample(values(3, 2, 4), norm="ortho")
    yield sample(values(2, 3, 4), (3, 5), (0, 1), "forward")
    yield sample(values(3, 2, 4), dim=(-1, 0))


def _volumes() -> Iterator[Sample]:
    yield from _planes()
    yield sample(values(2, 3, 4), (5,))
    yield sample(values(2, 3, 4), (3, -1, 2))


def _longer_volumes() -> Iterator[Sample]:
    yield from _longer_planes()
    yield sample(values(2, 3, 4), (5,))
    yield sample(values(2, 3, 4), (3, -1, 7))


@operator("Fourier", namespace="fft", out=True, samples=_planes, differs=EMPTY)
def fft_fft2(
    input: Tensor, s: Sizes = None, dim: Sequence[int] = (-2, -1), norm: str | None = None, *, out: Out = None
) -> Tensor:
    """`fft` along two dimensions, cut or filled up to the lengths `s`."""
    return _along_many("fft2", input, s, dim, norm, out, forward=True)


@operator("Fourier", namespace="fft", out=True, samples=_planes, differs=EMPTY)
def fft_ifft2(
    input: Tensor, s: Sizes = None, dim: Sequence[int] = (-2, -1), norm: str | None = None, *, out: Out = None
) -> Tensor:
    """The inverse of `fft2`."""
    return _along_many("ifft2", input, s, dim, norm, out, forward=False)


@operator("Fourier", namespace="fft", out=True, samples=_volumes, differs=EMPTY)
def fft_fftn(
    input: Tensor, s: Sizes = None, dim: Sequence[int] | None = None, norm: str | None = None, *, out: Out = None
) -> Tensor:
    """`fft` along the dimensions `dim`, or the last ones for which `s` has lengths, or all."""
    return _along_many("fftn", input, s, dim, norm, out, forward=True)


@operator("Fourier", namespace="fft", out=True, samples=_volumes, differs=EMPTY)
def fft_ifftn(
    input: Tensor, s: Sizes = None, dim: Sequence[int] | None = None, norm: str | None = None, *, out: Out = None
) -> Tensor:
    """The inverse of `fftn`."""
    return _along_many("ifftn", input, s, dim, norm, out, forward=False)


@operator("Fourier", namespace="fft", out=True, samples=_planes, differs=EMPTY)
def fft_rfft2(
    input: Tensor, s: Sizes = None, dim: Sequence[int] = (-2, -1), norm: str | None = None, *, out: Out = None
) -> Tensor:
    """`fft2` of real numbers: of the last dimension the first half."""
    return _many_of_reals("rfft2", input, s, dim, norm, out, forward=True)


@operator("Fourier", namespace="fft", out=True, samples=_longer_planes, differs=EMPTY)
def fft_irfft2(
    input: Tensor, s: Sizes = None, dim: Sequence[int] = (-2, -1), norm: str | None = None, *, out: Out = None
) -> Tensor:
    """The inverse of `rfft2`: real numbers."""
    return _many_to_reals("irfft2", input, s, dim, norm, out, forward=False)


@operator("Fourier", namespace="fft", out=True, samples=_volumes, differs=EMPTY)
def fft_rfftn(
    input: Tensor, s: Sizes = None, dim: Sequence[int] | None = None, norm: str | None = None, *, out: Out = None
) -> Tensor:
    """`fftn` of real numbers: of the last dimension the first half."""
    return _many_of_reals("rfftn", input, s, dim, norm, out, forward=True)


@operator("Fourier", namespace="fft", out=True, samples=_longer_volumes, differs=EMPTY)
def fft_irfftn(
    input: Tensor, s: Sizes = None, dim: Sequence[int] | None = None, norm: str | None = None, *, out: Out = None
) -> Tensor:
    """The inverse of `rfftn`: real numbers."""
    return _many_to_reals("irfftn", input, s, dim, norm, out, forward=False)


@operator("Fourier", namespace="fft", out=True, samples=_longer_planes, differs=EMPTY)
def fft_hfft2(
    input: Tensor, s: Sizes = None, dim: Sequence[int] = (-2, -1), norm: str | None = None, *, out: Out = None
) -> Tensor:
    """`hfft` along the last of two dimensions, after `fft` along the other."""
    return _many_to_reals("hfft2", input, s, dim, norm, out, forward=True)


@operator("Fourier", namespace="fft", out=True, samples=_planes, differs=EMPTY)
def fft_ihfft2(
    input: Tensor, s: Sizes = None, dim: Sequence[int] = (-2, -1), norm: str | None = None, *, out: Out = None
) -> Tensor:
    """The inverse of `hfft2`."""
    return _many_of_reals("ihfft2", input, s, dim, norm, out, forward=False)


@operator("Fourier", namespace="fft", out=True, samples=_longer_volumes, differs=EMPTY)
def fft_hfftn(
    input: Tensor, s: Sizes = None, dim: Sequence[int] | None = None, norm: str | None = None, *, out: Out = None
) -> Tensor:
    """`hfft` along the last of the dimensions, after `fft` along the others."""
    return _many_to_reals("hfftn", input, s, dim, norm, out, forward=True)


@operator(
    "Fourier",
    namespace="fft",
    out=True,
    samples=_planes,
    differs="`out` is written along one dimension too; PyTorch leaves it as it was",
)
def fft_ihfftn(
    input: Tensor, s: Sizes = None, dim: Sequence[int] | None = None, norm: str | None = None, *, out: Out = None
) -> Tensor:
    """The inverse of `hfftn`."""
    return _many_of_reals("ihfftn", input, s, dim, norm, out, forward=False)
