"""How far elements lie from their mean, and tensors from each other: var, std, norm, dist."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

from tensorglass import dtypes
from tensorglass.backends import Array
from tensorglass.dtypes import dtype as DType
from tensorglass.errors import warn
from tensorglass.graph.derivative import derivative
from tensorglass.ops import usual_reductions
from tensorglass.ops.arguments import check_tensor, type_name
from tensorglass.ops.gradients import norm_backward, std_mean_backward, var_backward, var_mean_backward
from tensorglass.ops.matrices import check_floating
from tensorglass.ops.pointwise import sub
from tensorglass.ops.promotion import check_out_dtype
from tensorglass.ops.reducing import Dims, axes_of, reduce
from tensorglass.ops.reduction import OTHER_OUT, average, mean
from tensorglass.ops.reduction import reduction_samples as _samples
from tensorglass.ops.samples import values
from tensorglass.ops.scalars import NUMBERS
from tensorglass.ops.summing import total
from tensorglass.ops.table import Sample, operator, sample
from tensorglass.tensor import Tensor

INFINITE_MEAN = "the mean of infinities is infinite, as `mean` has it; PyTorch gives nan here"


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
        warn(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor "
            "(input numel divided by output numel).",
        )
    result = input._dtype.to_real()
    return reduce(kernel, input, axes, keepdim, input._dtype, result, out, freedom=max(count - correction, 0))


_BLOCK = 1 << 16  # elements, whose copies in double precision stay in the cache


def _variance(xp: Any, input: Array, axes: tuple[int, ...], *, freedom: float) -> Array:
    # PyTorch adds the squares up in double precision too.
    kept = input.ndim - len(axes)
    if input.dtype.kind == "f" and input.size and input.flags.c_contiguous and all(axis >= kept for axis in axes):
        size = input.shape[:kept]
        squares = _row_squares(xp, input.reshape(prod(size), -1)).reshape(size + (1,) * len(axes))
    else:
        wide = input.astype("complex128" if input.dtype.kind == "c" else "float64", copy=False)
        deviation = wide - average(xp, wide, axes)
        squares = total(xp, xp.square(xp.absolute(deviation) if deviation.dtype.kind == "c" else deviation), axes)
    return xp.true_divide(squares, squares.dtype.type(freedom))


def _row_squares(xp: Any, rows: Array) -> Array:
    """The squares of the distances from each row's mean, added up: a few rows at a time, in a fifth of the time."""
    count, length = rows.shape
    step = max(1, _BLOCK // length)
    found = xp.empty(count)
    for start in range(0, count, step):
        block = rows[start : start + step].astype("float64")
        block -= xp.einsum("ij->i", block)[:, None] / length
        found[start : start + step] = xp.einsum("ij,ij->i", block, block)
    return found


def _deviation(xp: Any, input: Array, axes: tuple[int, ...], *, freedom: float) -> Array:
    return xp.sqrt(_variance(xp, input, axes, freedom=freedom))


@operator(
    "reduction",
    out=True,
    samples=_samples,
    differs=OTHER_OUT,
    usual=usual_reductions.of_reduction(usual_reductions.variance, usual_reductions.floating, least=2, mixed=True),
)
@derivative(input=var_backward)
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


@operator(
    "reduction",
    out=True,
    samples=_samples,
    differs=OTHER_OUT,
    usual=usual_reductions.of_reduction(usual_reductions.deviation, usual_reductions.floating, least=2, mixed=True),
)
@derivative(
    input=lambda grad, input, result, dim, unbiased, correction, keepdim: var_backward(
        (grad / (2 * result)).masked_fill(result == 0, 0), input, dim, unbiased, correction, keepdim
    )
)
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


@operator("reduction", method=False, samples=_samples, differs=INFINITE_MEAN)
@derivative(input=var_mean_backward)
def var_mean(
    input: Tensor,
    dim: Dims | bool = None,
    unbiased: bool = True,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> tuple[Tensor, Tensor]:
    """The variance and the mean over dimensions `dim`, or over all."""
    return _with_mean("var_mean", _variance, input, dim, unbiased, correction, keepdim)


@operator("reduction", method=False, samples=_samples, differs=INFINITE_MEAN)
@derivative(input=std_mean_backward)
def std_mean(
    input: Tensor,
    dim: Dims | bool = None,
    unbiased: bool = True,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> tuple[Tensor, Tensor]:
    """The standard deviation and the mean over dimensions `dim`, or over all."""
    return _with_mean("std_mean", _deviation, input, dim, unbiased, correction, keepdim)


def _with_mean(
    name: str, kernel: Any, input: Tensor, dim: Any, unbiased: bool, correction: Any, keepdim: bool
) -> tuple[Tensor, Tensor]:
    check_tensor(name, input)
    if input._dtype.category < dtypes.FLOATING:
        raise RuntimeError(f"{name} only support floating point and complex dtypes")
    spread = _spread(name, kernel, input, dim, unbiased, correction, keepdim, None)
    return spread, mean(input, None if isinstance(dim, bool) else dim, keepdim)


# --- lengths and distances -------------------------------------------------------------------------------------------


def _norm_samples() -> Iterator[Sample]:
    for each in (2, 1, 0, 3.5, float("inf"), -float("inf"), "fro", None):
        yield sample(values(2, 3), each)
    yield sample(values(2, 3, 4), 2, (0, 2))
    yield sample(values(2, 3), 1, 1, True)
    yield sample(values(5))
    yield sample(values())


def check_norm_dtype(name: str, input: Tensor, dtype: DType | None) -> None:
    """Raise unless a norm of `input` can be computed in `dtype`."""
    check_floating(name, input)
    if dtype is None:
        return
    if dtype.category < dtypes.FLOATING:
        raise RuntimeError(f"{name}: dtype should be floating point or complex, but got {dtype.scalar_type}")
    if dtype.is_complex != input._dtype.is_complex:
        kind = "complex" if input._dtype.is_complex else "real"
        raise RuntimeError(f"{name}: dtype should be {kind} for {kind} inputs, but got {dtype.scalar_type}")
    if dtypes.promote_types(input._dtype, dtype) is not dtype:
        raise RuntimeError(
            f"{name}: the dtype of the input ({input._dtype.scalar_type}) should be convertible without narrowing to "
            f"the specified dtype ({dtype.scalar_type})"
        )


LENGTH = usual_reductions.of_reduction(
    usual_reductions.length, usual_reductions.floating, least=2, most_arguments=1, mixed=True
)


@operator("reduction", out=True, samples=_norm_samples, usual=LENGTH)
@derivative(
    node="LinalgVectorNormBackward0",
    input=lambda grad, input, result, p, dim, keepdim: (
        None if p == 0 else norm_backward(grad, input, result, p, dim, keepdim)  # a count of elements has none at all
    ),
)
def norm(
    input: Tensor,
    p: float | str | None = "fro",
    dim: Dims = None,
    keepdim: bool = False,
    *,
    out: Tensor | None = None,
    dtype: DType | None = None,
) -> Tensor:
    """The vector norm of order `p` over dimensions `dim`, or over all; with `dtype` of the elements converted to it."""
    check_tensor("norm", input)
    check_norm_dtype("linalg.vector_norm", input, dtype)
    if dtype is not None:
        input = input.to(dtype)
    check_out_dtype(out, input._dtype.to_real())
    if isinstance(p, str) and p != "fro":
        raise RuntimeError(f"linalg.matrix_norm: Order {p} not supported.")
    if p is not None and not isinstance(p, (str, *NUMBERS)):
        raise TypeError(f"linalg_vector_norm(): argument 'ord' (position 2) must be Number, not {type_name(p)}")
    several = dim if isinstance(dim, (tuple, list)) else () if dim is None else (dim,)
    if any(isinstance(each, bool) or not hasattr(each, "__index__") for each in several):
        found = f"tuple of ints, not {type_name(dim)}"
        if isinstance(dim, (tuple, list)):
            found = f"tuple of ints, but found element of type {type_name(dim[0])} at pos 0"
        raise TypeError(f"linalg_vector_norm(): argument 'dim' (position 3) must be {found}")
    order = 2.0 if p in ("fro", None) else float(p)
    axes = axes_of(len(input._size), dim)
    if order < 0 or order == float("inf"):
        refuse_empty(input, order, dim, axes)
    return reduce(_norm, input, axes, keepdim, input._dtype, input._dtype.to_real(), out, order=order)


def refuse_empty(input: Tensor, order: float, dim: Dims, axes: Sequence[int]) -> None:
    """A largest and a smallest element are there only where there are elements."""
    shown = f"linalg.vector_norm cannot compute the {order:g} norm on"
    if dim is None and 0 in input._size:
        raise RuntimeError(f"{shown} an empty tensor because the operation does not have an identity")
    for axis in axes:
        if input._size and input._size[axis] == 0:
            raise RuntimeError(
                f"{shown} the dimension {axis}because this dimension is empty and the operation does not have an "
                "identity"
            )


def _norm(xp: Any, input: Array, axes: tuple[int, ...], *, order: float) -> Array:
    lengths = xp.absolute(input)
    if order and all(input.shape[axis] == 1 for axis in axes):  # of one element, whose square might overflow
        return lengths
    if order == float("inf"):
        return xp.max(lengths, axis=axes, keepdims=True)
    if order == float("-inf"):
        return xp.min(lengths, axis=axes, keepdims=True)
    if order == 0:
        return xp.add.reduce(lengths != 0, axis=axes, keepdims=True)
    if order == 2:
        return xp.sqrt(total(xp, xp.square(lengths), axes))
    return xp.power(total(xp, xp.power(lengths, order), axes), 1 / order)


def _dist_samples() -> Iterator[Sample]:
    yield sample(values(5), values(5, seed=1))
    yield sample(values(2, 3), values(3, seed=1), 1)
    yield sample(values(2, 3), values(2, 3, seed=1), 3.0)


@operator("linear algebra", samples=_dist_samples)
@derivative(
    input=lambda grad, input, other, result, p: norm_backward(grad, input - other, result, p, None, False),
    other=lambda grad, input, other, result, p: -norm_backward(grad, input - other, result, p, None, False),
)
def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """The norm of order `p` of the difference."""
    check_tensor("dist", input)
    check_tensor("dist", other, "other", 2)
    difference = sub(input, other)
    if difference._dtype.category < dtypes.FLOATING:
        raise RuntimeError(
            "norm(): input dtype should be either floating point or complex. "
            f"Got {difference._dtype.scalar_type} instead."
        )
    return norm(difference, p)
