"""What the standard says otherwise than PyTorch about dtypes: every array has its say, 0-dim ones too.

PyTorch lets a 0-dim tensor change the result's dtype only if its category is higher. The one idea to keep in mind: once
operands are of one dtype, both agree; so operands of two are converted here, and those of one go straight through.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import tensorglass as torch
from tensorglass.dtypes import OF_PYTHON_TYPE
from tensorglass.dtypes import dtype as DType
from tensorglass.tensor import Tensor


def promoted(x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
    """Both in the dtype that theirs promote to."""
    if x1._dtype is x2._dtype:
        return x1, x2
    common = torch.promote_types(x1._dtype, x2._dtype)
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
    made: Tensor = torch.full((), number, dtype=torch.result_type(like, number), device=like.device)
    return made


def result_type(*arrays_and_dtypes: Tensor | DType | complex) -> DType:
    """The dtype that an operation on these has: on arrays, dtypes and, if there is one of those, Python numbers.

    Raises TypeError if there are only numbers.
    """
    given = [each._dtype if isinstance(each, Tensor) else each for each in arrays_and_dtypes]
    kinds = [each for each in given if isinstance(each, DType)]
    if not kinds:
        raise TypeError("result_type() needs an array or a dtype: numbers alone have none")
    common = reduce(torch.promote_types, kinds)
    for number in given:
        if not isinstance(number, DType):
            category = OF_PYTHON_TYPE[type(number)].category
            if category > common.category:  # the standard leaves this open; it is what operators do
                common = torch.result_type(torch.empty((), dtype=common), number)
    return common
