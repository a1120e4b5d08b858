"""Shortcuts of reductions: over one dimension, over several if allowed, or over all.

Axes, dtypes and size of the result follow from the dtype, the size and `dim`, so they are cached, and only the array
module's function is called. Every other call goes to the public form.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST
from tensorglass.backends.wide_positions import argmax, argmin, take
from tensorglass.core import dtypes
from tensorglass.core.dtypes import dtype as DType
from tensorglass.graph.recorder import recorder_of
from tensorglass.ops.arg_parser.checks import are_ints
from tensorglass.ops.kernels.sum import WORTH_IT, small_product
from tensorglass.tensor.construct import result_tensor
from tensorglass.tensor.grad_mode import state
from tensorglass.tensor.tensor import Tensor, raw_array
from tensorglass.tensor.torch_function import PLAIN_TYPES

#: Maps the input's dtype to the dtype to compute in and the result's; None leaves the call to the plain way.
Kinds = Callable[[DType], tuple[DType, DType] | None]
Axes = int | tuple[int, ...] | None  # None: all of them
#: A function of an array, its axes, and the dtype to compute in.
Form = Callable[..., Any]
Function = Callable[[Array, Axes, Any], Any]

SMALL = WORTH_IT  # elements; beyond that the call's overhead no longer matters, and `ops/kernels` is faster
MANY = 1 << 14  #: the same for functions without a better kernel


def of_reduction(
    function: Function,
    kinds: Kinds,
    kernel: Callable[..., Array] | None = None,
    *,
    least: int = 1,
    most_arguments: int = 2,
    mixed: bool = False,
    many: bool = False,
    order: int | None = None,
    quicker: Callable[[tuple[int, ...], tuple[int, ...], str], Function | None] | None = None,
    by_float32: bool = False,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator that puts `function` before a form ``(input, dim, keepdim)`` for small tensors on the CPU.

    `quicker` returns a quicker function for a size, axes and the array dtype's character code, if there is one. Half
    types are reduced `by_float32`, and rounded once.

    Large tensors go to the reduction's own `kernel`, if it is given and computes in their dtype. At least `least`
    elements must be reduced to one, and at most `most_arguments` be given by position. A form that has other parameters
    as well is `mixed`, and not recorded here. With `many`, `dim` may be a tuple. A second argument that equals `order`
    counts as left out.
    """
    of_large = None if kernel is None else _with_axes(kernel)

    @geometry.remembered
    def planned(dtype: DType, size: tuple[int, ...], dim: Axes, keepdim: bool) -> Any:
        is_half = by_float32 and dtype in _HALVES
        result_kinds, count, ndim = kinds(dtypes.float32 if is_half else dtype), math.prod(size), len(size)
        dims = range(ndim) if dim is None else dim if isinstance(dim, tuple) else (dim,)
        if result_kinds is None or not count or not dims or not all(-ndim <= dim < ndim for dim in dims):
            return None
        if count < (MANY if of_large is None and not is_half else SMALL):
            run: Function | None = function
        elif is_half:
            run = None
        else:
            run = of_large if result_kinds[0] is dtype else None
        if run is None:
            return None
        axes = tuple([dim % ndim for dim in dims])
        if len(set(axes)) < len(axes):
            return None
        kept = tuple([length for axis, length in enumerate(size) if axis not in axes])
        if count < least * math.prod(kept):
            return None
        if keepdim:
            kept = tuple([1 if axis in axes else length for axis, length in enumerate(size)])
        axis = None if dim is None else axes[0] if len(axes) == 1 else axes
        computed = HOST.array_dtype(result_kinds[0])
        if quicker is not None and run is function and (result_kinds[0] is dtype or is_half):
            run = quicker(size, axes, computed.char) or function
        if is_half:
            return _rounded_once(run, HOST.array_dtype(dtype)), axis, computed, dtype, kept
        return run, axis, computed, result_kinds[1], kept

    def enter(form: Callable[..., Any]) -> Callable[..., Any]:
        recorder: Any
        recorder, left_out = (None, ()) if mixed else recorder_of(form)
        left_out = left_out[3:]

        @wraps(form)
        def fast_path(*arguments: Any, **keywords: Any) -> Any:
            if len(arguments) <= most_arguments:
                read = read_call(arguments, keywords, many)
            else:
                read = read_call(arguments[:1], keywords) if _is_usual_order(arguments, keywords, order) else None
            if read is None:
                return form(*arguments, **keywords)
            input, dim, keepdim = read
            plan = planned(input._dtype, input._size, dim, keepdim)
            is_recorded = input._meta is not None and state.grad
            if plan is None or (is_recorded and recorder is None) or input._storage.backend is not HOST:
                return form(*arguments, **keywords)
            run, axis, computed, dtype, size = plan
            array = input._array
            try:
                answer = HOST.attempt(run, raw_array(input) if array is None else array, axis, computed)
            except (MemoryError, RuntimeError):  # RuntimeError: another thread holds the context
                return form(*arguments, **keywords)
            if not size:
                answer = HOST.xp.asarray(answer)
            elif not input._contiguous:  # then the array module's result may have another layout
                answer = HOST.xp.ascontiguousarray(answer)
            if answer.shape != size:
                answer = answer.reshape(size)
            stride = geometry.CONTIGUOUS_STRIDES[size]
            result = result_tensor(answer, dtype, HOST, input._storage.device, size, stride)
            return recorder.enter((input, dim, keepdim, *left_out), result) if is_recorded else result

        return fast_path

    return enter


def _is_usual_order(arguments: tuple[Any, ...], keywords: dict[str, Any], order: int | None) -> bool:
    """Whether a call only passes the input and the usual order of a norm."""
    if order is None or len(arguments) != 2 or keywords:
        return False
    return type(arguments[1]) in (int, float) and arguments[1] == order


def _rounded_once(function: Function, array_dtype: Any) -> Function:
    def run(array: Array, axis: Axes, dtype: Any) -> Any:
        return function(array.astype(dtype), axis, dtype).astype(array_dtype)

    return run


def _with_axes(kernel: Callable[..., Array]) -> Function:
    def run(array: Array, axis: Axes, dtype: Any) -> Any:
        if axis is None:
            return kernel(HOST.xp, array, tuple(range(array.ndim)))
        return kernel(HOST.xp, array, axis if isinstance(axis, tuple) else (axis,))

    return run


def of_extreme(
    function: Function, find: Callable[..., Array], pair: Callable[..., Any]
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """As `of_reduction`, for `max` and `min`, which return a `pair` of values and indices if a dimension is given."""
    of_all = of_reduction(function, as_it_is, by_float32=True)

    def enter(form: Callable[..., Any]) -> Callable[..., Any]:
        whole = of_all(form)

        @wraps(form)
        def fast_path(*arguments: Any, **keywords: Any) -> Any:
            if len(arguments) == 1 and not keywords:
                return whole(*arguments)
            read = read_call(arguments, keywords)
            if read is None or read[1] is None or arguments[0]._meta is not None:
                return form(*arguments, **keywords)
            input, keepdim = read[0], read[2]
            plan = _along(input._size, read[1]) if as_it_is(input._dtype) is not None else None
            array = None if plan is None else packed_array(input)
            if plan is None or array is None:
                return form(*arguments, **keywords)
            axis, starts, step, size = plan
            positions = find(array, axis, None)
            elements = take(array, positions * step + starts)
            if not size:  # NumPy returns scalars for a single row
                elements, positions = HOST.xp.asarray(elements), HOST.xp.asarray(positions)
            if keepdim:
                size = (*size[:axis], 1, *size[axis:])
            device, stride = input._storage.device, geometry.CONTIGUOUS_STRIDES[size]
            return pair(
                result_tensor(elements.reshape(size), input._dtype, HOST, device, size, stride),
                result_tensor(positions.reshape(size), dtypes.int64, HOST, device, size, stride),
            )

        return fast_path

    return enter


def read_call(
    arguments: tuple[Any, ...], keywords: dict[str, Any], many: bool = False
) -> tuple[Tensor, Any, bool] | None:
    """Input, `dim` (an int, None, or with `many` a tuple of ints) and `keepdim` of a usual call; None: any other."""
    dim, keepdim, count = None, False, len(arguments)
    if keywords:
        dim, keepdim = keywords.get("dim"), keywords.get("keepdim", False)
        known = ("dim" in keywords) + ("keepdim" in keywords)
        if known != len(keywords) or (keepdim is not False and keepdim is not True):
            return None
    if count == 2 and dim is None:
        dim = arguments[1]
    elif count != 1:
        return None
    if type(dim) is not int and (count == 2 or keywords) and not (many and type(dim) is tuple and are_ints(dim)):
        return None
    input = arguments[0]
    return (input, dim, keepdim) if type(input) is Tensor or type(input) in PLAIN_TYPES else None


def packed_array(input: Tensor) -> Array | None:
    """The array of a tensor without gaps on the CPU."""
    if input._storage.backend is not HOST:
        return None
    array = input._array
    if array is None:
        array = raw_array(input)
    return array if input._contiguous else None


@lru_cache(64)  # each entry holds an array
def _along(size: tuple[int, ...], dim: int) -> tuple[int, Array, int, tuple[int, ...]] | None:
    """The axis, the flat positions where its slices begin, the step between its elements, and the size without it."""
    if not 0 < math.prod(size) < MANY or not -len(size) <= dim < len(size):
        return None
    axis = dim % len(size)
    places = HOST.xp.arange(math.prod(size)).reshape(size)
    return axis, take(places, 0, axis), geometry.contiguous_strides(size)[axis], size[:axis] + size[axis + 1 :]


# --- sums by products ------------------------------------------------------------------------------------------------


def small_sum(size: tuple[int, ...], axes: tuple[int, ...], char: str) -> Function | None:
    """A function that sums arrays of `size` and dtype `char` over `axes` by one matrix product, if there is one."""
    product = small_product(size, axes, char)
    return None if product is None else product[0]


def small_mean(size: tuple[int, ...], axes: tuple[int, ...], char: str) -> Function | None:
    """The same for the mean."""
    product = small_product(size, axes, char)
    if product is None:
        return None
    add, count = product[0], math.prod([size[axis] for axis in axes])
    return lambda array, axis, dtype: add(array) / count


def small_length(size: tuple[int, ...], axes: tuple[int, ...], char: str) -> Function | None:
    """The same for the root of the sum of squares."""
    product = small_product(size, axes, char)
    if product is None:
        return None
    add = product[0]
    return lambda array, axis, dtype: _root(add(array * array))


# --- the functions, and the dtypes that they take --------------------------------------------------------------------

add, multiply, largest, smallest = (
    getattr(HOST.xp, name).reduce for name in ("add", "multiply", "maximum", "minimum")
)  # fmt: skip
_root = HOST.xp.sqrt
all_true, any_true = HOST.xp.logical_and.reduce, HOST.xp.logical_or.reduce


def average(array: Array, axis: Axes, dtype: Any) -> Any:
    """The mean along an axis."""
    sums = add(array, axis, dtype)
    return sums / (array.size // sums.size)


def variance(array: Array, axis: Axes, dtype: Any) -> Any:
    """The unbiased variance along an axis, in double precision."""
    wide = array.astype("float64")
    sums = add(wide, axis, keepdims=True)
    count = wide.size // sums.size
    wide -= sums / count
    wide *= wide
    return (add(wide, axis) / (count - 1)).astype(dtype)


def deviation(array: Array, axis: Axes, dtype: Any) -> Any:
    """The square root of the variance."""
    return _root(variance(array, axis, "float64")).astype(dtype)


def length(array: Array, axis: Axes, dtype: Any) -> Any:
    """The root of the sum of squares."""
    return _root(add(array * array, axis))


def position_of_largest(array: Array, axis: Axes, dtype: Any) -> Any:
    """The index of the largest element along an axis."""
    return argmax(array, axis)


def position_of_smallest(array: Array, axis: Axes, dtype: Any) -> Any:
    """The index of the smallest element along an axis."""
    return argmin(array, axis)


_FLOATS = (dtypes.float32, dtypes.float64)
_HALVES = (dtypes.float16, dtypes.bfloat16)


def widened(dtype: DType) -> tuple[DType, DType] | None:
    """Integers become int64."""
    return (dtypes.int64, dtypes.int64) if dtype.category < dtypes.FLOATING else as_it_is(dtype)


def as_it_is(dtype: DType) -> tuple[DType, DType] | None:
    """Numbers keep their dtype."""
    if dtype.category == dtypes.INTEGER and dtype not in dtypes.WIDE_UNSIGNED:
        return dtype, dtype
    return (dtype, dtype) if dtype in _FLOATS else None


def floating(dtype: DType) -> tuple[DType, DType] | None:
    """Floating-point numbers alone."""
    return (dtype, dtype) if dtype in _FLOATS else None


def single(dtype: DType) -> tuple[DType, DType] | None:
    """float32 alone, for what is added up in double precision, in an order of its own, and rounded."""
    return (dtype, dtype) if dtype is dtypes.float32 else None


def position(dtype: DType) -> tuple[DType, DType] | None:
    """Numbers give int64 indices."""
    return None if as_it_is(dtype) is None else (dtype, dtypes.int64)


def truth(dtype: DType) -> tuple[DType, DType] | None:
    """All dtypes except complex give bool; uint8 gives uint8."""
    return None if dtype.is_complex or dtype is dtypes.uint8 else (dtypes.bool, dtypes.bool)
