"""Along one dimension, element after element: cumsum, cumprod, cummax, cummin, logcumsumexp, and diff."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.dtype_info import finfo
from tensorglass.core.dtypes import comparable
from tensorglass.core.dtypes import dtype as DType
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.arg_parser.checks import check_int, holds_somewhere, not_implemented
from tensorglass.ops.copies.copy import copy_
from tensorglass.ops.creation.fill import zeros_like
from tensorglass.ops.declare import return_types
from tensorglass.ops.declare.reduction import refuse_whole_numbers, write_out
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.type_promotion import check_out_dtype
from tensorglass.ops.derivatives.shared import conj
from tensorglass.ops.derivatives.view_nodes import unsliced
from tensorglass.ops.kernels import half
from tensorglass.ops.kernels.cumulative import extremes_so_far, one_by_one, running, running_total
from tensorglass.ops.pointwise.arithmetic import sub
from tensorglass.ops.pointwise.comparison import logical_xor
from tensorglass.ops.rearrange.cat_stack import cat
from tensorglass.ops.reductions.max_min import OutPair, check_outputs, paired
from tensorglass.tensor.construct import from_array
from tensorglass.tensor.tensor import Tensor, array_of


def cumprod_backward(grad: Tensor, input: Tensor, result: Tensor, dim: int) -> Tensor:
    """The gradient of `cumprod`: each factor occurs in every product from its place on."""
    if input.numel() <= 1:
        return grad
    if not holds_somewhere(input == 0):
        return (grad * conj(result)).flip(dim).cumsum(dim).flip(dim) / conj(input)
    length = input._size[dim]
    parts = []
    for place in range(length):
        rest = [input.narrow(dim, at, 1) for at in range(place)]
        before = rest[0] if rest else None
        for slice_of_input in rest[1:]:
            before = before * slice_of_input
        total = grad.narrow(dim, place, 1) if before is None else grad.narrow(dim, place, 1) * conj(before)
        running = before
        for at in range(place + 1, length):
            factor = input.narrow(dim, at, 1)
            running = factor if running is None else running * factor
            total = total + grad.narrow(dim, at, 1) * conj(running)
        parts.append(total)
    gradient = input.new_zeros(input._size)
    for place, part in enumerate(parts):
        gradient = gradient + unsliced(part, input._size, dim, place, place + 1)
    return gradient


Kernel = Callable[..., Array]


def _cumulated(name: str, kernel: Kernel, input: Tensor, dim: int, dtype: DType | None, out: Tensor | None) -> Tensor:
    axis = geometry.wrap_dim(dim, max(len(input._size), 1))
    if out is not None:
        if out is input and dtype not in (None, input._dtype):
            own, other = dtypes.C_NAMES[input._dtype], dtypes.C_NAMES[dtype]
            raise RuntimeError(
                f"Bad in-place call: input tensor dtype {own} and output tensor dtype {other} should match"
            )
        check_out_dtype(None if dtype is None else out, dtype or out._dtype)
        dtype = out._dtype
    elif dtype is None:
        dtype = input._dtype if input._dtype.category >= dtypes.FLOATING else dtypes.int64
    if dtype is dtypes.bool and input._size and input.numel():
        raise NotImplementedError(f"\"{name}_out_cpu\" not implemented for 'Bool'")
    refuse_whole_numbers(input, dtype)
    if input._dtype.is_complex and not dtype.is_complex:
        input = input.to(input._dtype.to_real())  # warns about discarded imaginary parts
    backend = input._storage.backend
    array_dtypes = [backend.array_dtype(one_dtype) for one_dtype in (dtype, accumulated_in(dtype))]
    result = backend.launch(_accumulate, kernel, array_of(input), *array_dtypes, axis)
    if out is None:
        return from_array(result, dtype, input._storage)
    return write_out(result, input._size, out, dtype, (input,))


def accumulated_in(dtype: DType) -> DType:
    """The dtype in which running totals are kept, as PyTorch does: twice as precise as float32 and half types."""
    if dtype.is_floating_point and dtype.itemsize == 2:
        return dtypes.float32
    return {dtypes.float32: dtypes.float64, dtypes.complex64: dtypes.complex128}.get(dtype, dtype)


def _accumulate(xp: Any, kernel: Kernel, array: Array, dtype: Any, wide: Any, axis: int) -> Array:
    row = array.reshape(array.shape or (1,)).astype(dtype, copy=False)
    quick = running_total(xp, "add" if kernel is _running_sum else "multiply", row, axis)
    if quick is not None:
        return quick
    summed = kernel(xp, half.converted(row, wide), axis)
    return xp.ascontiguousarray(half.converted(summed, dtype)).reshape(array.shape)


def _running_sum(xp: Any, array: Array, axis: int) -> Array:
    total = one_by_one(xp, xp.add, array, axis)
    # PyTorch's sums begin at 0, and 0 + -0 is 0: so are those of negative zeros.
    return xp.add(total, 0, out=total) if total.dtype.kind in "fc" else total


def _running_product(xp: Any, array: Array, axis: int) -> Array:
    return one_by_one(xp, xp.multiply, array, axis)


@operator("cumulative", inplace=True, out=True)
@derivative(input=lambda grad, dim: grad.flip(dim).cumsum(dim).flip(dim) if grad._size else grad)
def cumsum(input: Tensor, dim: int, *, dtype: DType | None = None, out: Tensor | None = None) -> Tensor:
    """The sums of the elements up to each, along `dim`. Integers are added as int64."""
    return _cumulated("cumsum", _running_sum, input, dim, dtype, out)


@operator("cumulative", inplace=True, out=True)
@derivative(input=cumprod_backward)
def cumprod(input: Tensor, dim: int, *, dtype: DType | None = None, out: Tensor | None = None) -> Tensor:
    """The products of the elements up to each, along `dim`. Integers are multiplied as int64."""
    return _cumulated("cumprod", _running_product, input, dim, dtype, out)


# --- extremes and logarithms -----------------------------------------------------------------------------------------


def _cummaxmin_backward(grad: Tensor, result1: Tensor, input: Tensor, dim: int) -> Tensor:
    """An element's gradient is the sum of the gradients of all results that are this element."""
    if not input.numel():
        return input  # nothing, as in PyTorch
    return grad.new_zeros(input._size).scatter_add(dim, result1, grad) if input._size else grad


def _cummax_or_cummin(pair: Any, accumulate: str, input: Tensor, dim: int, out: OutPair) -> Any:
    name = pair.__name__
    if not input._size and dim not in (-1, 0):
        raise IndexError(f"{name}(): Expected reduction dim -1 or 0 for scalar but got {dim}")
    axis = geometry.wrap_dim(dim, max(len(input._size), 1))
    check_outputs(out, input._dtype)
    if input._dtype.is_complex and input._size and input.numel():
        raise not_implemented(f"{name}_cpu", input._dtype)
    compute = input._storage.backend.array_dtype(comparable(input._dtype))
    extremes = input._storage.backend.launch(extremes_so_far, array_of(input), compute, axis, accumulate)
    return paired(pair, extremes, input, input._size, out, apart=False)


@operator("cumulative", out=True)
@derivative(outputs=1, real_only="cummax", input=_cummaxmin_backward)
def cummax(input: Tensor, dim: int, *, out: OutPair = None) -> Any:
    """The largest element up to each, along `dim`, and where it stands: of equals, the last. NaN is the largest."""
    return _cummax_or_cummin(return_types.cummax, "maximum", input, dim, out)


@operator("cumulative", out=True)
@derivative(outputs=1, real_only="cummin", input=_cummaxmin_backward)
def cummin(input: Tensor, dim: int, *, out: OutPair = None) -> Any:
    """The smallest element up to each, along `dim`, and where it stands: of equals, the last. NaN is the smallest."""
    return _cummax_or_cummin(return_types.cummin, "minimum", input, dim, out)


@recorded
@derivative(
    node="SubBackward0",
    grad_output=lambda grad, input, output, dim: _weighted_powers(grad, input, output, dim),
    input=lambda grad, result: conj(grad) * result,
    output=lambda grad, grad_output, input, output, dim: (
        -grad_output * conj(_weighted_powers(grad, input, output, dim))
    ),
)
def logcumsumexp_backward(grad_output: Tensor, input: Tensor, output: Tensor, dim: int) -> Tensor:
    """Each exponential's share of the sums from its place on, weighted by their gradients; in logarithms."""

    def shares(logarithm: Tensor) -> Tensor:
        return (logcumsumexp((logarithm - conj(output)).flip(dim), dim).flip(dim) + conj(input)).exp()

    if input._dtype.is_complex:
        return shares(grad_output.log())
    size, none = grad_output.abs().log(), grad_output.new_full((), finfo(grad_output._dtype).min)
    return shares(size.where(grad_output > 0, none)) - shares(size.where(grad_output < 0, none))


def _weighted_powers(weights: Tensor, input: Tensor, output: Tensor, dim: int) -> Tensor:
    """The sums of the exponentials up to each place, weighted, over the plain sums: the transpose of the above."""
    weights, powers, totals = (tensor.flip(dim) for tensor in (weights, -conj(output), -conj(input)))
    gradient: Tensor = logcumsumexp_backward(weights, powers, totals, dim)
    return gradient.flip(dim)


@operator("cumulative", out=True)
@derivative(
    input=lambda grad, input, result, dim: (
        logcumsumexp_backward(grad, input, result, dim) if input._size and input.numel() else grad
    )
)
def logcumsumexp(input: Tensor, dim: int, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the sum of e to the power of the elements up to each, along `dim`, without overflow."""
    axis, dtype = geometry.wrap_dim(dim, max(len(input._size), 1)), input._dtype
    if out is not None and out._dtype is not dtype:
        raise RuntimeError(f"expected scalar_type {dtype.scalar_type} but found {out._dtype.scalar_type}")
    if dtype.category < dtypes.FLOATING:
        raise not_implemented("logcumsumexp_out_cpu", dtype)
    backend = input._storage.backend
    array_dtypes = [backend.array_dtype(one_dtype) for one_dtype in (dtype, accumulated_in(dtype))]
    result = backend.launch(_log_of_sums, array_of(input), *array_dtypes, axis)
    if out is None:
        return from_array(result, dtype, input._storage)
    return write_out(result, input._size, out, dtype, (input,))


def _log_of_sums(xp: Any, array: Array, dtype: Any, wide: Any, axis: int) -> Array:
    row = array.reshape(array.shape or (1,)).astype(wide, copy=False)
    summed = _complex_log_of_sums(xp, row, axis) if row.dtype.kind == "c" else running(xp, xp.logaddexp, row, axis)
    return xp.ascontiguousarray(summed.astype(dtype, copy=False)).reshape(array.shape)


def _complex_log_of_sums(xp: Any, array: Array, axis: int) -> Array:
    """The logarithms of complex numbers, each sum made of the one before: angles beyond a turn depend on the order."""
    result = xp.moveaxis(array, axis, 0).copy()
    for place in range(1, len(result)):
        one, other = result[place - 1], result[place]
        is_less = one.real < other.real
        high, low = xp.where(is_less, other, one), xp.where(is_less, one, other)
        result[place] = xp.where(low.real == -xp.inf, high, high + xp.log(1 + xp.exp(low - high)))
    return xp.moveaxis(result, 0, axis)


# --- differences -----------------------------------------------------------------------------------------------------


@operator("cumulative", out=True, differs="an `out` of another dtype is written if that can take the result in")
def diff(
    input: Tensor,
    n: int = 1,
    dim: int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The differences of neighbours along `dim`, taken `n` times; `prepend` and `append` are joined to it before."""
    if not input._size:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    axis = geometry.wrap_dim(dim, len(input._size))
    if check_int("diff", "n", 2, n) < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    for tensor in (prepend, append):
        if tensor is not None and len(tensor._size) != len(input._size):
            raise RuntimeError("diff expects prepend or append to be the same dimension as input")
        for place, (own, joined) in enumerate(zip(input._size, () if tensor is None else tensor._size, strict=False)):
            if place != axis and own != joined:
                raise RuntimeError(
                    "diff expects the shape of tensor to prepend or append to match that of input except along the "
                    f"differencing dimension; input.size({place}) = {own}, but got tensor.size({place}) = {joined}"
                )
    if n and (prepend is not None or append is not None):
        input = cat([tensor for tensor in (prepend, input, append) if tensor is not None], axis)
    result = copy_(zeros_like(input), input) if n == 0 else input
    sources: tuple[Tensor, ...] = (input,)
    for _ in range(min(n, input._size[axis])):
        length = result._size[axis] - 1
        later, earlier = result.narrow(axis, 1, length), result.narrow(axis, 0, length)
        sources = (later, earlier)
        result = logical_xor(later, earlier) if input._dtype is dtypes.bool else sub(later, earlier)
    if out is None:
        return result
    return write_out(array_of(result), result._size, out, result._dtype, sources)
