"""``torch.masked``: reductions and normalizations of the elements that a mask marks with True.

What is masked out does not count: before the operator runs, it is replaced by the value that changes no result, 0 for a
sum. Masks are broadcast to the input. PyTorch's `MaskedTensor`, a prototype, is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorglass as torch
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.refusing import refusing
from tensorglass.tensor.tensor import Tensor

__path__: list[str] = []  # PyTorch has a package of this name; what is beneath it are names alone

__all__ = [
    "amax",
    "amin",
    "argmax",
    "argmin",
    "cumprod",
    "cumsum",
    "log_softmax",
    "logaddexp",
    "logsumexp",
    "mean",
    "median",
    "norm",
    "normalize",
    "prod",
    "softmax",
    "softmin",
    "std",
    "sum",
    "var",
]

__getattr__ = refusing("masked")

Dims = int | Sequence[int] | None  #: None, and (), are all dimensions
_WIDENED = (torch.uint8, torch.bool, torch.int8, torch.int16, torch.int32)  #: sums and products of these are int64


def _dims(dim: Dims, ndim: int) -> tuple[int, ...]:
    """The dimensions from 0 on, in their order; a tensor without any has the dimension 0."""
    if dim is None or dim == ():
        return tuple(range(ndim))
    axes: list[int] = []
    length = max(ndim, 1)
    for axis in (dim,) if isinstance(dim, int) else dim:
        if axis in axes:
            raise RuntimeError(f"dim={axis} appears multiple times in the list of dims")
        if not -length <= axis < length:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-length}, {length - 1}], but got {axis})"
            )
        axes.append(axis % length)
    return tuple(sorted(axes))


def _broadcast(input: Tensor, mask: Tensor) -> Tensor:
    """The mask in the size of the input, of bools."""
    if mask.shape != input.shape:
        if mask.ndim > input.ndim:
            raise IndexError(
                "_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)"
            )
        mask = torch.broadcast_to(mask.clone(), input.shape)
    return mask.bool()


def _filled(input: Tensor, mask: Tensor | None, value: Any) -> Tensor:
    """The input with `value` where it is masked out."""
    if mask is None:
        return input
    return torch.where(_broadcast(input, mask), input, torch.tensor(value, dtype=input.dtype, device=input.device))


def _least(input: Tensor, name: str, sign: int = -1) -> Any:
    """What no element is less than; with `sign` 1, what none is greater than."""
    if input.is_floating_point():
        return sign * torch.inf
    if input.dtype is torch.bool or input.is_complex():
        raise NotImplementedError(f"identity of {name} on {input.dtype} input")
    limits = torch.iinfo(input.dtype)
    return limits.min if sign < 0 else limits.max


def _widened(input: Tensor, dtype: DType | None) -> DType:
    return dtype or (torch.int64 if input.dtype in _WIDENED else input.dtype)


# --- reductions ------------------------------------------------------------------------------------------------------


def sum(
    input: Tensor, dim: Dims = None, *, keepdim: bool | None = False, dtype: DType | None = None,
    mask: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The sum; 0 where all is masked out.

    >>> x = torch.tensor([[1.0, 2.0, 3.0]])
    >>> torch.masked.sum(x, 1, mask=torch.tensor([[True, False, True]]))
    tensor([4.])
    """
    return torch.sum(_filled(input, mask, 0), _dims(dim, input.ndim), bool(keepdim), dtype=_widened(input, dtype))


def prod(
    input: Tensor, dim: Dims = None, *, keepdim: bool | None = False, dtype: DType | None = None,
    mask: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The product; 1 where all is masked out."""
    result = _filled(input, mask, 1).to(dtype=_widened(input, dtype))
    for axis in reversed(_dims(dim, input.ndim)):
        result = result.prod(dim=axis, keepdim=bool(keepdim))
    return result


def cumsum(input: Tensor, dim: int, *, dtype: DType | None = None, mask: Tensor | None = None) -> Tensor:
    """The sums of all elements up to each; it keeps the input's dtype."""
    dtype = dtype or input.dtype
    return torch.cumsum(_filled(input, mask, 0), _dims(dim, input.ndim)[0], dtype=dtype).to(dtype=dtype)


def cumprod(input: Tensor, dim: int, *, dtype: DType | None = None, mask: Tensor | None = None) -> Tensor:
    """The products of all elements up to each; it keeps the input's dtype."""
    dtype = dtype or input.dtype
    return torch.cumprod(_filled(input, mask, 1), _dims(dim, input.ndim)[0], dtype=dtype).to(dtype=dtype)


def amax(
    input: Tensor, dim: Dims = None, *, keepdim: bool | None = False, dtype: DType | None = None,
    mask: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The greatest element; the least value of the dtype where all is masked out."""
    filled = input if mask is None else _filled(input, mask, _least(input, "amax"))
    return torch.amax(filled, _dims(dim, input.ndim), bool(keepdim)).to(dtype=dtype or input.dtype)


def amin(
    input: Tensor, dim: Dims = None, *, keepdim: bool | None = False, dtype: DType | None = None,
    mask: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The least element; the greatest value of the dtype where all is masked out."""
    filled = input if mask is None else _filled(input, mask, _least(input, "amin", 1))
    return torch.amin(filled, _dims(dim, input.ndim), bool(keepdim)).to(dtype=dtype or input.dtype)


def argmax(
    input: Tensor, dim: int | None = None, *, keepdim: bool | None = False, dtype: DType | None = None,
    mask: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The place of the greatest element. As in PyTorch, it has the input's dtype, unless `dtype` is given."""
    filled = input if mask is None else _filled(input, mask, _least(input, "argmax"))
    return torch.argmax(filled, dim, bool(keepdim)).to(dtype=dtype or input.dtype)


def argmin(
    input: Tensor, dim: int | None = None, *, keepdim: bool | None = False, dtype: DType | None = None,
    mask: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The place of the least element. As in PyTorch, it has the input's dtype, unless `dtype` is given."""
    filled = input if mask is None else _filled(input, mask, _least(input, "argmin", 1))
    return torch.argmin(filled, dim, bool(keepdim)).to(dtype=dtype or input.dtype)


def _count(input: Tensor, dim: Dims, keepdim: bool, mask: Tensor | None) -> Tensor:
    """How many elements count."""
    ones = torch.ones(input.shape, dtype=torch.bool, device=input.device) if mask is None else _broadcast(input, mask)
    return torch.sum(ones, _dims(dim, input.ndim), keepdim)


def mean(
    input: Tensor, dim: Dims = None, *, keepdim: bool | None = False, dtype: DType | None = None,
    mask: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The mean; NaN where all is masked out. ValueError for integers, unless `dtype` is floating point."""
    source, dtype = ("Optional", dtype) if dtype is not None else ("Input", input.dtype)
    if not (dtype.is_floating_point or dtype.is_complex):
        raise ValueError(
            f"mean(): Could not infer output dtype. {source} dtype must be either a floating point or complex dtype. "
            f"Got: {dtype}"
        )
    return sum(input, dim, keepdim=keepdim, dtype=dtype, mask=mask) / _count(input, dim, bool(keepdim), mask)


def median(
    input: Tensor, dim: int = -1, *, keepdim: bool = False, dtype: DType | None = None, mask: Tensor | None = None
) -> Tensor:
    """The median, the lower of two; NaN where all is masked out, and ValueError for such rows of integers."""
    place = _dims(dim, input.ndim)[0]
    is_floating = input.is_floating_point()
    filled = _filled(input if is_floating else input.to(dtype=torch.float), mask, torch.nan)
    result = torch.nanmedian(filled, place, keepdim).values
    if is_floating:
        return result
    if torch.isnan(result).any():
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
    return result.to(dtype=dtype or input.dtype)


def logsumexp(
    input: Tensor, dim: Dims = None, *, keepdim: bool = False, dtype: DType | None = None, mask: Tensor | None = None
) -> Tensor:
    """The logarithm of the sum of exponentials; minus infinity where all is masked out."""
    least = -torch.inf if input.is_complex() or mask is None else _least(input, "logsumexp")
    filled = _filled(input, mask, least)
    return torch.logsumexp(filled, _dims(dim, input.ndim), keepdim=keepdim).to(dtype=dtype or input.dtype)


def logaddexp(
    input: Tensor, other: Tensor, *, dtype: DType | None = None, input_mask: Tensor | None = None,
    other_mask: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """``log(exp(input) + exp(other))``, element by element; each has a mask of its own."""
    one, two = (
        tensor if mask is None else _filled(tensor, mask, _least(tensor, "logaddexp"))
        for tensor, mask in ((input, input_mask), (other, other_mask))
    )
    return torch.logaddexp(one, two).to(dtype=dtype or input.dtype)


def norm(
    input: Tensor, ord: float | None = 2.0, dim: Dims = None, *, keepdim: bool | None = False,
    dtype: DType | None = None, mask: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The vector norm of order `ord`; 0 where all is masked out, infinity for the order minus infinity."""
    filled = _filled(input, mask, torch.inf if ord == -torch.inf else 0)
    return torch.linalg.vector_norm(
        filled, 2.0 if ord is None else ord, _dims(dim, input.ndim), bool(keepdim), dtype=dtype or input.dtype
    )


def var(
    input: Tensor, dim: Dims = None, unbiased: bool | None = None, *, correction: float | None = None,
    keepdim: bool | None = False, dtype: DType | None = None, mask: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The variance, the sum of squares divided by their count less `correction`; NaN where all is masked out."""
    if unbiased is not None and correction is not None:
        raise AssertionError("Only one of unbiased and correction may be given")
    less = float(1 if unbiased is None else unbiased) if correction is None else float(correction)
    if dtype is None:
        dtype = input.dtype if input.dtype.is_floating_point or input.dtype.is_complex else torch.float32
    wide = dtype if dtype.is_floating_point or dtype.is_complex else torch.float32
    count = _count(input, dim, True, mask)
    away = input - sum(input, dim, keepdim=True, dtype=dtype, mask=mask) / count
    squares = sum(away * away.conj(), dim, keepdim=keepdim, dtype=wide, mask=mask)
    count = count.reshape(squares.shape)
    if less:
        real = torch.empty((), dtype=wide).real.dtype
        count = (count.to(real) - less).clamp_min(0)
    return (squares / count).to(dtype=dtype)


def std(
    input: Tensor, dim: Dims = None, unbiased: bool | None = None, *, correction: float | None = None,
    keepdim: bool | None = False, dtype: DType | None = None, mask: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The standard deviation, the square root of `var`."""
    return torch.sqrt(var(input, dim, unbiased, correction=correction, keepdim=keepdim, dtype=dtype, mask=mask))


# --- normalizations --------------------------------------------------------------------------------------------------


def softmax(input: Tensor, dim: int, *, dtype: DType | None = None, mask: Tensor | None = None) -> Tensor:
    """`nn.functional.softmax`; 0 where it is masked out, NaN where all is."""
    filled = input if mask is None else _filled(input, mask, _least(input, "amax"))
    return torch.nn.functional.softmax(filled, _dims(dim, input.ndim)[0], dtype=dtype or input.dtype)


def log_softmax(input: Tensor, dim: int, *, dtype: DType | None = None, mask: Tensor | None = None) -> Tensor:
    """`nn.functional.log_softmax`; minus infinity where it is masked out, NaN where all is."""
    filled = input if mask is None else _filled(input, mask, _least(input, "amax"))
    return torch.nn.functional.log_softmax(filled, _dims(dim, input.ndim)[0], dtype=dtype or input.dtype)


def softmin(input: Tensor, dim: int, *, dtype: DType | None = None, mask: Tensor | None = None) -> Tensor:
    """`nn.functional.softmin`; 0 where it is masked out, NaN where all is."""
    filled = input if mask is None else _filled(input, mask, _least(input, "amin", 1))
    return torch.nn.functional.softmin(filled, _dims(dim, input.ndim)[0], dtype=dtype or input.dtype)


def normalize(
    input: Tensor, ord: float, dim: int, *, eps: float = 1e-12, dtype: DType | None = None, mask: Tensor | None = None
) -> Tensor:
    """The input divided by its norm along `dim`, or by `eps` where that is less; 0 where it is masked out."""
    length = norm(input, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    return torch.divide(_filled(input, mask, 0), torch.maximum(length, length.new_full([], eps)))
