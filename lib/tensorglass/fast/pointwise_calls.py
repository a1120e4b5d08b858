"""Shortcuts of small calls of elementwise operators with parameters, numbers or ``out=``, each remembered.

All that follows from the operands' dtype and from the numbers and options of a call is worked out once: whether the
call is allowed, the result's dtype, and a function of the tensors' arrays alone. The next call with these numbers only
checks its tensors: they must have one floating-point dtype and one size, no gaps, lie on the CPU, and not be recorded.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import NoneType
from typing import Any, NamedTuple

from tensorglass.backends import Array
from tensorglass.backends.host_memory import LEAST
from tensorglass.backends.numpy_backend import HOST
from tensorglass.core import dtypes
from tensorglass.core.devices import CPU
from tensorglass.core.dtypes import dtype as DType
from tensorglass.fast.kernels import Facts
from tensorglass.fast.pointwise_parameters import (
    CATEGORY,
    array_of_number,
    other_dtypes,
    takes_result,
    through_float32,
    write_result,
)
from tensorglass.geometry import CONTIGUOUS_STRIDES
from tensorglass.ops.arg_parser.pointwise_arguments import CallSignature
from tensorglass.ops.declare.run_pointwise import with_half_alpha
from tensorglass.ops.kernels.half import LARGE
from tensorglass.tensor.construct import result_tensor
from tensorglass.tensor.grad_mode import state
from tensorglass.tensor.tensor import Tensor, raw_array
from tensorglass.tensor.torch_function import PLAIN_TYPES

Form = Callable[..., Any]

_MANY_PLANS = 64  # of one operator: it is called with numbers that change all the time
_VALUES = {int, float, bool, str, NoneType}


class _Plan(NamedTuple):
    run: Callable[..., Array]  #: of the tensors' arrays; takes `out` if `writes`
    result: DType
    array_dtype: Any  #: of the result
    is_half: bool
    needs_strides: bool  #: whether the result has the first operand's layout, or a number may change it
    writes: bool  #: whether `run` can write the result itself


def of_calls(
    facts: Facts, signature: CallSignature, form: Form, *, is_method: bool = False, in_place: bool = False
) -> Form:
    """`form`, preceded by the shortcut."""
    known: dict[tuple[Any, ...], _Plan | None] = {}
    takes_out = signature.has_out and not is_method

    def called(arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Tensor | None:
        read = _read(arguments, keywords, takes_out)
        if read is None:
            return None
        key, tensors, out = read
        first = tensors[0]
        size, stride = first._size, CONTIGUOUS_STRIDES[first._size]
        arrays = _arrays_alike(tensors)
        if arrays is None:
            return None
        plan = known.get(key, _UNKNOWN)
        if plan is _UNKNOWN:
            if len(known) >= _MANY_PLANS:
                known.clear()
            plan = known[key] = _planned(facts, signature, arguments, keywords, is_method, in_place)
        if plan is None or (plan.needs_strides and (first._stride != stride or 0 in size)):
            return None
        if plan.is_half and arrays[0].size >= LARGE:
            return None
        if in_place or out is not None:
            target = first if out is None else out
            if not takes_result(target, plan.result, size, tensors):
                return None
            return write_result(target, plan.run, arrays, is_half=plan.is_half, writes=plan.writes)
        try:
            if plan.is_half:
                array = HOST.attempt(through_float32, plan.run, arrays, plan.array_dtype)
            else:
                array = HOST.attempt(plan.run, *arrays)
        except (MemoryError, RuntimeError):  # the plain way meets the error again, and words it as PyTorch does
            return None
        return result_tensor(array, plan.result, HOST, CPU, size, stride) if array.dtype == plan.array_dtype else None

    @wraps(form)
    def small_first(*arguments: Any, **keywords: Any) -> Any:
        result = called(arguments, keywords)
        return form(*arguments, **keywords) if result is None else result

    return small_first


_UNKNOWN: Any = object()


def _read(
    arguments: tuple[Any, ...], keywords: dict[str, Any], takes_out: bool
) -> tuple[tuple[Any, ...], list[Tensor], Tensor | None] | None:
    """What a plan depends on, the tensors, and ``out``; None for an unusual call."""
    first: Any = arguments[0] if arguments else None
    if type(first) not in PLAIN_TYPES:
        return None
    key = [first._dtype]
    tensors, out = [], None
    for argument in arguments:
        kind = type(argument)
        if kind is Tensor or kind in PLAIN_TYPES:
            tensors.append(argument)
            key.append(Tensor)
        elif kind in _VALUES:
            key += (kind, argument or str(argument))  # 0.0 and -0.0 are equal
        else:
            return None
    for name, argument in keywords.items():
        kind = type(argument)
        if kind in _VALUES:
            key += (name, kind, argument or str(argument))
        elif kind not in PLAIN_TYPES:
            return None
        elif name == "out":
            if not takes_out or argument._meta is not None:
                return None
            out = argument
        else:
            key.append(name)
            tensors.append(argument)
    return tuple(key), tensors, out


def _arrays_alike(tensors: list[Tensor]) -> list[Array] | None:
    """The arrays of small tensors of one dtype and size, without gaps, on the CPU, of which nothing is recorded."""
    first = tensors[0]
    dtype, size = first._dtype, first._size
    if not size or first._storage._nbytes >= LEAST:
        return None
    arrays = []
    for tensor in tensors:
        array, meta = tensor._array, tensor._meta
        if array is None:
            array = raw_array(tensor)
        if tensor._dtype is not dtype or tensor._size != size or not tensor._contiguous:
            return None
        if tensor._storage.device is not CPU or (meta is not None and (state.grad or meta.is_inference)):
            return None
        arrays.append(array)
    return arrays


def _planned(
    facts: Facts, signature: CallSignature, arguments: Any, keywords: Any, is_method: bool, in_place: bool
) -> _Plan | None:
    """How to run such a call; None if it is refused, or is none for the shortcut."""
    kernel = facts.kernel
    try:
        operands, parameters, _ = signature.read(arguments, keywords, is_method, in_place)
        for check in facts.checks:
            check(operands, **parameters)
        if in_place and kernel.inplace_check is not None:
            kernel.inplace_check(operands, **parameters)
    except (TypeError, RuntimeError, ValueError, NotImplementedError, OverflowError):  # the form raises it again
        return None
    count = sum(type(operand) in PLAIN_TYPES for operand in operands)
    constants = operands[count:]
    if not all(type(operand) in PLAIN_TYPES for operand in operands[:count]):
        return None
    dtype: DType = operands[0]._dtype
    numbers = [CATEGORY.get(type(constant), dtypes.COMPLEX) for constant in constants if constant is not None]
    if not dtype.is_floating_point or max(numbers, default=dtypes.BOOL) > dtype.category:
        return None
    result = facts.direct_for(parameters).get(dtype)
    is_half = result is None
    if result is None:
        result = other_dtypes(facts, dtype, parameters)[1]
    if result is None:
        return None
    if is_half and facts.rounds_numbers and parameters:
        parameters = with_half_alpha(parameters, HOST, dtype)
    fixed = [None if constant is None else array_of_number(facts, constant, dtype, is_half) for constant in constants]
    return _Plan(
        _bound(facts, fixed, parameters),
        result,
        HOST.array_dtype(result),
        is_half,
        facts.is_like_input or bool(numbers),
        kernel.takes_out,
    )


def _bound(facts: Facts, fixed: list[Array | None], parameters: dict[str, Any]) -> Callable[..., Array]:
    """The kernel as a function of the tensors' arrays."""
    if not parameters and not fixed:
        return facts.on_host
    function, xp = facts.kernel.function, HOST.xp

    def run(*arrays: Array, **written: Array) -> Array:
        result: Array = function(xp, *arrays, *fixed, **parameters, **written)
        return result

    return run
