"""``torch.fft``: Fourier transforms under the names that NumPy has for them too.

Made from the operator table by `python docs/make_stubs.py`.
"""

from builtins import bool as _bool, complex as _complex, float as _float, int as _int, type as _type
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import ModuleType
from typing import Any, Literal, NamedTuple, Self, SupportsIndex, overload

from numpy import ndarray

from tensorglass.autograd.function import Function
from tensorglass.core.devices import device as _device
from tensorglass.core.dtypes import dtype as _dtype
from tensorglass.core.memory_format import layout as _layout, memory_format as _memory_format
from tensorglass.core.size import Size as _Size
from tensorglass.graph.node import Node
from tensorglass.storage.storage import UntypedStorage as _UntypedStorage
from tensorglass.storage.typed_storage import TypedStorage as _TypedStorage
from tensorglass.tensor.generator import Generator as _Generator
from tensorglass.tensor.hooks import RemovableHandle

from tensorglass.tensor.methods import _return_aminmax, _return_cummax, _return_cummin, _return_frexp, _return_geqrf, _return_histogram, _return_kthvalue, _return_linalg_cholesky_ex, _return_linalg_eig, _return_linalg_eigh, _return_linalg_inv_ex, _return_linalg_lstsq, _return_linalg_lu, _return_linalg_lu_factor, _return_linalg_lu_factor_ex, _return_linalg_qr, _return_linalg_slogdet, _return_linalg_solve_ex, _return_linalg_svd, _return_lu_unpack, _return_max, _return_median, _return_min, _return_mode, _return_nanmedian, _return_qr, _return_slogdet, _return_sort, _return_svd, _return_topk
from tensorglass.tensor.tensor import Tensor

def fft(
    input: Tensor, n: _int | None = None, dim: _int = -1, norm: str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """The discrete Fourier transform along `dim`, cut or filled up with zeros to `n` elements; complex."""

def fft2(
    input: Tensor, s: _int | Sequence[_int] | None = None, dim: _int | Sequence[_int] | None = ...,
    norm: str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """`fft` along two dimensions, cut or filled up to the lengths `s`."""

def fftfreq(
    n: _int, d: _float = 1.0, *, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = ...,
    device: _device | str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
) -> Tensor:
    """The frequencies that the elements of a transform of `n` samples stand for, which were taken `d` apart."""

def fftn(
    input: Tensor, s: _int | Sequence[_int] | None = None, dim: _int | Sequence[_int] | None = None,
    norm: str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """`fft` along the dimensions `dim`, or the last ones for which `s` has lengths, or all."""

def fftshift(input: Tensor, dim: _int | Sequence[_int] | None = None) -> Tensor:
    """The elements moved by half, so that frequency 0 is in the middle."""

def hfft(
    input: Tensor, n: _int | None = None, dim: _int = -1, norm: str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """The real transform of `n` numbers with Hermitian symmetry, of which the first half is given."""

def ifft(
    input: Tensor, n: _int | None = None, dim: _int = -1, norm: str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """The inverse of `fft`: what it is the transform of."""

def ifft2(
    input: Tensor, s: _int | Sequence[_int] | None = None, dim: _int | Sequence[_int] | None = ...,
    norm: str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """The inverse of `fft2`."""

def ifftn(
    input: Tensor, s: _int | Sequence[_int] | None = None, dim: _int | Sequence[_int] | None = None,
    norm: str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """The inverse of `fftn`."""

def ifftshift(input: Tensor, dim: _int | Sequence[_int] | None = None) -> Tensor:
    """The inverse of `fftshift`."""

def ihfft(
    input: Tensor, n: _int | None = None, dim: _int = -1, norm: str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """The inverse of `hfft`: the first half of it."""

def irfft(
    input: Tensor, n: _int | None = None, dim: _int = -1, norm: str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """The inverse of `rfft`: `n` real numbers, an even number unless `n` says otherwise."""

def irfft2(
    input: Tensor, s: _int | Sequence[_int] | None = None, dim: _int | Sequence[_int] | None = ...,
    norm: str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """The inverse of `rfft2`: real numbers."""

def irfftn(
    input: Tensor, s: _int | Sequence[_int] | None = None, dim: _int | Sequence[_int] | None = None,
    norm: str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """The inverse of `rfftn`: real numbers."""

def rfft(
    input: Tensor, n: _int | None = None, dim: _int = -1, norm: str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """The first half, n // 2 + 1 elements, of real numbers' transform; the rest is its conjugated mirror image."""

def rfft2(
    input: Tensor, s: _int | Sequence[_int] | None = None, dim: _int | Sequence[_int] | None = ...,
    norm: str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """`fft2` of real numbers: of the last dimension the first half."""

def rfftfreq(
    n: _int, d: _float = 1.0, *, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = ...,
    device: _device | str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
) -> Tensor:
    """The frequencies that the elements of `rfft` of `n` samples stand for."""

def rfftn(
    input: Tensor, s: _int | Sequence[_int] | None = None, dim: _int | Sequence[_int] | None = None,
    norm: str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """`fftn` of real numbers: of the last dimension the first half."""
