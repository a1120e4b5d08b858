"""Creation: tensors with a storage of their own."""

from __future__ import annotations

from tensorglass import backends, dtypes, layout
from tensorglass.devices import CPU
from tensorglass.ops.table import operator
from tensorglass.storage import UntypedStorage
from tensorglass.tensor import Tensor, array_of, empty_on


@operator("creation", method=False)
def zeros(*size: int) -> Tensor:
    made = empty_on(CPU, tuple(size), layout.contiguous_strides(tuple(size)), dtypes.float32)
    array_of(made)[...] = 0
    return made
