"""Along one dimension, up to each element: the largest so far, the smallest so far, the logarithm of summed powers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST
from tensorglass.core import dtypes
from tensorglass.core.dtype_info import finfo
from tensorglass.core.dtypes import comparable
from tensorglass.core.dtypes import dtype as DType
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.arg_parser.checks import check_tensor
from tensorglass.ops.arg_parser.missing_dtypes import not_implemented, refuse_unwritten
from tensorglass.ops.declare import return_types
from tensorglass.ops.declare.reduction import write_out
from tensorglass.ops.declare.registry import Sample, operator, sample
from tensorglass.ops.declare.samples import values
from tensorglass.ops.derivatives.formulas import conj
from tensorglass.ops.kernels.cumulative import running
from tensorglass.ops.reductions.cumulative import accumulated_in
from tensorglass.ops.reductions.values_and_indices import OutPair, check_outputs, elements_at, paired
from tensorglass.tensor.construct import from_array
from tensorglass.tensor.tensor import Tensor, array_of


def _samples() -> Iterator[Sample]:
    yield sample(values(5), 0)
    yield sample(values(2, 3), 1)
    yield sample(values(2, 3, 4), -2)
    yield sample(values(0, 3), 0)
    yield sample(values(), 0)


def _found(target: Tensor, wanted: DType, role: str) -> Exception:
    return RuntimeError(f"expected scalar_type {wanted.scalar_type} but found {target._dtype.scalar_type}")


def _gradient(grad: Tensor, result1: Tensor, input: Tensor, dim: int) -> Tensor:
    """An element's gradient is the sum of those of all results that it is."""
    if not input.numel():
        return input  # nothing, as PyTorch has it
    return grad.new_zeros(input._size).scatter_add(dim, result1, grad) if input._size else grad


def _extreme(pair: Any, accumulate: str, input: Tensor, dim: int, out: OutPair) -> Any:
    name = pair.__name__
    check_tensor(name, input)
    if not input._size and dim not in (-1, 0):
        raise IndexError(f"{name}(): Expected reduction dim -1 or 0 for scalar but got {dim}")
    axis = geometry.wrap_dim(dim, max(len(input._size), 1))
    check_outputs(out, input._dtype, _found)
    if input._dtype.is_complex and input._size and input.numel():
        raise not_implemented(f"{name}_cpu", input._dtype)
    if input._size and input.numel():
        refuse_unwritten(f"{name}_cpu", input._dtype)
    compute = input._storage.backend.array_dtype(comparable(input._dtype))
    found = input._storage.backend.launch(_extremes, array_of(input), compute, axis, accumulate)
    return paired(pair, found, input, input._size, out, apart=False)


def _extremes(xp: Any, array: Array, compute: Any, axis: int, accumulate: str) -> tuple[Array, Array]:
    """The extreme element up to each along `axis`, and where it was seen last."""
    array = array.reshape(array.shape or (1,))
    if not array.size:
        return array.copy(), xp.empty(array.shape, "int64")
    numbers = array.astype(compute, copy=False)
    extreme = running(xp, getattr(xp, accumulate), numbers, axis)
    is_new = numbers == extreme
    has_nan = numbers.dtype.kind == "f" and bool(xp.isnan(extreme.max()))
    if has_nan:
        is_new |= xp.isnan(numbers)
    if xp is HOST.xp and axis == array.ndim - 1:
        return _held(xp, array, is_new)
    # Numbers of 32 bits are compared several at a time.
    narrow = "int32" if array.shape[axis] < 2**31 else "int64"
    places = xp.arange(array.shape[axis], dtype=narrow).reshape((-1,) + (1,) * (array.ndim - axis - 1))
    positions = xp.ascontiguousarray(running(xp, xp.maximum, is_new * places, axis), "int64")
    if has_nan or not bool(extreme.all()):  # zeros and NaNs have signs
        extreme = elements_at(xp, array, positions, axis)
    return xp.ascontiguousarray(extreme, array.dtype), positions


def _held(xp: Any, array: Array, is_new: Array) -> tuple[Array, Array]:
    """The last elements that are new up to each, along the last dimension, and their positions; the first ones are new.

    Each is repeated as long as it holds: 2 ms for a million, where running maxima of positions take 8.
    """
    length = array.shape[-1]
    starts = is_new.reshape(-1).nonzero()[0]
    times = xp.empty_like(starts)
    times[:-1] = starts[1:] - starts[:-1]
    times[-1:] = array.size - starts[-1:]
    values, positions = array.reshape(-1)[starts], starts % length if array.size > length else starts
    return values.repeat(times).reshape(array.shape), positions.repeat(times).reshape(array.shape)


@operator("cumulative", out=True, samples=_samples)
@derivative(outputs=1, real_only="cummax", input=_gradient)
def cummax(input: Tensor, dim: int, *, out: OutPair = None) -> Any:
    """The largest element up to each, along `dim`, and where it stands: of equals, the last. NaN is the largest."""
    return _extreme(return_types.cummax, "maximum", input, dim, out)


@operator("cumulative", out=True, samples=_samples)
@derivative(outputs=1, real_only="cummin", input=_gradient)
def cummin(input: Tensor, dim: int, *, out: OutPair = None) -> Any:
    """The smallest element up to each, along `dim`, and where it stands: of equals, the last. NaN is the smallest."""
    return _extreme(return_types.cummin, "minimum", input, dim, out)


@derivative(
    node="SubBackward0",
    grad_output=lambda grad, input, output, dim: _weighted_powers(grad, input, output, dim),
    input=lambda grad, result: conj(grad) * result,
    output=lambda grad, grad_output, input, output, dim: (
        -grad_output * conj(_weighted_powers(grad, input, output, dim))
    ),
)
def _logcumsumexp_backward(grad_output: Tensor, input: Tensor, output: Tensor, dim: int) -> Tensor:
    def shares(logarithm: Tensor) -> Tensor:
        return (logcumsumexp((logarithm - conj(output)).flip(dim), dim).flip(dim) + conj(input)).exp()

    if input._dtype.is_complex:
        return shares(grad_output.log())
    size, none = grad_output.abs().log(), grad_output.new_full((), finfo(grad_output._dtype).min)
    return shares(size.where(grad_output > 0, none)) - shares(size.where(grad_output < 0, none))


#: For each power its share in the sums from its place on, found by logarithms. It has a derivative of its own:
#: that of a logarithm would be NaN where a gradient is 0.
logcumsumexp_backward: Any = recorded(_logcumsumexp_backward)


def _weighted_powers(weights: Tensor, input: Tensor, output: Tensor, dim: int) -> Tensor:
    """The sums of the powers up to each place, times `weights`, over those without: the transpose of the above."""
    weights, powers, totals = (each.flip(dim) for each in (weights, -conj(output), -conj(input)))
    found: Tensor = logcumsumexp_backward(weights, powers, totals, dim)
    return found.flip(dim)


@operator("cumulative", out=True, samples=_samples)
@derivative(
    input=lambda grad, input, result, dim: (
        logcumsumexp_backward(grad, input, result, dim) if input._size and input.numel() else grad
    )
)
def logcumsumexp(input: Tensor, dim: int, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the sum of e to the power of the elements up to each, along `dim`, without overflow."""
    check_tensor("logcumsumexp", input)
    axis, dtype = geometry.wrap_dim(dim, max(len(input._size), 1)), input._dtype
    if out is not None and out._dtype is not dtype:
        raise _found(out, dtype, "")
    if dtype.category < dtypes.FLOATING:
        raise not_implemented("logcumsumexp_out_cpu", dtype)
    backend = input._storage.backend
    array_dtypes = [backend.array_dtype(each) for each in (dtype, accumulated_in(dtype))]
    result = backend.launch(_summed, array_of(input), *array_dtypes, axis)
    if out is None:
        return from_array(result, dtype, input._storage)
    return write_out(result, input._size, out, dtype, (input,))


def _summed(xp: Any, array: Array, dtype: Any, wide: Any, axis: int) -> Array:
    row = array.reshape(array.shape or (1,)).astype(wide, copy=False)
    summed = _one_by_one(xp, row, axis) if row.dtype.kind == "c" else running(xp, xp.logaddexp, row, axis)
    return xp.ascontiguousarray(summed.astype(dtype, copy=False)).reshape(array.shape)


def _one_by_one(xp: Any, array: Array, axis: int) -> Array:
    """The logarithms of complex numbers, each sum made of the one before: angles beyond a turn depend on the order."""
    result = xp.moveaxis(array, axis, 0).copy()
    for place in range(1, len(result)):
        one, other = result[place - 1], result[place]
        is_less = one.real < other.real
        high, low = xp.where(is_less, other, one), xp.where(is_less, one, other)
        result[place] = xp.where(low.real == -xp.inf, high, high + xp.log(1 + xp.exp(low - high)))
    return xp.moveaxis(result, 0, axis)
