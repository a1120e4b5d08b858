"""Small calls of elementwise operators in which there is nothing to work out, whatever their parameters and ``out=``.

The one idea to keep in mind: where all tensors have one size and dtype and no gaps, the result has it too, and the
kernel's own array is the result. Calls without parameters do not even come here; `straight` has ways for those.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorglass import dtypes
from tensorglass.backends import Array, Backend
from tensorglass.backends.host_memory import LEAST
from tensorglass.backends.numpy_backend import HOST
from tensorglass.dtypes import dtype as DType
from tensorglass.geometry import CONTIGUOUS_STRIDES
from tensorglass.making import result_tensor
from tensorglass.ops import half_types
from tensorglass.ops.kernel import Kernel
from tensorglass.ops.scalars import number_array
from tensorglass.shortcuts import shortcut
from tensorglass.tensor import Tensor, raw_array

_CATEGORY = {int: dtypes.INTEGER, float: dtypes.FLOATING}  # of numbers that no subclass makes special


@shortcut
def computed_at_once(
    kernel: Kernel,
    operands: Sequence[Any],
    parameters: dict[str, Any],
    out: Tensor | None,
    inplace: bool,
    has_meta: bool = False,
) -> Tensor | None:
    """The result of a small call on the CPU; None for all others, and for those that gradients may flow through.

    With `has_meta` these are computed too. ``torch.clamp(a, -1, 1)`` of 4×4 takes 4.5 µs so, and not 10.
    """
    arrays: list[Any] = []
    first, highest, has_none = None, dtypes.BOOL, False
    for operand in operands:
        if type(operand) is Tensor:
            array = operand._array
            if array is None:
                array = raw_array(operand)
            if first is None:
                first, dtype, size = operand, operand._dtype, operand._size
            elif operand._dtype is not dtype or operand._size != size:
                return None
            if not operand._contiguous or operand._conj or operand._storage.backend is not HOST:
                return None
            if operand._meta is not None and not has_meta:
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
    computed, result = dtype, kernel.direct_for(parameters).get(dtype)
    if result is None and (kernel.has_one_rule or not parameters):
        if dtype.is_complex:
            result = kernel.complexes.get(dtype)
        else:
            computed, result = dtypes.float32, kernel.halves.get(dtype)
    if result is None or (out is not None and not _is_plain(out, result, size, operands, has_meta)):
        return None
    # Where a length is 1 or 0 the stride may be any, and beside numbers it has a say in the result's.
    has_numbers = highest is not dtypes.BOOL
    if (has_numbers or kernel.is_like_input) and (first._stride != CONTIGUOUS_STRIDES[size] or 0 in size):
        return None
    if computed is not dtype:
        if len(operands) == 1 and not parameters and out is None:
            made = HOST.launch(half_types.looked_up, kernel.function, arrays[0], HOST.array_dtype(result))
            if made is not None:
                return result_tensor(made, result, HOST, first._storage.device, size, CONTIGUOUS_STRIDES[size])
        if dtype is dtypes.float16 and raw_array(first).size >= half_types.LARGE:  # these go block by block
            return None
    if has_none or parameters or computed is not dtype or not dtype.is_floating_point:
        for check in kernel.checks:  # which have nothing to say of floats alone
            check(operands, **parameters)
    if inplace and kernel.inplace_check is not None:
        kernel.inplace_check(operands, **parameters)
    if computed is not dtype:
        arrays = [HOST.run(each.astype, "float32") if isinstance(each, HOST.xp.ndarray) else each for each in arrays]
        if kernel.rounds_numbers and parameters:
            parameters = with_half_alpha(parameters, HOST, dtype)
    if has_numbers:
        arrays = [_number(kernel, each, dtype, computed) if type(each) in _CATEGORY else each for each in arrays]
    if out is None:
        made = HOST.launch(kernel.function, *arrays, **parameters)
        array_dtype = HOST.array_dtype(result)
        if made.dtype != array_dtype:
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


def with_half_alpha(parameters: dict[str, Any], backend: Backend, dtype: DType) -> dict[str, Any]:
    """The parameters with `alpha` as an array of a half type: the product by it is rounded before it is added."""
    alpha = parameters.get("alpha", 1)
    return parameters if alpha == 1 else {**parameters, "alpha": number_array(backend, alpha, dtype)}


def _number(kernel: Kernel, number: float, dtype: DType, computed: DType) -> Array:
    """A number as an operand beside tensors of `dtype`, in the dtype computed in."""
    if computed is not dtype and kernel.rounds_numbers:
        return HOST.run(kernel.array_of_number(HOST, number, dtype).astype, "float32")
    return kernel.array_of_number(HOST, number, computed)


def _is_plain(out: Tensor, result: DType, size: tuple[int, ...], operands: Sequence[Any], has_meta: bool) -> bool:
    """Whether the result fits ``out=`` as it is, and writing there changes no operand but that very tensor."""
    if out._meta is not None and not has_meta:
        return False
    if type(out) is not Tensor or out._dtype is not result or out._size != size or out._storage.backend is not HOST:
        return False
    raw_array(out)  # which finds out whether there are gaps
    if not out._contiguous:
        return False
    storage = out._storage
    for operand in operands:
        if operand is not out and type(operand) is Tensor and operand._storage is storage:
            return False
    return True
