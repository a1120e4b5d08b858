"""The largest and the smallest elements: max, min and their indices; and what all operators share that choose elements
along a dimension.

Sorting, ranks and cumulative extrema return a pair of values and indices, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.dtypes import comparable
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import explained
from tensorglass.graph.derivative import Derivative, derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.arg_parser.bool_arguments import DimOrOther, KeepDim, StatedTensor
from tensorglass.ops.arg_parser.checks import check_pair, holds_somewhere, type_name
from tensorglass.ops.declare import return_types
from tensorglass.ops.declare.reduction import Dims, axes_of, reduce, reduced_size, reduction, write_out
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.run_pointwise import refuse_shared_cells
from tensorglass.ops.declare.type_promotion import check_out_dtype
from tensorglass.ops.derivatives.shared import reduced_axes, restore_reduced_dims
from tensorglass.ops.kernels import ordering
from tensorglass.ops.kernels.ordering import elements_at
from tensorglass.ops.pointwise.rounding import SIGN_OF_ZERO, maximum, minimum
from tensorglass.tensor.construct import from_array
from tensorglass.tensor.tensor import Tensor, array_of


def amax_backward(grad: Tensor, input: Tensor, result: Tensor, dim: Dims, keepdim: bool) -> Tensor:
    """The gradient of a maximum, split evenly among all elements equal to it."""
    chosen = input == restore_reduced_dims(result, input._size, dim, keepdim)
    count = chosen.sum(reduced_axes(len(input._size), dim), True) if input._size else chosen.sum()
    return restore_reduced_dims(grad, input._size, dim, keepdim) / count * chosen


#: Two tensors to write to: of the input's dtype and of int64.
OutPair = tuple[Tensor, Tensor] | list[Tensor] | None


def choose(
    kernel: Callable[..., tuple[Array, Array]], input: Tensor, axis: int, *parameters: Any
) -> tuple[Array, Array]:
    """Run ``kernel(xp, array, axis, …)``, which gives positions along `axis`; the elements there, and the positions."""
    backend = input._storage.backend
    compute = backend.array_dtype(comparable(input._dtype))
    return backend.launch(_chosen_elements, kernel, array_of(input), compute, axis, parameters)


def _chosen_elements(
    xp: Any, kernel: Any, array: Array, compute: Any, axis: int, parameters: tuple[Any, ...]
) -> tuple[Array, Array]:
    array = array.reshape(array.shape or (1,))
    positions = kernel(xp, array.astype(compute, copy=False), axis, *parameters)
    extremes = elements_at(xp, array, positions, axis)
    return xp.ascontiguousarray(extremes), xp.ascontiguousarray(positions, dtype="int64")


def check_outputs(out: OutPair, dtype: DType) -> None:
    """Raise unless `out` are two tensors, of the dtype of the values and of int64."""
    if out is not None:
        check_pair(out)
        for target, wanted in zip(out, (dtype, dtypes.int64), strict=True):
            check_out_dtype(target, wanted)


def paired(
    pair: Any, extremes: tuple[Array, Array], input: Tensor, size: tuple[int, ...], out: OutPair, apart: bool = True
) -> Any:
    """The named tuple of values and positions, new or written to `out`, whose values must lie `apart` from `input`."""
    if out is not None and apart:
        refuse_shared_cells(out[0], input)
    results = []
    for array, dtype, target in zip(extremes, (input._dtype, dtypes.int64), out or (None, None), strict=True):
        fresh = array.reshape(size)
        results.append(
            from_array(fresh, dtype, input._storage) if target is None else write_out(fresh, size, target, dtype)
        )
    return (pair if out is None else pair.out)(*results)


def value_selecting_reduction_backward(
    grad: Tensor, input_size: Any, result1: Tensor, dim: int, keepdim: bool
) -> Tensor:
    """The gradient of elements chosen along `dim`: it goes to where they were found."""
    if not input_size:
        return grad
    indices = restore_reduced_dims(result1, input_size, dim, keepdim)
    return grad.new_zeros(input_size).scatter(dim, indices, restore_reduced_dims(grad, input_size, dim, keepdim))


def sort_backward(grad: Tensor, input_size: Any, result1: Tensor, dim: int) -> Tensor:
    """The gradient of sorted elements: each goes back to where the element came from."""
    return value_selecting_reduction_backward(grad, input_size, result1, dim, True)


def evenly_distribute_backward(grad: Tensor, input: Tensor, result: Tensor) -> Tensor:
    """The gradient of one element chosen of all: in equal parts to all that are equal to it; of a NaN to all NaNs."""
    chosen = input.isnan() if holds_somewhere(result.isnan()) else input == result
    return input.new_zeros(input._size).masked_fill(chosen, grad / chosen.sum())


Kernel = Callable[..., Array]
Operation = Callable[..., Any]


def _same(dtype: DType) -> DType:
    return dtype


def _check_has_elements(
    name: str, input: Tensor, axes: tuple[int, ...], dim: Dims, error: type[Exception], named: Sequence[int] = ()
) -> None:
    """Raise unless every reduced dimension has an element to choose; errors speak of the axes as they are `named`."""
    if input.numel():
        return
    if dim is None:
        advice = " Specify the reduction dim with the 'dim' argument." if error is RuntimeError else ""
        raise explained(
            error(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.{advice}"),
            "Of no elements none is the largest or the smallest.",
            notebook="2/08 Reductions and dimensions",
        )
    for given, axis in zip(named or axes, axes, strict=True):
        if input._size[axis] == 0:
            raise IndexError(f"{name}(): Expected reduction dim {given} to have non-zero size.")


def _not_implemented(kernel_name: str, input: Tensor) -> NotImplementedError:
    return explained(
        NotImplementedError(f"\"{kernel_name}\" not implemented for '{input._dtype.scalar_type}'"),
        "Complex numbers have no order: take x.real, x.imag or x.abs() first.",
    )


def _of_amax(name: str, kernel_name: str) -> Callable[[Tensor, tuple[int, ...], Dims], None]:
    def check(input: Tensor, axes: tuple[int, ...], dim: Dims) -> None:
        if isinstance(dim, Tensor):
            dim = int(dim)
        given = (dim,) if isinstance(dim, int) else tuple(dim or ())
        _check_has_elements(name, input, axes, given or None, RuntimeError, given)
        if input._dtype.is_complex and input.numel():
            raise _not_implemented(kernel_name, input)

    return check


def _same_dtype(input: Tensor, dim: Dims, out: Tensor) -> None:
    if out._dtype is not input._dtype:
        raise RuntimeError(
            "Expected the dtype for input and out to match, but got "
            f"{input._dtype.scalar_type} for input's dtype and {out._dtype.scalar_type} for out's dtype."
        )


@reduction(_same, check=_of_amax("amax", "max_values_cpu"), check_out=_same_dtype, differs=SIGN_OF_ZERO)
@derivative(real_only="amax", input=amax_backward)
def amax(xp: Any, input: Array, axes: tuple[int, ...]) -> Array:
    """The largest element over dimensions `dim`, or over all; NaN if there is one."""
    return ordering.largest(xp, input, axes)


@reduction(_same, check=_of_amax("amin", "min_values_cpu"), check_out=_same_dtype, differs=SIGN_OF_ZERO)
@derivative(real_only="amin", input=amax_backward)
def amin(xp: Any, input: Array, axes: tuple[int, ...]) -> Array:
    """The smallest element over dimensions `dim`, or over all; NaN if there is one."""
    return ordering.smallest(xp, input, axes)


# --- argmax and argmin -----------------------------------------------------------------------------------------------


def _argmax_or_argmin(name: str, input: Tensor, dim: int | None, keepdim: bool, out: Tensor | None) -> Tensor:
    for kind, refused in (("complex", input._dtype.is_complex), ("bool", input._dtype is dtypes.bool)):
        if refused:
            raise RuntimeError(f"{name}(): does not support {kind} input")
    if isinstance(dim, list | tuple):
        raise TypeError("one dimension, not several")  # `arg_parser` says it in PyTorch's words
    axes = axes_of(len(input._size), dim)
    _check_has_elements(name, input, axes, dim, IndexError)
    check_out_dtype(out, dtypes.int64)
    return reduce(_argument, input, axes, keepdim, input._dtype, dtypes.int64, out, find=name)


def _argument(xp: Any, input: Array, axes: tuple[int, ...], *, find: str) -> Array:
    return getattr(xp, find)(input, axis=axes[0] if len(axes) == 1 else None)


@operator("reduction", out=True)
def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The position of the largest element along `dim`, or among all elements in order; the first of equals."""
    return _argmax_or_argmin("argmax", input, dim, keepdim, out)


@operator("reduction", out=True)
def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The position of the smallest element along `dim`, or among all elements in order; the first of equals."""
    return _argmax_or_argmin("argmin", input, dim, keepdim, out)


# --- max, min and aminmax --------------------------------------------------------------------------------------------


def _positions(xp: Any, array: Array, axis: int, find: str) -> Array:
    return getattr(xp, find)(array, axis=axis, keepdims=True)


class _Extreme(NamedTuple):
    """What `max` and `min` dispatch to."""

    of_all: Operation
    along: Operation  #: a dimension: the pair of elements and positions
    of_two: Operation  #: tensors, element by element


def _extreme(pair: Any, whole: Kernel, find: str, of_two: Operation) -> _Extreme:
    name = pair.__name__

    def of_all(input: Tensor, out: Tensor | None) -> Tensor:
        dtype = input._dtype
        axes = axes_of(len(input._size), None)
        _check_has_elements(name, input, axes, None, RuntimeError)
        if dtype.is_complex:
            raise _not_implemented(f"{name}_all", input)
        if out is not None and not dtypes.can_cast(dtype, out._dtype):
            raise RuntimeError(
                "Expected canCast( typeMetaToScalarType(self.dtype()), typeMetaToScalarType(out.dtype())) to be true, "
                "but got false.  (Could this error message be improved?  If so, please report an enhancement request "
                "to PyTorch.)"
            )
        return reduce(whole, input, axes, False, dtype, dtype, out)

    def along(input: Tensor, dim: int, keepdim: bool, out: Any) -> Any:
        dtype = input._dtype
        axes = axes_of(len(input._size), dim)
        _check_has_elements(name, input, axes, dim, RuntimeError)
        check_outputs(out, dtype)
        if dtype.is_complex:
            raise RuntimeError(f"{name}(): does not support complex input")
        positions = choose(_positions, input, axes[0] if axes else 0, find)
        return paired(pair, positions, input, reduced_size(input._size, axes, keepdim), out)

    of_all.__name__ = along.__name__ = name
    title = f"{name.title()}Backward"
    return _Extreme(
        recorded(of_all, derivative=Derivative({"input": evenly_distribute_backward}, f"{title}1")),
        recorded(along, derivative=Derivative({"input": value_selecting_reduction_backward}, f"{title}0", outputs=1)),
        of_two,
    )


_MAX = _extreme(return_types.max, ordering.largest, "argmax", maximum)
_MIN = _extreme(return_types.min, ordering.smallest, "argmin", minimum)


def _max_or_min(extreme: _Extreme, input: Tensor, dim: Any, keepdim: bool, other: Tensor | None, out: Any) -> Any:
    if isinstance(dim, tuple | list) or (dim is not None and other is not None):
        raise TypeError("one dimension, or another operand")  # `arg_parser` says it in PyTorch's words
    if isinstance(dim, Tensor) and keepdim:  # beside `keepdim` it is a dimension
        if dim._dtype.category != dtypes.INTEGER:
            raise TypeError("no dimension")
        dim = int(dim)
    if isinstance(dim, Tensor) or other is not None:
        return extreme.of_two(input, dim if other is None else other, out=out)
    return extreme.of_all(input, out) if dim is None else extreme.along(input, dim, keepdim, out)


@operator("reduction", out=True)
def max(
    input: Tensor, dim: DimOrOther = None, keepdim: KeepDim = False, *, other: StatedTensor = None, out: Any = None
) -> Any:
    """The largest element of all; with `dim` a pair of the largest along it and their positions; with another tensor
    `maximum`.
    """
    return _max_or_min(_MAX, input, dim, keepdim, other, out)


@operator("reduction", out=True)
def min(
    input: Tensor, dim: DimOrOther = None, keepdim: KeepDim = False, *, other: StatedTensor = None, out: Any = None
) -> Any:
    """The smallest element of all; with `dim` a pair of the smallest along it and their positions; with another tensor
    `minimum`.
    """
    return _max_or_min(_MIN, input, dim, keepdim, other, out)


@operator("reduction", out=True)
@derivative(
    input=lambda grads, input, results, dim, keepdim: (
        amax_backward(grads[0], input, results[0], dim, keepdim)
        + amax_backward(grads[1], input, results[1], dim, keepdim)
    )
)
def aminmax(
    input: Tensor, *, dim: int | None = None, keepdim: bool = False, out: tuple[Tensor, Tensor] | None = None
) -> Any:
    """The smallest and the largest element, along `dim` or of all."""
    if isinstance(dim, list | tuple):
        raise TypeError(f"aminmax(): argument 'dim' must be int, not {type_name(dim)}")
    axes, dtype = axes_of(len(input._size), dim), input._dtype
    if dim is None and not input.numel():
        raise RuntimeError(
            "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."
        )
    if dim is not None and axes and input._size[axes[0]] == 0:
        raise IndexError(f"aminmax: Expected reduction dim {axes[0]} to have non-zero size.")
    if dtype.is_complex:
        raise _not_implemented("aminmax_cpu", input)
    if out is not None:
        check_pair(out)
    smallest, largest = (None, None) if out is None else out
    check_out_dtype(smallest, dtype)
    check_out_dtype(largest, dtype)
    return (return_types.aminmax if out is None else return_types.aminmax.out)(
        reduce(ordering.smallest, input, axes, keepdim, dtype, dtype, smallest),
        reduce(ordering.largest, input, axes, keepdim, dtype, dtype, largest),
    )
