"""What each NumPy function returns: the size by its rule, the dtype by asking NumPy.

For the dtype the function itself is called with miniatures of its arguments, arrays of one element with as many
dimensions. For the size there are a few rules: elementwise, an axis is removed, arrays are joined. No array of the
result's size is ever allocated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from tensorglass.backends.meta.array import MetaArray
from tensorglass.core.errors import explained

Size = tuple[int, ...]
Function = Callable[..., Any]


def call(name: str, function: Function, *arguments: Any, **keywords: Any) -> Any:
    """The result of a NumPy function, as arrays without elements."""
    rule = _RULES.get(name)
    if rule is None:
        if not isinstance(function, numpy.ufunc) and not name.startswith("special."):
            raise NotImplementedError(f"the meta device has no rule for the function '{name}' of the array module")
        rule = _elementwise
    return _wrapped(rule(function, *arguments, **keywords))


def no_answer(*_: Any, **__: Any) -> Any:
    """The error for functions whose result size depends on elements, such as `nonzero`."""
    raise explained(
        NotImplementedError(
            "The register_meta function for torch.nonzero() raises unimplemented by default, as a correct "
            "data-independent implementation does not exist. This implementation returns a fake value, assuming all "
            "elements of the tensor are non-zero. To enable this registration, please set "
            "'torch.fx.experimental._config.meta_nonzero_assume_all_nonzero' to True."
        ),
        "The result has as many elements as the values say, and a tensor on 'meta' has no values.",
    )


def _wrapped(answer: Any) -> Any:
    if isinstance(answer, numpy.ndarray | numpy.generic):
        return MetaArray(answer.shape, answer.dtype)
    if isinstance(answer, tuple | list):
        return tuple([_wrapped(item) for item in answer])
    return answer


def _cells(given: Any) -> Any:
    """The argument with NumPy views in place of meta arrays."""
    if isinstance(given, MetaArray):
        return given.cells
    return type(given)([_cells(item) for item in given]) if isinstance(given, tuple | list) else given


def _miniature(given: Any) -> Any:
    """The argument with one-element arrays in place of meta arrays."""
    if isinstance(given, MetaArray | numpy.ndarray):
        return numpy.zeros((1,) * given.ndim, given.dtype)
    return type(given)([_miniature(item) for item in given]) if isinstance(given, tuple | list) else given


def _shape(given: Any) -> Size:
    return given.shape if hasattr(given, "shape") else numpy.shape(given) if isinstance(given, list) else ()


def _dtype_of(function: Function, *arguments: Any, **keywords: Any) -> Any:
    answer = function(*map(_miniature, arguments), **{key: _miniature(keyword) for key, keyword in keywords.items()})
    return numpy.asarray(answer).dtype


def _sized(dtypes: Any, size: Size) -> Any:
    """Arrays of this size with the dtypes of a function's results for miniatures; None for None."""
    if isinstance(dtypes, tuple):
        return tuple([_sized(dtype, size) for dtype in dtypes])
    return None if dtypes is None else MetaArray(size, dtypes.dtype)


# --- one element after the other -------------------------------------------------------------------------------------


def _elementwise(function: Function, *arguments: Any, out: Any = None, **keywords: Any) -> Any:
    if isinstance(function, numpy.ufunc) and len(arguments) > function.nin:
        arguments, out = arguments[: function.nin], arguments[function.nin]
    size = numpy.broadcast_shapes(*map(_shape, arguments), *map(_shape, keywords.values()))
    result = function(*map(_miniature, arguments), **{key: _miniature(keyword) for key, keyword in keywords.items()})
    if out is None:
        return _sized(result, size)
    for target in out if isinstance(out, tuple) else (out,):
        if target is not None and numpy.broadcast_shapes(size, target.shape) != target.shape:
            raise ValueError(f"non-broadcastable output operand with shape {target.shape} doesn't match {size}")
    return out[0] if isinstance(out, tuple) and len(out) == 1 else out


def _along_axis(function: Function, array: MetaArray, *arguments: Any, out: Any = None, **keywords: Any) -> Any:
    """Functions along an axis that keep the size, such as `sort`; without an axis some flatten."""
    if out is not None:
        return out
    result = function(_miniature(array), *arguments, **keywords)
    return _sized(result, array.shape if numpy.ndim(result) == array.ndim else (array.size,))


def _partition(function: Function, array: MetaArray, kth: Any, *arguments: Any, **keywords: Any) -> Any:
    return _sized(function(_miniature(array), 0, *arguments, **keywords), array.shape)


def _where(function: Function, condition: Any, *choices: Any) -> Any:
    return _elementwise(function, condition, *choices) if choices else no_answer()


# --- an axis disappears ----------------------------------------------------------------------------------------------


def _without(size: Size, axis: Any, keepdims: bool) -> Size:
    axes = range(len(size)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    gone = {axis % len(size) if size else 0 for axis in axes}
    if keepdims:
        return tuple([1 if dim in gone else length for dim, length in enumerate(size)])
    return tuple([length for dim, length in enumerate(size) if dim not in gone])


def _reduction_by(default_axis: Any) -> Function:
    def rule(function: Function, array: Any, *arguments: Any, out: Any = None, **keywords: Any) -> Any:
        if out is not None:
            return out
        axis = arguments[0] if arguments else keywords.get("axis", default_axis)
        result = function(_miniature(array), *arguments, **keywords)
        return _sized(numpy.asarray(result), _without(array.shape, axis, bool(keywords.get("keepdims", False))))

    return rule


def _all(function: Function, array: MetaArray, *arguments: Any, out: Any = None, **keywords: Any) -> Any:
    result = _reduction_by(None)(function, array, *arguments, out=out, **keywords)
    return MetaArray(result.shape, result.dtype, is_true=True)


def _trace(function: Function, array: MetaArray, *arguments: Any, **keywords: Any) -> Any:
    return MetaArray(array.shape[2:], _dtype_of(function, array, *arguments, **keywords))


# --- new arrays ------------------------------------------------------------------------------------------------------


def _new(function: Function, size: Any, dtype: Any = float, **_: Any) -> Any:
    return MetaArray(tuple(size) if hasattr(size, "__iter__") else (size,), dtype)


def _full(function: Function, size: Any, value: Any, dtype: Any = None) -> Any:
    return _new(function, size, _dtype_of(numpy.asarray, value) if dtype is None else dtype)


def _like(function: Function, array: Any, *arguments: Any, dtype: Any = None, shape: Any = None, **_: Any) -> Any:
    if function is not numpy.full_like and arguments:
        dtype = arguments[0]
    return MetaArray(array.shape if shape is None else shape, array.dtype if dtype is None else dtype)


def _arange(function: Function, *arguments: Any, dtype: Any = None) -> Any:
    ends = list(arguments)
    if len(ends) == 4:
        dtype = ends.pop()
    start, stop, step = (0, ends[0], 1) if len(ends) == 1 else (*ends, 1)[:3]
    count = max(0, math.ceil((stop - start) / step))
    return MetaArray((count,), numpy.asarray(ends).dtype if dtype is None else dtype)


def _eye(function: Function, rows: int, columns: int | None = None, k: int = 0, dtype: Any = float) -> Any:
    return MetaArray((rows, rows if columns is None else columns), dtype)


def _as_array(function: Function, given: Any, dtype: Any = None, **keywords: Any) -> Any:
    if isinstance(given, list | tuple) and any(isinstance(argument, MetaArray) for argument in given):
        given = _stack(numpy.stack, [_as_array(numpy.asarray, argument) for argument in given])
    if not isinstance(given, MetaArray):
        return numpy.asarray(given, dtype)
    size = given.shape or (1,) if function is numpy.ascontiguousarray else given.shape
    return MetaArray(size, given.dtype if dtype is None else dtype)


def _astype(function: Function, array: MetaArray, dtype: Any, *_: Any, **__: Any) -> Any:
    return MetaArray(array.shape, dtype)


# --- views -----------------------------------------------------------------------------------------------------------


def _view(function: Function, *arguments: Any, **keywords: Any) -> Any:
    """NumPy's own views of the window."""
    return function(*map(_cells, arguments), **keywords)


def _flat(function: Function, array: MetaArray, *_: Any) -> Any:
    return MetaArray((array.size,), array.dtype)


def _as_strided(function: Function, array: MetaArray, shape: Size, strides: Any = None, **_: Any) -> Any:
    return MetaArray(tuple(shape), array.dtype)


def _reinterpreted(function: Function, array: MetaArray, dtype: Any = None) -> Any:
    wanted = array.dtype if dtype is None else numpy.dtype(dtype)
    if wanted.itemsize == array.itemsize:
        return MetaArray(array.shape, wanted)
    return MetaArray((*array.shape[:-1], array.shape[-1] * array.itemsize // wanted.itemsize), wanted)


def _getitem(function: Function, array: MetaArray, key: Any) -> Any:
    keys = list(key) if isinstance(key, tuple) else [key]
    keys = [key.cells if isinstance(key, MetaArray) else numpy.asarray(key) if isinstance(key, list) else key
            for key in keys]  # fmt: skip
    if not any(isinstance(key, numpy.ndarray) for key in keys):
        return array.cells[key]
    masks = [key for key in keys if isinstance(key, numpy.ndarray) and key.dtype == bool]
    if masks:  # only kernels call this: what they do to selected elements may as well be done to all
        return MetaArray((masks[0].size, *array.shape[masks[0].ndim :]), array.dtype)
    places = [place for place, key in enumerate(keys) if key is Ellipsis]
    missing = array.ndim - sum(key is not None and key is not Ellipsis for key in keys)
    place = places[0] if places else len(keys)
    keys[place : place + 1] = [slice(None)] * missing
    advanced = [place for place, key in enumerate(keys) if key is not None and not isinstance(key, slice)]
    is_together = advanced[-1] - advanced[0] == len(advanced) - 1
    block = numpy.broadcast_shapes(*[numpy.shape(keys[place]) for place in advanced])
    lengths = iter(array.shape)
    before: list[int] = []
    after: list[int] = []
    for place, index in enumerate(keys):
        length = 1 if index is None else next(lengths)
        if place not in advanced:
            taken = length if index is None else len(range(*index.indices(length)))
            (before if is_together and place < advanced[0] else after).append(taken)
    return MetaArray((*before, *block, *after), array.dtype)


# --- arrays put together, elements taken out -------------------------------------------------------------------------


def _concatenate(function: Function, arrays: Sequence[Any], axis: int = 0, out: Any = None, dtype: Any = None) -> Any:
    if out is not None:
        return out
    size = list(arrays[0].shape)
    size[axis] = sum(array.shape[axis] for array in arrays)
    common = numpy.result_type(*[array.dtype for array in arrays]) if dtype is None else dtype
    return MetaArray(tuple(size), common)


def _stack(function: Function, arrays: Sequence[Any], axis: int = 0, out: Any = None, dtype: Any = None) -> Any:
    arrays = list(arrays)
    common = numpy.result_type(*[array.dtype for array in arrays]) if dtype is None else dtype
    size = list(arrays[0].shape)
    size.insert(axis % (len(size) + 1), len(arrays))
    return MetaArray(tuple(size), common)


def _tile(function: Function, array: MetaArray, times: Any) -> Any:
    times = tuple(times) if hasattr(times, "__iter__") else (times,)
    rank = max(array.ndim, len(times))
    size = (1,) * (rank - array.ndim) + array.shape
    times = (1,) * (rank - len(times)) + times
    return MetaArray(tuple([length * count for length, count in zip(size, times, strict=True)]), array.dtype)


def _repeat(function: Function, array: MetaArray, repeats: Any, axis: int | None = None) -> Any:
    if axis is None:
        array, axis = MetaArray((array.size,), array.dtype), 0
    size = list(array.shape)
    if isinstance(repeats, MetaArray):
        no_answer()
    size[axis] = size[axis] * repeats if isinstance(repeats, int) else int(numpy.sum(repeats))
    return MetaArray(tuple(size), array.dtype)


def _take(function: Function, array: Any, index: Any, axis: int | None = None, out: Any = None, **_: Any) -> Any:
    if out is not None:
        return out
    if axis is None:
        return MetaArray(_shape(index), array.dtype)
    axis %= array.ndim
    return MetaArray((*array.shape[:axis], *_shape(index), *array.shape[axis + 1 :]), array.dtype)


def _take_along_axis(function: Function, array: MetaArray, index: MetaArray, axis: int = -1) -> Any:
    return MetaArray(index.shape, array.dtype)


def _searchsorted(function: Function, ends: MetaArray, sought: Any, *_: Any, **__: Any) -> Any:
    return MetaArray(_shape(sought), numpy.int64)


def _bincount(function: Function, places: MetaArray, weights: Any = None, minlength: int = 0) -> Any:
    return MetaArray((minlength,), numpy.int64 if weights is None else numpy.float64)


def _unravel_index(function: Function, places: MetaArray, size: Size) -> Any:
    return tuple([MetaArray(places.shape, numpy.int64) for _ in size])


def _delete(function: Function, array: MetaArray, place: int, axis: int) -> Any:
    size = list(array.shape)
    size[axis] -= 1
    return MetaArray(tuple(size), array.dtype)


def _nothing(function: Function, *_: Any, **__: Any) -> None:
    """There is nothing to write."""


def _no(function: Function, *_: Any, **__: Any) -> bool:
    return False


# --- matrices --------------------------------------------------------------------------------------------------------


def _matmul(function: Function, one: Any, other: Any, out: Any = None, **_: Any) -> Any:
    if out is not None:
        return out
    dtype = numpy.result_type(one.dtype, other.dtype)
    rows, columns = one.shape[-2:-1], other.shape[-1:] if other.ndim > 1 else ()
    return MetaArray((*numpy.broadcast_shapes(one.shape[:-2], other.shape[:-2]), *rows, *columns), dtype)


def _vecdot(function: Function, one: MetaArray, other: MetaArray, **_: Any) -> Any:
    size = numpy.broadcast_shapes(one.shape, other.shape)
    return MetaArray(size[:-1], numpy.result_type(one.dtype, other.dtype))


def _einsum(function: Function, formula: str, *arrays: Any, **_: Any) -> Any:
    inputs, output = formula.split("->")
    lengths: dict[str, int] = {}
    for letters, array in zip(inputs.split(","), arrays, strict=True):
        lengths.update(zip(letters, array.shape, strict=True))
    return MetaArray(
        tuple([lengths[letter] for letter in output]), numpy.result_type(*[array.dtype for array in arrays])
    )


def _real(dtype: numpy.dtype) -> numpy.dtype:
    return numpy.zeros(0, dtype).real.dtype


def _complex(dtype: numpy.dtype) -> numpy.dtype:
    return numpy.result_type(dtype, numpy.complex64)


def _svd(function: Function, A: MetaArray, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    *batch, rows, columns = A.shape
    least = min(rows, columns)
    sizes = MetaArray((*batch, least), _real(A.dtype))
    if not compute_uv:
        return sizes
    left = MetaArray((*batch, rows, rows if full_matrices else least), A.dtype)
    return left, sizes, MetaArray((*batch, columns if full_matrices else least, columns), A.dtype)


def _qr(function: Function, A: MetaArray, mode: str = "reduced") -> Any:
    *batch, rows, columns = A.shape
    inner = rows if mode == "complete" else min(rows, columns)
    if mode == "raw":
        return MetaArray((*batch, columns, rows), A.dtype), MetaArray((*batch, inner), A.dtype)
    triangle = MetaArray((*batch, inner, columns), A.dtype)
    return triangle if mode == "r" else (MetaArray((*batch, rows, inner), A.dtype), triangle)


def _det(function: Function, A: MetaArray) -> Any:
    return MetaArray(A.shape[:-2], A.dtype)


def _slogdet(function: Function, A: MetaArray) -> Any:
    return MetaArray(A.shape[:-2], A.dtype), MetaArray(A.shape[:-2], _real(A.dtype))


def _eigvalsh(function: Function, A: MetaArray, UPLO: str = "L") -> Any:
    return MetaArray(A.shape[:-1], _real(A.dtype))


def _eigh(function: Function, A: MetaArray, UPLO: str = "L") -> Any:
    return _eigvalsh(function, A), MetaArray(A.shape, A.dtype)


def _eig(function: Function, A: MetaArray) -> Any:
    dtype = _complex(A.dtype)
    return MetaArray(A.shape[:-1], dtype), MetaArray(A.shape, dtype)


def _same(function: Function, A: MetaArray, *_: Any, **__: Any) -> Any:
    return MetaArray(A.shape, A.dtype)


def _solve(function: Function, A: MetaArray, B: MetaArray) -> Any:
    if B.ndim == 1:
        return MetaArray((*A.shape[:-2], *B.shape), B.dtype)
    return MetaArray((*numpy.broadcast_shapes(A.shape[:-2], B.shape[:-2]), *B.shape[-2:]), B.dtype)


# --- Fourier transforms ----------------------------------------------------------------------------------------------


def _fft(function: Function, array: MetaArray, n: int | None = None, axis: int = -1, norm: Any = None) -> Any:
    size = list(array.shape)
    if function is numpy.fft.irfft:
        size[axis] = 2 * (size[axis] - 1) if n is None else n
        return MetaArray(tuple(size), _real(array.dtype))
    size[axis] = size[axis] if n is None else n
    if function is numpy.fft.rfft:
        size[axis] = size[axis] // 2 + 1
    return MetaArray(tuple(size), _complex(array.dtype))


def _fftn(function: Function, array: MetaArray, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
    size = list(array.shape)
    axes = range(array.ndim) if axes is None else axes
    if function is numpy.fft.rfftn:
        size[axes[-1]] = size[axes[-1]] // 2 + 1
    return MetaArray(tuple(size), _complex(array.dtype))


_GROUPS: tuple[tuple[Function, str], ...] = (
    (_elementwise, "clip nan_to_num sinc i0 angle real imag isclose copy conj conjugate round"),
    (_along_axis, "sort argsort flip roll cumsum cumprod tril triu add.accumulate multiply.accumulate "
                  "maximum.accumulate minimum.accumulate logaddexp.accumulate bitwise_or.accumulate"),
    (_partition, "argpartition partition"),
    (_where, "where"),
    (_reduction_by(None), "sum prod max min amax amin mean std var any argmax argmin count_nonzero nansum"),
    (_reduction_by(0), "add.reduce multiply.reduce maximum.reduce minimum.reduce logical_and.reduce logical_or.reduce "
                       "bitwise_xor.reduce bitwise_or.reduce logaddexp.reduce fmax.reduce fmin.reduce"),
    (_all, "all"),
    (_trace, "trace"),
    (_new, "zeros ones empty"),
    (_full, "full"),
    (_like, "zeros_like ones_like empty_like full_like"),
    (_arange, "arange"),
    (_eye, "eye tri"),
    (_as_array, "asarray array ascontiguousarray frombuffer"),
    (_astype, "astype"),
    (_view, "reshape transpose swapaxes moveaxis expand_dims squeeze broadcast_to diagonal broadcast_shapes"),
    (_flat, "ravel flatten"),
    (_as_strided, "lib.stride_tricks.as_strided"),
    (_reinterpreted, "view"),
    (_getitem, "getitem"),
    (no_answer, "nonzero unique"),
    (_concatenate, "concatenate"),
    (_stack, "stack"),
    (_tile, "tile"),
    (_repeat, "repeat"),
    (_take, "take"),
    (_take_along_axis, "take_along_axis"),
    (_searchsorted, "searchsorted"),
    (_bincount, "bincount"),
    (_unravel_index, "unravel_index"),
    (_delete, "delete"),
    (_nothing, "copyto put_along_axis fill add.at multiply.at minimum.at maximum.at"),
    (_no, "may_share_memory shares_memory"),
    (_matmul, "matmul dot"),
    (_vecdot, "vecdot"),
    (_einsum, "einsum"),
    (_svd, "linalg.svd"),
    (_qr, "linalg.qr"),
    (_det, "linalg.det"),
    (_slogdet, "linalg.slogdet"),
    (_eigvalsh, "linalg.eigvalsh"),
    (_eigh, "linalg.eigh"),
    (_eig, "linalg.eig"),
    (_same, "linalg.cholesky linalg.inv"),
    (_solve, "linalg.solve"),
    (_fft, "fft.fft fft.ifft fft.rfft fft.irfft"),
    (_fftn, "fft.fftn fft.ifftn fft.rfftn"),
)  # fmt: skip
_RULES: dict[str, Function] = {name: rule for rule, names in _GROUPS for name in names.split()}
