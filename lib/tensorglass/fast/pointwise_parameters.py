"""Shortcuts of small calls of elementwise operators with any parameters and ``out=``.

If all tensors have one size and dtype and no gaps, so does the result, and the kernel's own array is the result. Most
calls without parameters do not come here: `fast.pointwise` handles them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from tensorglass.backends import Array
from tensorglass.backends.host_memory import LEAST
from tensorglass.backends.numpy_backend import HOST
from tensorglass.core import dtypes
from tensorglass.core.devices import CPU
from tensorglass.core.dtypes import dtype as DType
from tensorglass.fast.kernels import FACTS, Facts
from tensorglass.geometry import CONTIGUOUS_STRIDES
from tensorglass.ops.declare.kernel import Kernel
from tensorglass.ops.declare.run_pointwise import with_half_alpha
from tensorglass.ops.kernels import half
from tensorglass.tensor.construct import result_tensor
from tensorglass.tensor.tensor import Tensor, raw_array
from tensorglass.tensor.torch_function import PLAIN_TYPES

CATEGORY = {int: dtypes.INTEGER, float: dtypes.FLOATING}  #: exact types of numbers, without subclasses
FLOAT32 = HOST.array_dtype(dtypes.float32)
FEW_HALVES = 1 << 10  #: elements; looking up their results in a table takes longer than computing them


_Read = tuple[Tensor, list[Any], int, bool]


def computed_small(
    kernel: Kernel,
    operands: Sequence[Any],
    parameters: dict[str, Any],
    out: Tensor | None = None,
    inplace: bool = False,
) -> Tensor | None:
    """The result of a small call on the CPU, without recording it; None for all others."""
    read = _read_alike(operands)
    return None if read is None else _computed(FACTS[kernel], read, operands, parameters, out, inplace)


def _computed(
    facts: Facts, read: _Read, operands: Sequence[Any], parameters: dict[str, Any], out: Tensor | None, inplace: bool
) -> Tensor | None:
    kernel = facts.kernel
    first, arrays, highest, has_none = read
    dtype, size = first._dtype, first._size
    if highest > dtype.category or not size or first._storage._nbytes >= LEAST:
        return None
    computed, result = dtype, facts.direct_for(parameters).get(dtype)
    if result is None:
        computed, result = other_dtypes(facts, dtype, parameters)
    if result is None or (out is not None and not takes_result(out, result, size, operands)):
        return None
    has_numbers = highest is not dtypes.BOOL
    # If a length is 1 or 0 the stride is arbitrary, and with numbers it affects the result's strides.
    if (has_numbers or facts.is_like_input) and (first._stride != CONTIGUOUS_STRIDES[size] or 0 in size):
        return None
    is_half = computed is not dtype
    if is_half:
        if len(operands) == 1 and not parameters and out is None and arrays[0].size > FEW_HALVES:
            array = HOST.launch(half.looked_up, kernel.function, arrays[0], HOST.array_dtype(result))
            if array is not None:
                return result_tensor(array, result, HOST, first._storage.device, size, CONTIGUOUS_STRIDES[size])
        if dtype is dtypes.float16 and first.numel() >= half.LARGE:  # these are processed block by block
            return None
    if has_none or parameters or is_half or not dtype.is_floating_point:
        for check in facts.checks:  # none of the checks refuses plain floats
            check(operands, **parameters)
    if inplace and kernel.inplace_check is not None:
        kernel.inplace_check(operands, **parameters)
    if is_half and facts.rounds_numbers and parameters:
        parameters = with_half_alpha(parameters, HOST, dtype)
    if has_numbers:
        arrays = [
            array_of_number(facts, operand, dtype, is_half) if type(operand) in CATEGORY else operand
            for operand in arrays
        ]
    run = partial(kernel.function, HOST.xp, **parameters) if parameters else facts.on_host
    if out is not None:
        return write_result(out, run, arrays, is_half=is_half, writes=kernel.takes_out)
    array_dtype = HOST.array_dtype(result)
    try:
        array = HOST.attempt(through_float32, run, arrays, array_dtype) if is_half else HOST.attempt(run, *arrays)
    except (MemoryError, RuntimeError):  # the plain way meets the error again, and words it as PyTorch does
        return None
    if array.dtype is not array_dtype and array.dtype != array_dtype:
        array = HOST.run(array.astype, array_dtype)
    return result_tensor(array, result, HOST, first._storage.device, size, CONTIGUOUS_STRIDES[size])


def _read_alike(operands: Sequence[Any]) -> _Read | None:
    """The first tensor, the operands' arrays, the highest category of numbers, and whether operands are omitted.

    None unless there is a tensor, and all have one size and dtype, no gaps, and are on the CPU.
    """
    arrays: list[Any] = []
    first, highest, has_none = None, dtypes.BOOL, False
    for operand in operands:
        if type(operand) in PLAIN_TYPES:
            array = operand._array
            if array is None:
                array = raw_array(operand)
            if first is None:
                first, dtype, size = operand, operand._dtype, operand._size
            elif operand._dtype is not dtype or operand._size != size:
                return None
            if not operand._contiguous or operand._conj or operand._storage.backend is not HOST:
                return None
            arrays.append(array)
        elif operand is None:
            has_none = True
            arrays.append(None)
        elif type(operand) in CATEGORY:
            highest = max(highest, CATEGORY[type(operand)])
            arrays.append(operand)
        else:
            return None
    return None if first is None else (first, arrays, highest, has_none)


def other_dtypes(facts: Facts, dtype: DType, parameters: dict[str, Any]) -> tuple[DType, DType | None]:
    """The compute dtype for complex and half types, and the result's dtype; None leaves the call to the plain way."""
    if parameters and not facts.has_one_rule:
        return dtype, None
    return (dtype, facts.complexes.get(dtype)) if dtype.is_complex else (dtypes.float32, facts.halves.get(dtype))


def array_of_number(facts: Facts, number: Any, dtype: DType, is_half: bool) -> Array:
    """A number beside operands of `dtype`, as the array to compute with: beside half types it is float32."""
    made_of = facts.kernel.array_of_number
    if not is_half:
        return made_of(HOST, number, dtype)
    if facts.rounds_numbers:
        return HOST.run(made_of(HOST, number, dtype).astype, FLOAT32)
    return made_of(HOST, number, dtypes.float32)


def through_float32(run: Callable[..., Array], arrays: Sequence[Array | None], array_dtype: Any) -> Array:
    """What `run` computes from half-type arrays, each widened once; the result is rounded once, to `array_dtype`."""
    wide = [None if array is None else array.astype(FLOAT32) for array in arrays]
    return run(*wide).astype(array_dtype, copy=False)


def of_halves(facts: Facts, most: int) -> Callable[..., Tensor | None]:
    """A function of at most `most` elements of one half type and size, without gaps: the operator's result, not
    recorded; None for all others.
    """
    halves, checks, is_like_input = facts.halves, facts.checks, facts.is_like_input
    on_host, attempt = facts.on_host, HOST.attempt

    def compute_halves(*operands: Tensor) -> Tensor | None:
        first = operands[0]
        dtype, size, storage = first._dtype, first._size, first._storage
        result = halves.get(dtype)
        if result is None or not size or storage.device is not CPU:
            return None
        arrays: list[Array] = []
        for operand in operands:
            array = operand._array
            if array is None:
                array = raw_array(operand)
            is_here = operand._contiguous and operand._storage.device is CPU
            if operand._dtype is not dtype or operand._size != size or not is_here:
                return None
            arrays.append(array)
        stride = CONTIGUOUS_STRIDES[size]
        if arrays[0].size > most or (is_like_input and (first._stride != stride or 0 in size)):
            return None
        for check in checks:
            check(operands)
        try:
            computed = attempt(through_float32, on_host, arrays, HOST.array_dtype(result))
        except (MemoryError, RuntimeError):
            return None
        return result_tensor(computed, result, HOST, CPU, size, stride)

    return compute_halves


def write_result(
    out: Tensor, run: Callable[..., Array], arrays: Sequence[Array | None], *, is_half: bool, writes: bool
) -> Tensor:
    """`out`, which takes the result, with what `run` computes in it; `run` can write it there itself if it `writes`."""
    place = raw_array(out)
    if is_half:
        array = HOST.run(through_float32, run, arrays, place.dtype)
    elif writes:
        array = HOST.run(_into, run, arrays, place)
    else:
        array = HOST.run(run, *arrays)
    if array is not place:
        HOST.run(HOST.xp.copyto, place, array, "unsafe")
    out._written()
    return out


def _into(run: Callable[..., Array], arrays: Sequence[Array | None], place: Array) -> Array:
    return run(*arrays, out=place)


def takes_result(out: Tensor, result: DType, size: tuple[int, ...], operands: Sequence[Any]) -> bool:
    """Whether the result fits ``out=`` unchanged, and writing to it changes no operand except that very tensor."""
    if (
        type(out) not in PLAIN_TYPES
        or out._dtype is not result
        or out._size != size
        or out._storage.backend is not HOST
    ):
        return False
    raw_array(out)  # this also sets `_contiguous`
    if not out._contiguous:
        return False
    storage = out._storage
    for operand in operands:
        if operand is not out and type(operand) in PLAIN_TYPES and operand._storage is storage:
            return False
    return True
