"""Shortcuts of small calls of elementwise operators, whatever their parameters and ``out=``.

Where all tensors have one size and dtype and no gaps, the result has it too, and the kernel's own array is the result.
Most calls without parameters do not even come here: `fast.pointwise` has ways for those.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorglass.backends import Array
from tensorglass.backends.host_memory import LEAST
from tensorglass.backends.numpy_backend import HOST
from tensorglass.core import dtypes
from tensorglass.core.dtypes import dtype as DType
from tensorglass.fast.kernels import Facts
from tensorglass.geometry import CONTIGUOUS_STRIDES
from tensorglass.ops.declare import run_pointwise
from tensorglass.ops.declare.kernel import Call, Kernel
from tensorglass.ops.declare.run_pointwise import with_half_alpha
from tensorglass.ops.kernels import half
from tensorglass.tensor.construct import result_tensor
from tensorglass.tensor.tensor import Tensor, raw_array
from tensorglass.tensor.torch_function import PLAIN

_CATEGORY = {int: dtypes.INTEGER, float: dtypes.FLOATING}  # of numbers that no subclass makes special


def run(call: Call) -> Tensor:
    """`run_pointwise.run`, with a shortcut for small calls."""
    done = computed_small(*call)
    return _run_plainly(call) if done is None else done


_run_plainly = run_pointwise.run


def computed_small(
    kernel: Kernel,
    operands: Sequence[Any],
    parameters: dict[str, Any],
    out: Tensor | None = None,
    inplace: bool = False,
) -> Tensor | None:
    """The result of a small call on the CPU, of which nothing is recorded here; None for all others."""
    facts: Facts = kernel.facts
    arrays: list[Any] = []
    first, highest, has_none = None, dtypes.BOOL, False
    for operand in operands:
        if type(operand) in PLAIN:
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
        elif type(operand) in _CATEGORY:
            highest = max(highest, _CATEGORY[type(operand)])
            arrays.append(operand)
        else:
            return None
    if first is None or highest > dtype.category or not size or first._storage._nbytes >= LEAST:
        return None
    computed, result = dtype, facts.direct_for(parameters).get(dtype)
    if result is None and (facts.has_one_rule or not parameters):
        if dtype.is_complex:
            result = facts.complexes.get(dtype)
        else:
            computed, result = dtypes.float32, facts.halves.get(dtype)
    if result is None or (out is not None and not _is_plain(out, result, size, operands)):
        return None
    # Where a length is 1 or 0 the stride may be any, and beside numbers it matters for the result's.
    has_numbers = highest is not dtypes.BOOL
    if (has_numbers or facts.is_like_input) and (first._stride != CONTIGUOUS_STRIDES[size] or 0 in size):
        return None
    if computed is not dtype:
        if len(operands) == 1 and not parameters and out is None:
            made = HOST.launch(half.looked_up, kernel.function, arrays[0], HOST.array_dtype(result))
            if made is not None:
                return result_tensor(made, result, HOST, first._storage.device, size, CONTIGUOUS_STRIDES[size])
        if dtype is dtypes.float16 and raw_array(first).size >= half.LARGE:  # these go block by block
            return None
    if has_none or parameters or computed is not dtype or not dtype.is_floating_point:
        for check in facts.checks:  # none of them refuses plain floats
            check(operands, **parameters)
    if inplace and kernel.inplace_check is not None:
        kernel.inplace_check(operands, **parameters)
    if computed is not dtype:
        arrays = [HOST.run(each.astype, "float32") if isinstance(each, HOST.xp.ndarray) else each for each in arrays]
        if facts.rounds_numbers and parameters:
            parameters = with_half_alpha(parameters, HOST, dtype)
    if has_numbers and computed is dtype:
        array_of_number = kernel.array_of_number
        arrays = [array_of_number(HOST, each, dtype) if type(each) in _CATEGORY else each for each in arrays]
    elif has_numbers:
        arrays = [_number(facts, each, dtype, computed) if type(each) in _CATEGORY else each for each in arrays]
    if out is None:
        try:
            made = HOST.attempt(kernel.function, HOST.xp, *arrays, **parameters)
        except (MemoryError, RuntimeError):  # the plain way meets the error again, and words it as PyTorch does
            return None
        array_dtype = HOST.array_dtype(result)
        if made.dtype is not array_dtype and made.dtype != array_dtype:
            made = HOST.run(made.astype, array_dtype)
        return result_tensor(made, result, HOST, first._storage.device, size, CONTIGUOUS_STRIDES[size])
    place = raw_array(out)
    if kernel.takes_out and (computed is dtype or result is dtypes.bool):
        made = HOST.launch(kernel.function, *arrays, **parameters, out=place)
    else:
        made = HOST.launch(kernel.function, *arrays, **parameters)
    if made is not place:
        HOST.run(HOST.xp.copyto, place, made, "unsafe")
    out._written()
    return out


def _number(facts: Facts, number: float, dtype: DType, computed: DType) -> Array:
    """A number as an operand beside tensors of `dtype`, in the dtype computed in."""
    if computed is not dtype and facts.rounds_numbers:
        return HOST.run(facts.kernel.array_of_number(HOST, number, dtype).astype, "float32")
    return facts.kernel.array_of_number(HOST, number, computed)


def _is_plain(out: Tensor, result: DType, size: tuple[int, ...], operands: Sequence[Any]) -> bool:
    """Whether the result fits ``out=`` as it is, and writing there changes no operand but that very tensor."""
    if type(out) not in PLAIN or out._dtype is not result or out._size != size or out._storage.backend is not HOST:
        return False
    raw_array(out)  # which finds out whether there are gaps
    if not out._contiguous:
        return False
    storage = out._storage
    for operand in operands:
        if operand is not out and type(operand) in PLAIN and operand._storage is storage:
            return False
    return True
