"""``torch.special``: functions that have names of their own, under the names that SciPy has for them too.

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

def airy_ai(x: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Airy function Ai: the solution of ``y'' == x * y`` that goes to 0 for large `x`."""

def bessel_j0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function of the first kind of order 0."""

def bessel_j1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function of the first kind of order 1."""

def bessel_y0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function of the second kind of order 0."""

def bessel_y1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function of the second kind of order 1."""

def digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The derivative of `lgamma`."""

def entr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``-input * log(input)``: what each of several outcomes contributes to their entropy; 0 at 0, -inf below."""

def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The error function: the part of a normal distribution of variance 1/2 between -`input` and `input`."""

def erfc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``1 - erf(input)``, exact where that is small."""

def erfcx(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``exp(input**2) * erfc(input)``, which stays a number where `erfc` is too small to be one."""

def erfinv(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The number whose error function is `input`; infinite for -1 and 1, NaN beyond."""

def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """2 to the power of each element."""

def expit(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``1 / (1 + exp(-input))``."""

def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``exp(input) - 1``, accurate for small elements."""

def gammainc(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The regularized lower incomplete gamma function: the part of the gamma integral of `input` below `other`."""

def gammaincc(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The part of the gamma function's integral for `input` that lies above `other`: ``1 - igamma(input, other)``."""

def gammaln(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the size of the gamma function, which extends factorials: of (input - 1)!."""

def i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind of order 0."""

def i0e(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``i0(input) * exp(-abs(input))``, which stays a number however large `input` is."""

def i1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind of order 1."""

def i1e(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``i1(input) * exp(-abs(input))``, which stays a number however large `input` is."""

def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``log(1 + input)``, accurate for small elements."""

def log_ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of `ndtr`, exact where that is too small to be a number."""

def log_softmax(input: Tensor, dim: _int, dtype: _dtype | None = None, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of `softmax`, exact where that is tiny."""

def logit(input: Tensor, eps: _float | None = None, *, out: Tensor | None = None) -> Tensor:
    """``log(input / (1 - input))``, the inverse of `sigmoid`; with `eps`, `input` is clamped to ``eps … 1 - eps``
    first."""

def logsumexp(
    input: Tensor, dim: _int | Sequence[_int] | None, keepdim: _bool = False, *, out: Tensor | None = None,
) -> Tensor:
    """``log(sum(exp(input)))`` over dimensions `dim`, without overflow in between."""

def modified_bessel_i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind of order 0: `i0` without a derivative."""

def modified_bessel_i1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind of order 1: `i1` without a derivative."""

def modified_bessel_k0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the second kind of order 0."""

def modified_bessel_k1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the second kind of order 1."""

def multigammaln(input: Tensor, p: _int, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the gamma function of `p` dimensions."""

def ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The standard normal distribution function: the probability of a value below `input`."""

def ndtri(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of `ndtr`: the number below which the part `input` of a normal distribution lies."""

def polygamma(n: _int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The `n`-th derivative of `digamma`; itself for 0."""

def psi(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The derivative of `lgamma`."""

def round(input: Tensor, *, decimals: _int = 0, out: Tensor | None = None) -> Tensor:
    """`round` of floating-point numbers."""

def scaled_modified_bessel_k0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``modified_bessel_k0(input) * exp(input)``."""

def scaled_modified_bessel_k1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``modified_bessel_k1(input) * exp(input)``."""

def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``sin(pi * input) / (pi * input)``, and 1 at 0."""

def softmax(input: Tensor, dim: _int, dtype: _dtype | None = None, *, out: Tensor | None = None) -> Tensor:
    """``exp(input)`` divided by its sum along `dim`: positive numbers that add up to 1."""

def spherical_bessel_j0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The spherical Bessel function of the first kind of order 0: ``sin(input) / input``, 1 at 0."""

def xlog1py(input: Tensor | _complex, other: Tensor | _complex, *, out: Tensor | None = None) -> Tensor:
    """``input * log1p(other)``, and 0 where `input` is 0, for every `other` but NaN."""

def xlogy(input: Tensor | _complex, other: Tensor | _complex, *, out: Tensor | None = None) -> Tensor:
    """``input * log(other)``, and 0 where `input` is 0, for every `other` but NaN."""

def zeta(input: Tensor | _complex, other: Tensor | _complex, *, out: Tensor | None = None) -> Tensor:
    """Hurwitz' zeta function: the sum of ``(k + other) ** -input`` over k = 0, 1, …"""
