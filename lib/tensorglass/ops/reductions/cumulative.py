"""Along one dimension, element after element: running sums and products, and differences of neighbours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.dtypes import dtype as DType
from tensorglass.graph.derivative import derivative
from tensorglass.ops.arg_parser.checks import check_int, check_tensor
from tensorglass.ops.arg_parser.missing_dtypes import refuse_unwritten
from tensorglass.ops.copies.copy import copy_
from tensorglass.ops.creation.fill import zeros_like
from tensorglass.ops.declare.reduction import refuse_whole_numbers, write_out
from tensorglass.ops.declare.registry import Sample, operator, sample
from tensorglass.ops.declare.samples import values
from tensorglass.ops.declare.type_promotion import check_out_dtype
from tensorglass.ops.derivatives.formulas import cumprod_backward
from tensorglass.ops.kernels import half as half_types
from tensorglass.ops.kernels.cumulative import one_by_one, running_total
from tensorglass.ops.pointwise.arithmetic import sub
from tensorglass.ops.pointwise.comparison import logical_xor
from tensorglass.ops.rearrange.cat_stack import cat
from tensorglass.ops.views.shape import narrow
from tensorglass.tensor.construct import from_array
from tensorglass.tensor.tensor import Tensor, array_of

Kernel = Callable[..., Array]


def _samples() -> Iterator[Sample]:
    yield sample(values(5, low=0.5, high=1.5), 0)
    yield sample(values(2, 3, low=0.5, high=1.5), 1)
    yield sample(values(2, 3, 2, low=0.5, high=1.5), -2)
    yield sample(values(0, 3), 0)
    yield sample(values(), 0)


def _run(name: str, kernel: Kernel, input: Tensor, dim: int, dtype: DType | None, out: Tensor | None) -> Tensor:
    check_tensor(name, input)
    axis = geometry.wrap_dim(dim, max(len(input._size), 1))
    if out is not None:
        check_out_dtype(None if dtype is None else out, dtype or out._dtype)
        dtype = out._dtype
    elif dtype is None:
        dtype = input._dtype if input._dtype.category >= dtypes.FLOATING else dtypes.int64
    if dtype is dtypes.bool and input._size and input.numel():
        raise NotImplementedError(f"\"{name}_out_cpu\" not implemented for 'Bool'")
    if input._size and input.numel():
        refuse_unwritten(f"{name}_out_cpu", dtype)
    refuse_whole_numbers(input, dtype)
    if input._dtype.is_complex and not dtype.is_complex:
        input = input.to(input._dtype.to_real())  # which says what is lost
    backend = input._storage.backend
    array_dtypes = [backend.array_dtype(each) for each in (dtype, accumulated_in(dtype))]
    result = backend.launch(_along, kernel, array_of(input), *array_dtypes, axis)
    if out is None:
        return from_array(result, dtype, input._storage)
    return write_out(result, input._size, out, dtype, (input,))


def accumulated_in(dtype: DType) -> DType:
    """The dtype in which running totals are kept, as PyTorch does: twice as precise as float32 and half types."""
    if dtype.is_floating_point and dtype.itemsize == 2:
        return dtypes.float32
    return {dtypes.float32: dtypes.float64, dtypes.complex64: dtypes.complex128}.get(dtype, dtype)


def _along(xp: Any, kernel: Kernel, array: Array, dtype: Any, wide: Any, axis: int) -> Array:
    row = array.reshape(array.shape or (1,)).astype(dtype, copy=False)
    quick = running_total(xp, "add" if kernel is _sum else "multiply", row, axis)
    if quick is not None:
        return quick
    summed = kernel(xp, half_types.converted(row, wide), axis)
    return xp.ascontiguousarray(half_types.converted(summed, dtype)).reshape(array.shape)


def _sum(xp: Any, array: Array, axis: int) -> Array:
    total = one_by_one(xp, xp.add, array, axis)
    # PyTorch's sums begin at 0, and 0 + -0 is 0: so are those of negative zeros.
    return xp.add(total, 0, out=total) if total.dtype.kind in "fc" else total


def _product(xp: Any, array: Array, axis: int) -> Array:
    return one_by_one(xp, xp.multiply, array, axis)


def _check_own_dtype(input: Tensor, dtype: DType | None) -> None:
    if dtype is not None and dtype is not input._dtype:
        raise RuntimeError(
            f"Bad in-place call: input tensor dtype {dtypes.C_NAMES[input._dtype]} and output tensor dtype "
            f"{dtypes.C_NAMES[dtype]} should match"
        )


def cumsum_(input: Tensor, dim: int, *, dtype: DType | None = None) -> Tensor:
    """`cumsum`, written to `input`."""
    _check_own_dtype(input, dtype)
    return _run("cumsum", _sum, input, dim, dtype, input)


@operator("cumulative", inplace=cumsum_, out=True, samples=_samples)
@derivative(input=lambda grad, dim: grad.flip(dim).cumsum(dim).flip(dim) if grad._size else grad)
def cumsum(input: Tensor, dim: int, *, dtype: DType | None = None, out: Tensor | None = None) -> Tensor:
    """The sums of the elements up to each, along `dim`. Integers are added as int64."""
    return _run("cumsum", _sum, input, dim, dtype, out)


def cumprod_(input: Tensor, dim: int, *, dtype: DType | None = None) -> Tensor:
    """`cumprod`, written to `input`."""
    _check_own_dtype(input, dtype)
    return _run("cumprod", _product, input, dim, dtype, input)


@operator("cumulative", inplace=cumprod_, out=True, samples=_samples)
@derivative(input=cumprod_backward)
def cumprod(input: Tensor, dim: int, *, dtype: DType | None = None, out: Tensor | None = None) -> Tensor:
    """The products of the elements up to each, along `dim`. Integers are multiplied as int64."""
    return _run("cumprod", _product, input, dim, dtype, out)


def _diff_samples() -> Iterator[Sample]:
    yield sample(values(5))
    yield sample(values(3, 4), 2)
    yield sample(values(3, 4), 1, 0)
    yield sample(values(5), 0)
    yield sample(values(2, 3), 1, -1, values(2, 1, seed=1), values(2, 2, seed=2))
    yield sample(values(1))


@operator(
    "cumulative",
    out=True,
    samples=_diff_samples,
    differs="an `out` of another dtype is written if that can take the result in",
)
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
    check_tensor("diff", input)
    if not input._size:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    axis = geometry.wrap_dim(dim, len(input._size))
    if check_int("diff", "n", 2, n) < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    for each in (prepend, append):
        if each is not None and len(each._size) != len(input._size):
            raise RuntimeError("diff expects prepend or append to be the same dimension as input")
        for place, (own, joined) in enumerate(zip(input._size, () if each is None else each._size, strict=False)):
            if place != axis and own != joined:
                raise RuntimeError(
                    "diff expects the shape of tensor to prepend or append to match that of input except along the "
                    f"differencing dimension; input.size({place}) = {own}, but got tensor.size({place}) = {joined}"
                )
    if n and (prepend is not None or append is not None):
        input = cat([each for each in (prepend, input, append) if each is not None], axis)
    result = copy_(zeros_like(input), input) if n == 0 else input
    sources: tuple[Tensor, ...] = (input,)
    for _ in range(min(n, input._size[axis])):
        length = result._size[axis] - 1
        later, earlier = narrow(result, axis, 1, length), narrow(result, axis, 0, length)
        sources = (later, earlier)
        result = logical_xor(later, earlier) if input._dtype is dtypes.bool else sub(later, earlier)
    if out is None:
        return result
    return write_out(array_of(result), result._size, out, result._dtype, sources)
