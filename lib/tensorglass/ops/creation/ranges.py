"""Ranges: tensors whose elements follow from their place: arange, linspace, logspace."""

from __future__ import annotations

import math
from typing import Any, Unpack

from tensorglass import backends
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import explained, warn
from tensorglass.ops.arg_parser.checks import invalid_combination, not_implemented
from tensorglass.ops.creation.factory import Options, Place, factory, of_kernel, read_number, read_out_options
from tensorglass.ops.declare.run_pointwise import refuse_overlapping_write
from tensorglass.ops.kernels.python_numbers import checked
from tensorglass.tensor.tensor import Tensor, raw_array

# --- arange ----------------------------------------------------------------------------------------------------------


@factory(signatures=("Number end", "Number start, Number end", "Number start, Number end, Number step = 1"))
def arange(
    start: Any = None, end: Any = None, step: Any = 1, *, out: Tensor | None = None, **options: Unpack[Options]
) -> Tensor:
    """The numbers from `start` (0 unless given) up to but not including `end`, `step` apart.

    Called as ``arange(end)``, ``arange(start, end)`` or ``arange(start, end, step)``. Ints give int64; a float among
    them gives the default dtype. With a fractional step, rounding may decide about the last element: `linspace` says
    outright how many there are.
    """
    if end is None:
        start, end = None, start
    if end is None:
        raise invalid_combination("arange", (), "(Number end)", "(Number start, Number end, Number step = 1)")
    last = read_number("arange", "end", 1 if start is None else 2, end)
    first = 0 if start is None else read_number("arange", "start", 1, start)
    by = read_number("arange", "step", 3, step)
    is_whole = all(isinstance(number, int) for number in (first, last, by))
    place = read_out_options("arange", options, out, dtypes.int64 if is_whole else None)
    count = _range_length(first, last, by, place.dtype)
    if out is not None and out.numel() not in (0, count):
        warn(
            f"The number of elements in the out tensor of shape {list(out._size)} is {out.numel()} which does not "
            f"match the computed number of elements {count}. Note that this may occur as a result of rounding error. "
            f"The out tensor will be resized to a tensor of shape ({count},)."
        )
    return _in_a_row(count, place, out, _arange, first, by, count, place.dtype)


def _range_length(start: complex, end: complex, step: complex, dtype: DType) -> int:
    """How many elements there are: integers are counted as such, all others in float64."""
    if dtype in (dtypes.bool, dtypes.complex64, dtypes.complex128):
        raise NotImplementedError(f"\"arange_cpu\" not implemented for '{dtype.scalar_type}'")
    if any(isinstance(number, complex) for number in (start, end, step)):
        raise RuntimeError("value cannot be converted to type double without overflow")
    is_step = step != 0
    if dtype in (dtypes.int64, dtypes.uint64):
        start, end, step = (int(checked(number, dtype).real) for number in (start, end, step))
    first, last, by = start.real, end.real, step.real
    if by == 0 or math.isnan(by):
        raise (ValueError if is_step and by == 0 else RuntimeError)("step must be nonzero")  # a step cut to 0
    if not math.isfinite(first) or not math.isfinite(last):
        raise RuntimeError(f"unsupported range: {first:g} -> {last:g}")
    if (last - first) * by < 0:
        raise explained(
            RuntimeError("upper bound and lower bound inconsistent with step sign"),
            f"Going from {first} to {last} takes a {'negative' if by > 0 else 'positive'} step.",
        )
    if dtype in (dtypes.int64, dtypes.uint64):
        return -(-(int(last) - int(first)) // int(by))
    count = math.ceil((float(last) - float(first)) / by)
    if count >= 2**63:
        raise RuntimeError("invalid size, possible overflow?")
    return count


def _arange(xp: Any, start: Any, step: Any, count: int, dtype: DType) -> Array:
    if dtype is dtypes.uint64:  # int64 has not all of them
        return xp.arange(count, dtype="uint64") * xp.uint64(int(step) % 2**64) + xp.uint64(int(start) % 2**64)
    if dtype.category == dtypes.INTEGER:
        start, step = int(start), int(step)
        if step:
            return xp.arange(start, start + count * step, step, "int64")
    numbers = xp.arange(count, dtype="float64")
    if step != 1:
        numbers *= step
    if start != 0 or step < 0:  # 0 times a negative step is -0, which 0 is not
        numbers += start
    return numbers


def _in_a_row(count: int, place: Place, out: Tensor | None, kernel: Any, *arguments: Any) -> Tensor:
    """The `count` elements that the kernel returns; an `out` with as many elements keeps its size."""
    if out is None or out.numel() != count:
        return of_kernel((count,), place, kernel, *arguments, out=out)
    refuse_overlapping_write(out)
    raw_array(out)[...] = out._backend.launch(kernel, *arguments).reshape(out._size)
    out._written()
    return out


@factory(method=False)
def range(start: Any, end: Any, step: Any = 1, *, out: Tensor | None = None, **options: Unpack[Options]) -> Tensor:
    """As `arange`, with `end` included and the default dtype. Deprecated in PyTorch: use `arange`."""
    warn(
        "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
        "Python's range builtin. Instead, use torch.arange, which produces values in [start, end)."
    )
    first, last, by = (
        read_number("range", argument, position, value)
        for position, (argument, value) in enumerate((("start", start), ("end", end), ("step", step)), start=1)
    )
    place = read_out_options("range", options, out)
    if place.dtype is dtypes.bool or place.dtype.is_complex:
        raise NotImplementedError(f"\"range_cpu\" not implemented for '{place.dtype.scalar_type}'")
    _range_length(first, last, by, dtypes.float64)  # raises if the step leads away from the end
    if place.dtype.category == dtypes.INTEGER:
        first, last, by = (int(number.real) for number in (first, last, by))
    count = math.floor((last.real - first.real) / by.real) + 1
    return _in_a_row(count, place, out, _arange, first, by, count, place.dtype)


# --- linspace and logspace -------------------------------------------------------------------------------------------


_ENDS = ("Tensor start, Tensor end", "Number start, Tensor end", "Tensor start, Number end", "Number start, Number end")


@factory(signatures=[f"{ends}, int steps" for ends in _ENDS])
def linspace(start: Any, end: Any, steps: int, *, out: Tensor | None = None, **options: Unpack[Options]) -> Tensor:
    """`steps` numbers at equal distances from `start` to `end`, both included."""
    first, last, count, place = _read_ends("linspace", start, end, steps, out, options)
    array_dtype = backends.get(place.device).array_dtype(place.dtype)
    return _in_a_row(count, place, out, _linspace, first, last, count, array_dtype)


@factory(signatures=[f"{ends}, int steps, float base = 10.0" for ends in _ENDS])
def logspace(
    start: Any, end: Any, steps: int, base: float = 10.0, *, out: Tensor | None = None, **options: Unpack[Options]
) -> Tensor:
    """`base` to the power of `steps` numbers at equal distances from `start` to `end`, both included."""
    if isinstance(base, complex):
        raise TypeError("must be float, not complex")
    first, last, count, place = _read_ends("logspace", start, end, steps, out, options)
    array_dtype = backends.get(place.device).array_dtype(place.dtype)
    return _in_a_row(count, place, out, _logspace, first, last, count, base, array_dtype)


def _read_ends(
    name: str, start: Any, end: Any, steps: Any, out: Tensor | None, options: Options
) -> tuple[complex, complex, int, Place]:
    ends = (start, end)
    if any(isinstance(end, Tensor) and end._size for end in ends):
        got = [
            f"{argument} with {end.dim()} dimension(s)"
            for argument, end in zip(("start", "end"), ends, strict=True)
            if isinstance(end, Tensor)
        ]
        raise RuntimeError(f"{name} only supports 0-dimensional start and end tensors, but got {' and '.join(got)}.")
    first, last = read_number(name, "start", 1, start), read_number(name, "end", 2, end)
    is_array = hasattr(steps, "__len__") and not isinstance(steps, Tensor)
    if isinstance(steps, bool) or not hasattr(steps, "__index__") or is_array:
        raise invalid_combination(name, (start, end, steps), "(Number start, Number end, int steps)")
    count = int(steps)
    if count < 0:
        raise RuntimeError("number of steps must be non-negative")
    is_complex = isinstance(first, complex) or isinstance(last, complex)
    place = read_out_options(name, options, out, dtypes.get_default_dtype().to_complex() if is_complex else None)
    if count > 1 and place.dtype is dtypes.bool:
        raise not_implemented(f"{name}_cpu", place.dtype)
    if is_complex and not place.dtype.is_complex:
        inferred = dtypes.C_NAMES[dtypes.get_default_dtype().to_complex()]
        raise RuntimeError(
            f"torch.{name}(): inferred dtype {inferred} can't be safely cast to passed dtype {place.dtype.scalar_type}"
        )
    if count:  # an end that is not among the numbers may be anything
        first = checked(first, place.dtype)
    return first, checked(last, place.dtype) if count > 1 else last, count, place


def _linspace(xp: Any, start: complex, end: complex, count: int, array_dtype: Any) -> Array:
    """Each half is counted from its own end, so that both ends come out exactly.

    Ends are elements of the dtype; integers are computed in float64, half types in float32.
    """
    is_whole, is_half = array_dtype.kind in "iu", array_dtype.itemsize < 4
    work = xp.dtype("float64" if is_whole else "float32") if is_whole or is_half else array_dtype
    first, last = [xp.asarray(value).astype(array_dtype).astype(work, copy=False) for value in (start, end)]
    if count == 1:
        return xp.full(1, first)
    step = (last - first) / work.type(max(count - 1, 1))
    if is_half and not is_whole:
        step = step.astype(array_dtype).astype(work)
    half = count // 2
    early, late = xp.arange(half, dtype="float64"), xp.arange(count - 1 - half, -1, -1, dtype="float64")
    numbers = xp.empty(count, work)
    if array_dtype.kind == "f" and not is_half:
        numbers[:half] = _multiplied_and_added(xp, step, early, first)
        numbers[half:] = _multiplied_and_added(xp, -step, late, last)
        return numbers
    early, late = early.astype(work) * step, late.astype(work) * step
    if is_half and not is_whole:
        early, late = [half.astype(array_dtype).astype(work) for half in (early, late)]
    numbers[:half] = first + early
    numbers[half:] = last - late
    return xp.trunc(numbers) if is_whole else numbers


def _multiplied_and_added(xp: Any, step: Array, places: Array, start: Array) -> Array:
    """``step * places + start``, rounded once, as processors compute it in one instruction; `places` are whole."""
    if step.dtype.itemsize == 4:  # the product is exact in float64
        return (step.astype("float64") * places + start).astype(step.dtype)
    split = step * (2.0**27 + 1)  # the upper half of the digits (Dekker 1971), whose product is exact
    high = xp.where(xp.isfinite(split), split - (split - step), step)
    far = high * places
    total = start + far
    lost = (start - (total - (total - start))) + (far - (total - start))  # by that sum (Knuth)
    lost = lost + (step - high) * places
    return total + xp.where(xp.isfinite(lost), lost, 0.0)


def _logspace(xp: Any, start: complex, end: complex, count: int, base: float, array_dtype: Any) -> Array:
    """For integer dtypes, only the exponents at the ends are integers."""
    if array_dtype.kind in "iu":
        start, end = (int(checked(number, dtypes.int64).real) for number in (start, end))
    if array_dtype.kind == "c":
        exponents = _linspace(xp, start, end, count, xp.dtype("complex128"))
    else:
        work = xp.dtype("float64") if array_dtype.kind in "iu" else array_dtype
        exponents = _linspace(xp, start, end, count, work).astype("float64")
    numbers = xp.power(base, exponents)
    return xp.trunc(numbers) if array_dtype.kind in "iu" else numbers
