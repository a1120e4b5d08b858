"""How far elements lie from their mean: var, std, and both with the mean, var_mean, std_mean."""

from __future__ import annotations

from math import inf, nan, prod
from typing import Any

from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.errors import warn
from tensorglass.graph.derivative import derivative
from tensorglass.ops.arg_parser.bool_arguments import Correction, DimsOrFlag
from tensorglass.ops.declare.reduction import axes_of, reduce
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.derivatives.shared import reduced_axes, reduced_count, restore_reduced_dims, sum_backward
from tensorglass.ops.kernels.sum import total
from tensorglass.ops.reductions.sum_mean_prod import OTHER_OUT, average, mean
from tensorglass.tensor.tensor import Tensor


def var_backward(
    grad: Tensor, input: Tensor, dim: Any, unbiased: bool, correction: float | None, keepdim: bool
) -> Tensor:
    """The gradient of a variance."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if correction is None:
        correction = int(unbiased)
    count = reduced_count(input._size, dim) - correction
    axes = reduced_axes(len(input._size), dim)
    middle = input.mean() if dim is None or not input._size else input.mean(axes, True)
    if count <= 0 and (dim is None or not input._size):  # the variance is nan, and so is its slope
        return sum_backward(grad, input._size, dim, keepdim) * input.detach().new_full(input._size, nan)
    wide = grad if dim is None else restore_reduced_dims(grad, input._size, dim, keepdim)
    return wide * (2.0 / count if count else inf) * (input - middle)


def var_mean_backward(arrived: Any, input: Tensor, dim: Any, unbiased: bool, correction: Any, keepdim: bool) -> Tensor:
    """The gradient of `var_mean`."""
    axes = None if isinstance(dim, bool) else dim
    of_var, of_mean = arrived
    if of_mean is None:
        return var_backward(of_var, input, dim, unbiased, correction, keepdim)
    mean = sum_backward(of_mean, input._size, axes, keepdim) / reduced_count(input._size, axes)
    return mean if of_var is None else var_backward(of_var, input, dim, unbiased, correction, keepdim) + mean


def std_mean_backward(
    arrived: Any, input: Tensor, result: Tensor, dim: Any, unbiased: bool, correction: Any, keepdim: bool
) -> Tensor:
    """The gradient of `std_mean`."""
    of_std, of_mean = arrived
    if of_std is not None:
        of_std = (of_std / (2 * result)).masked_fill(result == 0, 0)
    return var_mean_backward((of_std, of_mean), input, dim, unbiased, correction, keepdim)


INFINITE_MEAN = "the mean of infinities is infinite, as `mean` has it; PyTorch gives nan here"


def _variance_of(
    name: str, kernel: Any, input: Tensor, dim: Any, unbiased: bool, correction: Any, keepdim: bool, out: Tensor | None
) -> Tensor:
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
    if isinstance(correction, complex):
        raise RuntimeError("value cannot be converted to type double without overflow")
    if count <= correction:
        warn(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor "
            "(input numel divided by output numel)."
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
    """The squares of the distances from each row's mean, added up, a few rows at a time."""
    count, length = rows.shape
    step = max(1, _BLOCK // length)
    result = xp.empty(count)
    for start in range(0, count, step):
        block = rows[start : start + step].astype("float64")
        block -= xp.einsum("ij->i", block)[:, None] / length
        result[start : start + step] = xp.einsum("ij,ij->i", block, block)
    return result


def _deviation(xp: Any, input: Array, axes: tuple[int, ...], *, freedom: float) -> Array:
    return xp.sqrt(_variance(xp, input, axes, freedom=freedom))


@operator("reduction", out=True, differs=OTHER_OUT)
@derivative(input=var_backward)
def var(
    input: Tensor,
    dim: DimsOrFlag = None,
    unbiased: bool = True,
    keepdim: bool = False,
    *,
    correction: Correction = None,
    out: Tensor | None = None,
) -> Tensor:
    """The variance over dimensions `dim`, or over all: the sum of squared deviations divided by n - `correction`, by
    default 1.
    """
    return _variance_of("var", _variance, input, dim, unbiased, correction, keepdim, out)


@operator("reduction", out=True, differs=OTHER_OUT)
@derivative(
    input=lambda grad, input, result, dim, unbiased, correction, keepdim: var_backward(
        (grad / (2 * result)).masked_fill(result == 0, 0), input, dim, unbiased, correction, keepdim
    )
)
def std(
    input: Tensor,
    dim: DimsOrFlag = None,
    unbiased: bool = True,
    keepdim: bool = False,
    *,
    correction: Correction = None,
    out: Tensor | None = None,
) -> Tensor:
    """The square root of `var`."""
    return _variance_of("std", _deviation, input, dim, unbiased, correction, keepdim, out)


@operator("reduction", method=False, differs=INFINITE_MEAN)
@derivative(input=var_mean_backward)
def var_mean(
    input: Tensor,
    dim: DimsOrFlag = None,
    unbiased: bool = True,
    keepdim: bool = False,
    *,
    correction: Correction = None,
) -> tuple[Tensor, Tensor]:
    """The variance and the mean over dimensions `dim`, or over all."""
    return _var_and_mean("var_mean", _variance, input, dim, unbiased, correction, keepdim)


@operator("reduction", method=False, differs=INFINITE_MEAN)
@derivative(input=std_mean_backward)
def std_mean(
    input: Tensor,
    dim: DimsOrFlag = None,
    unbiased: bool = True,
    keepdim: bool = False,
    *,
    correction: Correction = None,
) -> tuple[Tensor, Tensor]:
    """The standard deviation and the mean over dimensions `dim`, or over all."""
    return _var_and_mean("std_mean", _deviation, input, dim, unbiased, correction, keepdim)


def _var_and_mean(
    name: str, kernel: Any, input: Tensor, dim: Any, unbiased: bool, correction: Any, keepdim: bool
) -> tuple[Tensor, Tensor]:
    if input._dtype.category < dtypes.FLOATING:
        raise RuntimeError(f"{name} only support floating point and complex dtypes")
    variance = _variance_of(name, kernel, input, dim, unbiased, correction, keepdim, None)
    return variance, mean(input, None if isinstance(dim, bool) else dim, keepdim)
