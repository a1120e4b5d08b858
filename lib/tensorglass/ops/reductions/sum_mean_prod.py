"""Reductions: sums, means, products and truth over some or all dimensions. `declare.reduction` does the common part."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import explained
from tensorglass.geometry import remembered
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import is_recorded, no_out_with_gradients
from tensorglass.ops.arg_parser.bool_arguments import KeepDim, StatedDim
from tensorglass.ops.arg_parser.checks import holds_somewhere, ints, invalid_combination
from tensorglass.ops.declare.reduction import Dims, axes_of, reduce, reduction, refuse_whole_numbers
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.type_promotion import check_out_dtype
from tensorglass.ops.derivatives.shared import conj, reduced_count, restore_reduced_dims, sum_backward
from tensorglass.ops.kernels import sum as sums
from tensorglass.ops.kernels.sum import average, total
from tensorglass.ops.pointwise.arithmetic import div
from tensorglass.ops.views.shape import reshape
from tensorglass.tensor.tensor import Tensor


def prod_backward(grad: Tensor, input: Tensor, result: Tensor, dim: int | None, keepdim: bool) -> Tensor:
    """The gradient of a product: for each factor the product of all others."""
    if not input._size:
        return grad.clone()
    if not holds_somewhere(input == 0):
        if dim is None:
            return grad * conj(result / input)
        return restore_reduced_dims(grad, input._size, dim, keepdim) * conj(
            restore_reduced_dims(result, input._size, dim, keepdim) / input
        )
    flat = input.reshape(-1) if dim is None else input.movedim(dim, -1)
    count = flat._size[-1]
    diagonal = input.new_zeros((count, count)).fill_diagonal_(1) != 0
    others = flat.unsqueeze(-2).expand((*flat._size[:-1], count, count)).masked_fill(diagonal, 1).prod(-1)
    others = others.reshape(input._size) if dim is None else others.movedim(-1, dim)
    return restore_reduced_dims(grad, input._size, dim, keepdim) * conj(others)


def by_dim(name: str) -> Callable[[Any], str]:
    """PyTorch's name of a reduction's node: it tells reductions of everything, 0, from those along a dimension, 1."""
    return lambda dim: f"{name}Backward{int(dim is not None)}"


OTHER_OUT = "an `out` of another dtype is written if that can take the result in; PyTorch refuses some of them"


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


@reduction(
    _widened,
    takes_dtype=True,
    check_out=_out_wants_dim("sum", "tuple of ints"),
    keeps_all=False,
)
@derivative(
    node=by_dim("Sum"), input=lambda grad, input_size, dim, keepdim: sum_backward(grad, input_size, dim, keepdim)
)
def sum(xp: Any, input: Array, axes: tuple[int, ...]) -> Array:
    """The sum over dimensions `dim`, or over all. Integers are added as int64."""
    return total(xp, input, axes)


@operator("reduction", function=False)
def sum_to_size(input: Tensor, *size: Any) -> Tensor:
    """The sum over every dimension along which a tensor of `size` would be expanded to this one."""
    wanted = ints("sum_to_size", size, "(tuple of ints size)")
    axes = geometry.summed_dims(input._size, wanted)
    if axes is None:
        raise RuntimeError(f"size {{{list(wanted)}}} is not expandable to size {{{list(input._size)}}}.")
    if not wanted:
        return sum(input)
    total = sum(input, axes, True) if axes else input
    return total if total._size == wanted else reshape(total, wanted)


def _nansum_is_real(input: Tensor, axes: tuple[int, ...], dim: Dims) -> None:
    if input._dtype.is_complex:
        raise RuntimeError("nansum on CPU does not support complex inputs")


@reduction(_widened, takes_dtype=True, check=_nansum_is_real, differs=OTHER_OUT)
@derivative(input=lambda grad, input, dim, keepdim: sum_backward(grad, input._size, dim, keepdim) * (input == input))
def nansum(xp: Any, input: Array, axes: tuple[int, ...]) -> Array:
    """The sum over dimensions `dim`, or over all, NaN counted as zero."""
    return sums.nan_total(xp, input, axes)


@operator("reduction", out=True, differs=OTHER_OUT)
@derivative(
    node=by_dim("Mean"),
    input=lambda grad, input_size, dim, keepdim: (
        sum_backward(grad, input_size, dim, keepdim) / reduced_count(input_size, dim)
    ),
)
def mean(
    input: Tensor, dim: Dims = None, keepdim: KeepDim = False, *, dtype: DType | None = None, out: Tensor | None = None
) -> Tensor:
    """The mean over dimensions `dim`, or over all."""
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
    if dtype is not None:
        check_out_dtype(out, dtype)
    return reduce(average, input, axes_of(len(input._size), dim), keepdim, compute, compute, out)


@operator("reduction", out=True)
@derivative(node=by_dim("Prod"), input=prod_backward)
def prod(
    input: Tensor,
    dim: StatedDim = None,
    keepdim: KeepDim = False,
    *,
    dtype: DType | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The product over dimension `dim`, or over all. Integers are multiplied as int64."""
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
    check_out_dtype(out, dtype)
    refuse_whole_numbers(input, dtype)
    return reduce(_prod, input, axes_of(len(input._size), dim), keepdim, dtype, dtype, out)


_SIDE_BY_SIDE = 1024  #: products that are multiplied up beside each other, which a processor does many at a time


def _prod(xp: Any, input: Array, axes: tuple[int, ...]) -> Array:
    if len(axes) == input.ndim and input.size >= 16 * _SIDE_BY_SIDE and input.flags.c_contiguous:
        # In one chain each multiplication would wait for the one before.
        row = input.reshape(-1)
        whole = row.size // _SIDE_BY_SIDE * _SIDE_BY_SIDE
        products = xp.multiply.reduce(row[:whole].reshape(-1, _SIDE_BY_SIDE), axis=0)
        rest = xp.multiply.reduce(row[whole:])
        return (xp.multiply.reduce(products) * rest).reshape((1,) * input.ndim)
    width = _width(input.shape[-1]) if axes == (input.ndim - 1,) and input.flags.c_contiguous else 0
    if width and input.dtype.kind == "f" and input.size >= 4 * _SIDE_BY_SIDE:  # the same by rows
        products = xp.multiply.reduce(input.reshape(*input.shape[:-1], -1, width), axis=-2)
        return xp.multiply.reduce(products, axis=-1, keepdims=True)
    return xp.multiply.reduce(input, axis=axes, keepdims=True)


@remembered
def _width(length: int) -> int:
    """How many of a row's products are multiplied up beside each other; 0 where that does not come out even."""
    return next((width for width in range(128, 31, -1) if length % width == 0 and length >= 4 * width), 0)


def _truth(computed: DType) -> DType:
    return dtypes.uint8 if computed is dtypes.uint8 else dtypes.bool


def _same(dtype: DType) -> DType:
    return dtype


def _answers_in_bool(name: str) -> Callable[[Tensor, Dims, Tensor], None]:
    def check(input: Tensor, dim: Dims, out: Tensor) -> None:
        if out._dtype not in (dtypes.bool, dtypes.uint8):
            raise RuntimeError(f"{name} only supports bool tensor for result, got: {out._dtype.scalar_type}")

    return check


@reduction(_same, _truth, check_out=_answers_in_bool("all"), needs_dims=True)
def all(xp: Any, input: Array, axes: tuple[int, ...]) -> Array:
    """Whether every element is nonzero, over dimensions `dim` or over all."""
    return xp.all(input, axis=axes, keepdims=True)


@reduction(_same, _truth, check_out=_answers_in_bool("any"), needs_dims=True)
def any(xp: Any, input: Array, axes: tuple[int, ...]) -> Array:
    """Whether some element is nonzero, over dimensions `dim` or over all."""
    return xp.any(input, axis=axes, keepdims=True)


@operator("reduction")
def count_nonzero(input: Tensor, dim: Dims = None) -> Tensor:
    """How many elements are nonzero, over dimensions `dim` or over all."""
    if dim is not None:
        dim = ints("count_nonzero", (dim,), "(Tensor input, int dim = None)", "(Tensor input, tuple of ints dim)")
    axes = axes_of(len(input._size), dim)
    return reduce(sums.count_nonzero, input, axes, False, input._dtype, dtypes.int64)


@operator("reduction", out=True, differs=OTHER_OUT)
def nanmean(
    input: Tensor, dim: Dims = None, keepdim: KeepDim = False, *, dtype: DType | None = None, out: Tensor | None = None
) -> Tensor:
    """The mean over dimensions `dim`, or over all, of those elements that are not NaN."""
    if input._dtype.category < dtypes.FLOATING:
        raise RuntimeError(
            f"nanmean(): expected input to have floating point or complex dtype but got {input._dtype.scalar_type}"
        )
    _nansum_is_real(input, (), dim)
    if dtype is not None and dtype.category < dtypes.FLOATING:
        raise RuntimeError(
            "nanmean(): could not infer output dtype. Optional dtype must be either a floating point or complex dtype. "
            f"Got: {dtype.scalar_type}"
        )
    if out is not None and is_recorded((input, out)):
        raise no_out_with_gradients("nansum")
    if is_recorded((input,)):
        counted = input.detach().isnan().logical_not()
        return div(nansum(input, dim, keepdim, dtype=dtype), counted.sum(dim, keepdim))
    compute = input._dtype if dtype is None else dtype
    return reduce(_nanmean, input, axes_of(len(input._size), dim), keepdim, compute, compute, out)


def _nanmean(xp: Any, input: Array, axes: tuple[int, ...]) -> Array:
    is_number = ~xp.isnan(input)
    added = total(xp, xp.where(is_number, input, input.dtype.type(0)), axes)
    return xp.true_divide(added, xp.add.reduce(is_number, axis=axes, keepdims=True, dtype=added.dtype))
