"""Where the standard's promotion of dtypes differs from PyTorch's: 0-dim arrays count like all others.

PyTorch lets a 0-dim tensor change the result's dtype only if its category is higher. Once operands have one dtype both
agree, so operands of two dtypes are converted here, and those of one go straight through.

uint16, uint32 and uint64, which PyTorch promotes with floating types alone, promote as other integers do.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import tensorglass as torch
from tensorglass.core import dtypes
from tensorglass.core.dtypes import OF_PYTHON_TYPE
from tensorglass.core.dtypes import dtype as DType
from tensorglass.tensor.tensor import Tensor

# --- dtypes ----------------------------------------------------------------------------------------------------------


def _promote(a: DType, b: DType) -> DType | None:
    """What two dtypes promote to, of which at least one is a wide unsigned type; None if no dtype holds both."""
    low, high = sorted((a, b), key=lambda dtype: (dtype.category, dtype.itemsize))
    if low.category < high.category or low.is_signed is high.is_signed:
        return high
    signed, unsigned = (a, b) if a.is_signed else (b, a)
    if signed.itemsize > unsigned.itemsize:
        return signed
    return {1: dtypes.int16, 2: dtypes.int32, 4: dtypes.int64}.get(unsigned.itemsize)


_WIDE = {(a, b): _promote(a, b) for a in dtypes.ALL for b in dtypes.ALL if not dtypes.WIDE_UNSIGNED.isdisjoint((a, b))}


def promote_types(type1: DType, type2: DType) -> DType:
    """The dtype that two promote to: PyTorch's, and the standard's where that refuses. uint64 and int64 have none."""
    return _WIDE.get((type1, type2)) or torch.promote_types(type1, type2)


def promoted(x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
    """Both in the dtype that theirs promote to."""
    if x1._dtype is x2._dtype:
        return x1, x2
    common = promote_types(x1._dtype, x2._dtype)
    return x1.to(common), x2.to(common)


def as_tensors(x1: Any, x2: Any) -> tuple[Tensor, Tensor]:
    """Both as tensors of one dtype. One of them may be a number, which takes the other's dtype if that can hold it."""
    if not isinstance(x2, Tensor):
        x2 = of_number(x2, x1)
    elif not isinstance(x1, Tensor):
        x1 = of_number(x1, x2)
    return promoted(x1, x2)


def of_number(number: complex, like: Tensor) -> Tensor:
    """A number as a 0-dim tensor that goes with `like`."""
    return torch.full((), number, dtype=torch.result_type(like, number), device=like.device)


def result_type(*arrays_and_dtypes: Tensor | DType | complex) -> DType:
    """The dtype that an operation on these has: on arrays, dtypes and, if there is one of those, Python numbers.

    Raises TypeError if there are only numbers.
    """
    given = [value._dtype if isinstance(value, Tensor) else value for value in arrays_and_dtypes]
    kinds = [value for value in given if isinstance(value, DType)]
    if not kinds:
        raise TypeError("result_type() needs an array or a dtype: numbers alone have none")
    common = reduce(promote_types, kinds)
    for number in given:
        if not isinstance(number, DType):
            category = OF_PYTHON_TYPE[type(number)].category
            if category > common.category:  # the standard leaves this open; it is what operators do
                common = torch.result_type(torch.empty((), dtype=common), number)
    return common
