"""Reductions: sums, means, products and truth over some or all dimensions. `reducing` does the common part."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

from tensorglass import dtypes
from tensorglass.backends import Array
from tensorglass.dtypes import dtype as DType
from tensorglass.errors import explained
from tensorglass.ops.arguments import check_tensor, ints, invalid_combination
from tensorglass.ops.promotion import check_out_dtype
from tensorglass.ops.reducing import Dims, axes_of, reduce, reduction
from tensorglass.ops.samples import values
from tensorglass.ops.summing import total
from tensorglass.ops.table import Sample, operator, sample
from tensorglass.tensor import Tensor

OTHER_OUT = "an `out` of another dtype is written if that can take the result in; PyTorch refuses some of them"


def _samples() -> Iterator[Sample]:
    for size in ((), (5,), (2, 3), (2, 1, 4)):
        yield sample(values(*size))
    yield sample(values(2, 3), 0)
    yield sample(values(2, 3, 4), -1, True)
    yield sample(values(2, 3, 4), (0, 2))
    yield sample(values(0, 3), 0)


def _widened(dtype: DType) -> DType:
    """Integers and bools are summed as int64, so that they do not overflow early."""
    return dtype if dtype.category >= dtypes.FLOATING else dtypes.int64


def _out_wants_dim(name: str, dims: str) -> Callable[[Tensor, Dims, Tensor], None]:
    def check(input: Tensor, dim: Dims, out: Tensor) -> None:
        if dim is None:
            raise invalid_combination(
                name,
                (input,),
                "(Tensor input, *, torch.dtype dtype = None)",
                f"(Tensor input, {dims} dim, bool keepdim = False, *, torch.dtype dtype = None, Tensor out = None)",
                keywords={"out": out},
            )

    return check


@reduction(_widened, takes_dtype=True, check_out=_out_wants_dim("sum", "tuple of ints"), samples=_samples)
def sum(xp: Any, input: Array, axes: tuple[int, ...]) -> Array:
    """The sum over dimensions `dim`, or over all. Integers are added as int64."""
    return total(xp, input, axes)


def _nansum_is_real(input: Tensor, axes: tuple[int, ...], dim: Dims) -> None:
    if input._dtype.is_complex:
        raise RuntimeError("nansum on CPU does not support complex inputs")


@reduction(_widened, takes_dtype=True, check=_nansum_is_real, samples=_samples, differs=OTHER_OUT)
def nansum(xp: Any, input: Array, axes: tuple[int, ...]) -> Array:
    """The sum over dimensions `dim`, or over all, NaN counted as zero."""
    return xp.nansum(input, axis=axes, keepdims=True)


@operator("reduction", out=True, samples=_samples, differs=OTHER_OUT)
def mean(
    input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None, out: Tensor | None = None
) -> Tensor:
    """The mean over dimensions `dim`, or over all."""
    check_tensor("mean", input)
    compute = input._dtype if dtype is None else dtype
    if compute.category < dtypes.FLOATING:
        which = "Input" if dtype is None else "Optional"
        raise explained(
            RuntimeError(
                f"mean(): could not infer output dtype. {which} dtype must be either a floating point or complex "
                f"dtype. Got: {compute.scalar_type}"
            ),
            "The mean of integers is no integer: write x.float().mean() or x.mean(dtype=torch.float32).",
        )
    return reduce(_mean, input, axes_of(len(input._size), dim), keepdim, compute, compute, out)


def _mean(xp: Any, input: Array, axes: tuple[int, ...]) -> Array:
    count = 1
    for axis in axes:
        count *= input.shape[axis]
    whole = total(xp, input, axes)
    return xp.true_divide(whole, whole.dtype.type(count))


def _prod_samples() -> Iterator[Sample]:
    for size in ((), (5,), (2, 3), (2, 1, 4)):
        yield sample(values(*size, low=0.5, high=1.5))
    yield sample(values(2, 3), 0)
    yield sample(values(2, 3, 4), -1, True)
    yield sample(values(0, 3), 0)


@operator("reduction", out=True, samples=_prod_samples)
def prod(
    input: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The product over dimension `dim`, or over all. Integers are multiplied as int64."""
    check_tensor("prod", input)
    if dim is not None and not isinstance(dim, int):
        raise invalid_combination(
            "prod",
            (input, dim),
            "(Tensor input, *, torch.dtype dtype = None)",
            "(Tensor input, int dim, bool keepdim = False, *, torch.dtype dtype = None, Tensor out = None)",
        )
    if out is not None:
        _out_wants_dim("prod", "int")(input, dim, out)
    if dtype is None:
        dtype = _widened(input._dtype) if out is None else out._dtype
    return reduce(_prod, input, axes_of(len(input._size), dim), keepdim, dtype, dtype, out)


def _prod(xp: Any, input: Array, axes: tuple[int, ...]) -> Array:
    return xp.multiply.reduce(input, axis=axes, keepdims=True)


def _truth(computed: DType) -> DType:
    return dtypes.uint8 if computed is dtypes.uint8 else dtypes.bool


def _same(dtype: DType) -> DType:
    return dtype


def _answers_in_bool(name: str) -> Callable[[Tensor, Dims, Tensor], None]:
    def check(input: Tensor, dim: Dims, out: Tensor) -> None:
        if out._dtype not in (dtypes.bool, dtypes.uint8):
            raise RuntimeError(f"{name} only supports bool tensor for result, got: {out._dtype.scalar_type}")

    return check


@reduction(_same, _truth, check_out=_answers_in_bool("all"), samples=_samples)
def all(xp: Any, input: Array, axes: tuple[int, ...]) -> Array:
    """Whether every element is nonzero, over dimensions `dim` or over all."""
    return xp.all(input, axis=axes, keepdims=True)


@reduction(_same, _truth, check_out=_answers_in_bool("any"), samples=_samples)
def any(xp: Any, input: Array, axes: tuple[int, ...]) -> Array:
    """Whether some element is nonzero, over dimensions `dim` or over all."""
    return xp.any(input, axis=axes, keepdims=True)


def _count_samples() -> Iterator[Sample]:
    for each in _samples():
        yield sample(*each.arguments[:2])


@operator("reduction", samples=_count_samples)
def count_nonzero(input: Tensor, dim: Dims = None) -> Tensor:
    """How many elements are nonzero, over dimensions `dim` or over all."""
    check_tensor("count_nonzero", input)
    if dim is not None:
        dim = ints("count_nonzero", (dim,), "(Tensor input, int dim = None)", "(Tensor input, tuple of ints dim)")
    axes = axes_of(len(input._size), dim)
    return reduce(_count_nonzero, input, axes, False, input._dtype, dtypes.int64)


def _count_nonzero(xp: Any, input: Array, axes: tuple[int, ...]) -> Array:
    return xp.add.reduce(input != 0, axis=axes, keepdims=True, dtype="int64")


# --- spread ----------------------------------------------------------------------------------------------------------


def _spread(
    name: str, kernel: Any, input: Tensor, dim: Any, unbiased: bool, correction: Any, keepdim: bool, out: Tensor | None
) -> Tensor:
    check_tensor(name, input)
    if isinstance(dim, bool):  # var(unbiased)
        dim, unbiased = None, dim
    if input._dtype.category < dtypes.FLOATING:
        raise RuntimeError("std and var only support floating point and complex dtypes")
    axes = axes_of(len(input._size), dim)
    count = 1
    for axis in axes:
        count *= input._size[axis]
    if correction is None:
        correction = 1 if unbiased else 0
    if count <= correction:
        warnings.warn(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor "
            "(input numel divided by output numel).",
            UserWarning,
            stacklevel=3,
        )
    result = input._dtype.to_real()
    compute = dtypes.complex128 if input._dtype.is_complex else dtypes.float64  # PyTorch adds the squares up in double
    return reduce(kernel, input, axes, keepdim, compute, result, out, freedom=max(count - correction, 0))


def _variance(xp: Any, input: Array, axes: tuple[int, ...], *, freedom: float) -> Array:
    deviation = input - _mean(xp, input, axes)
    squares = total(xp, xp.square(xp.absolute(deviation) if deviation.dtype.kind == "c" else deviation), axes)
    return xp.true_divide(squares, squares.dtype.type(freedom))


def _deviation(xp: Any, input: Array, axes: tuple[int, ...], *, freedom: float) -> Array:
    return xp.sqrt(_variance(xp, input, axes, freedom=freedom))


@operator("reduction", out=True, samples=_samples, differs=OTHER_OUT)
def var(
    input: Tensor,
    dim: Dims | bool = None,
    unbiased: bool = True,
    keepdim: bool = False,
    *,
    correction: float | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The variance over dimensions `dim`, or over all: squares divided by their number less `correction`, 1."""
    return _spread("var", _variance, input, dim, unbiased, correction, keepdim, out)


@operator("reduction", out=True, samples=_samples, differs=OTHER_OUT)
def std(
    input: Tensor,
    dim: Dims | bool = None,
    unbiased: bool = True,
    keepdim: bool = False,
    *,
    correction: float | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The square root of `var`."""
    return _spread("std", _deviation, input, dim, unbiased, correction, keepdim, out)


def _norm_samples() -> Iterator[Sample]:
    for each in (2, 1, 0, 3.5, float("inf"), -float("inf"), "fro", None):
        yield sample(values(2, 3), each)
    yield sample(values(2, 3, 4), 2, (0, 2))
    yield sample(values(2, 3), 1, 1, True)
    yield sample(values(5))
    yield sample(values())


@operator("reduction", out=True, samples=_norm_samples)
def norm(
    input: Tensor, p: float | str | None = "fro", dim: Dims = None, keepdim: bool = False, *, out: Tensor | None = None
) -> Tensor:
    """The vector norm of order `p` over dimensions `dim`, or over all."""
    check_tensor("norm", input)
    if input._dtype.category < dtypes.FLOATING:
        raise RuntimeError(
            f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {input._dtype.scalar_type}"
        )
    check_out_dtype(out, input._dtype.to_real())
    order = 2.0 if p in ("fro", None) else float(p)
    axes = axes_of(len(input._size), dim)
    return reduce(_norm, input, axes, keepdim, input._dtype, input._dtype.to_real(), out, order=order)


def _norm(xp: Any, input: Array, axes: tuple[int, ...], *, order: float) -> Array:
    lengths = xp.absolute(input)
    if order == float("inf"):
        return xp.max(lengths, axis=axes, keepdims=True)
    if order == float("-inf"):
        return xp.min(lengths, axis=axes, keepdims=True)
    if order == 0:
        return xp.add.reduce(lengths != 0, axis=axes, keepdims=True)
    if order == 2:
        return xp.sqrt(total(xp, xp.square(lengths), axes))
    return xp.power(total(xp, xp.power(lengths, order), axes), 1 / order)
