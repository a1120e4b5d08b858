"""Shortcuts of reductions: over one dimension, over several where that is allowed, or over all.

Axes, dtypes and size of the result follow from the dtype, the size and `dim`, so they are remembered, and the array
module's function alone is called. Every other call goes on to the form that is handed out.
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
from tensorglass.ops.kernels.sum import IN_TURN, LONG_PIECE, ONES, ROWS
from tensorglass.tensor.construct import result_tensor
from tensorglass.tensor.grad_mode import state
from tensorglass.tensor.tensor import Tensor, raw_array
from tensorglass.tensor.torch_function import PLAIN

#: From the input's dtype to the dtype computed in and the result's; None leaves the call to the plain way.
Kinds = Callable[[DType], tuple[DType, DType] | None]
Axes = int | tuple[int, ...] | None  # None: all of them
#: Called with an array, its axes, and the dtype to compute in.
Form = Callable[..., Any]
Function = Callable[[Array, Axes, Any], Any]

SMALL = 4096  # elements; above that the call's own cost no longer shows, and `kernels/sum` is faster
MANY = 1 << 14  #: the same where there are no better ways


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
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """What puts `function` before a form with the parameters ``(input, dim, keepdim)`` for small tensors on the CPU.

    `quicker` returns a quicker function for a size, axes and the character of the array's dtype, if there is one.

    Large tensors go to the reduction's own `kernel`, if it is given and computes in their dtype. At least `least`
    elements must be reduced to one, and at most `most_arguments` be given by position. A form that has other parameters
    as well is `mixed`, and not recorded here. With `many`, `dim` may be a tuple. A second argument that equals `order`
    counts as left out.
    """
    of_large = None if kernel is None else _with_axes(kernel)

    @geometry.remembered
    def planned(dtype: DType, size: tuple[int, ...], dim: Axes, keepdim: bool) -> Any:
        found, count, ndim = kinds(dtype), math.prod(size), len(size)
        dims = range(ndim) if dim is None else dim if isinstance(dim, tuple) else (dim,)
        if found is None or not count or not dims or not all(-ndim <= each < ndim for each in dims):
            return None
        if count < (MANY if of_large is None else SMALL):
            run: Function | None = function
        else:
            run = of_large if found[0] is dtype else None
        if run is None:
            return None
        axes = tuple([each % ndim for each in dims])
        if len(set(axes)) < len(axes):
            return None
        kept = tuple([length for axis, length in enumerate(size) if axis not in axes])
        if count < least * math.prod(kept):
            return None
        if keepdim:
            kept = tuple([1 if axis in axes else length for axis, length in enumerate(size)])
        axis = None if dim is None else axes[0] if len(axes) == 1 else axes
        computed = HOST.array_dtype(found[0])
        if quicker is not None and run is function and found[0] is dtype:
            run = quicker(size, axes, computed.char) or function
        return run, axis, computed, found[1], kept

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
                made = HOST.attempt(run, raw_array(input) if array is None else array, axis, computed)
            except (MemoryError, RuntimeError):  # the latter where another thread is at it
                return form(*arguments, **keywords)
            if not size:
                made = HOST.xp.asarray(made)
            elif not input._contiguous:  # then what the array module made may lie in another order
                made = HOST.xp.ascontiguousarray(made)
            if made.shape != size:
                made = made.reshape(size)
            stride = geometry.CONTIGUOUS_STRIDES[size]
            result = result_tensor(made, dtype, HOST, input._storage.device, size, stride)
            return recorder.enter((input, dim, keepdim, *left_out), result) if is_recorded else result

        return fast_path

    return enter


def _is_usual_order(arguments: tuple[Any, ...], keywords: dict[str, Any], order: int | None) -> bool:
    """Whether a call gives the input and the order of a norm, which is the usual one, and nothing else."""
    if order is None or len(arguments) != 2 or keywords:
        return False
    return type(arguments[1]) in (int, float) and arguments[1] == order


def _with_axes(kernel: Callable[..., Array]) -> Function:
    def run(array: Array, axis: Axes, dtype: Any) -> Any:
        if axis is None:
            return kernel(HOST.xp, array, tuple(range(array.ndim)))
        return kernel(HOST.xp, array, axis if isinstance(axis, tuple) else (axis,))

    return run


def of_extreme(
    function: Function, find: Callable[..., Array], pair: Callable[..., Any]
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """As `of_reduction` for `max` and `min`, of which a dimension wants a `pair`: elements and their positions."""
    of_all = of_reduction(function, as_it_is)

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
            if not size:  # of one row NumPy makes scalars
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
    return (input, dim, keepdim) if type(input) is Tensor or type(input) in PLAIN else None


def packed_array(input: Tensor) -> Array | None:
    """The array of a tensor without gaps on the CPU."""
    if input._storage.backend is not HOST:
        return None
    array = input._array
    if array is None:
        array = raw_array(input)
    return array if input._contiguous else None


@lru_cache(64)  # of which each holds an array
def _along(size: tuple[int, ...], dim: int) -> tuple[int, Array, int, tuple[int, ...]] | None:
    """The axis, where its elements begin in memory, how far apart they are, and the size without it."""
    if not 0 < math.prod(size) < MANY or not -len(size) <= dim < len(size):
        return None
    axis = dim % len(size)
    places = HOST.xp.arange(math.prod(size)).reshape(size)
    return axis, take(places, 0, axis), geometry.contiguous_strides(size)[axis], size[:axis] + size[axis + 1 :]


# --- sums by products ------------------------------------------------------------------------------------------------


def small_sum(size: tuple[int, ...], axes: tuple[int, ...], char: str) -> Callable[..., Any] | None:
    """A function that adds arrays of `size` and of a dtype's `char` up over `axes` by one product, if there is one."""
    if char not in ONES or math.prod(size) > LONG_PIECE:
        return None
    ones = ONES[char][: math.prod([size[axis] for axis in axes])]
    if len(ones) <= IN_TURN:
        return None
    if len(axes) == len(size):
        return lambda array, axis, dtype: array.ravel().dot(ones)
    if len(size) > 2 or len(ones) > ROWS:
        return None
    if axes == (1,):
        return lambda array, axis, dtype: array.dot(ones)
    return lambda array, axis, dtype: ones.dot(array)


def small_mean(size: tuple[int, ...], axes: tuple[int, ...], char: str) -> Callable[..., Any] | None:
    """The same for the mean."""
    add = small_sum(size, axes, char)
    count = math.prod([size[axis] for axis in axes])
    return None if add is None else lambda array, axis, dtype: add(array, axis, dtype) / count


# --- the functions, and the dtypes that they take --------------------------------------------------------------------

add, multiply, largest, smallest = (
    getattr(HOST.xp, name).reduce for name in ("add", "multiply", "maximum", "minimum")
)  # fmt: skip
_root = HOST.xp.sqrt
every, some = HOST.xp.logical_and.reduce, HOST.xp.logical_or.reduce


def average(array: Array, axis: Axes, dtype: Any) -> Any:
    """The mean along an axis."""
    sums = add(array, axis, dtype)
    return sums / (array.size // sums.size)


def variance(array: Array, axis: Axes, dtype: Any) -> Any:
    """The squares of the distances from the mean along an axis, divided by their number less 1; in double precision."""
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
    """Where the largest element along an axis stands."""
    return argmax(array, axis)


def position_of_smallest(array: Array, axis: Axes, dtype: Any) -> Any:
    """Where the smallest element along an axis stands."""
    return argmin(array, axis)


_FLOATS = (dtypes.float32, dtypes.float64)


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


def position(dtype: DType) -> tuple[DType, DType] | None:
    """Numbers give positions."""
    return None if as_it_is(dtype) is None else (dtype, dtypes.int64)


def truth(dtype: DType) -> tuple[DType, DType] | None:
    """Whatever is not complex gives truth values; bytes give bytes."""
    return None if dtype.is_complex or dtype is dtypes.uint8 else (dtypes.bool, dtypes.bool)
