"""How samples become a batch: tensors are stacked, numbers become tensors, tuples, lists and dicts keep their form."""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy as np

from tensorglass.core.devices import CPU
from tensorglass.core.dtypes import float64
from tensorglass.interop.numpy import as_tensor
from tensorglass.ops.creation.fill import empty
from tensorglass.ops.creation.tensor import tensor
from tensorglass.ops.rearrange.cat_stack import stack
from tensorglass.storage.storage import UntypedStorage
from tensorglass.tensor.tensor import Tensor
from tensorglass.utils.data.workers import get_worker_info

Table = Mapping[Any, Callable[..., Any]]
np_str_obj_array_pattern = re.compile(r"[SaUO]")  #: the dtypes of arrays of text or objects, which programs look for
REFUSED = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"


def default_collate(batch: Sequence[Any]) -> Any:
    """A batch from a list of samples that are built alike.

    Tensors and arrays get a new first dimension; floats become a float64 tensor, integers an int64 one; strings stay a
    list.
    """
    return collate(batch, collate_fn_map=default_collate_fn_map)


def collate(batch: Sequence[Any], *, collate_fn_map: Table | None = None) -> Any:
    """As `default_collate`, with a table of your own: a class, or a tuple of them → the function that stacks
    instances."""
    first = batch[0]
    table = collate_fn_map or {}
    function = table.get(type(first)) or next((f for kind, f in table.items() if isinstance(first, kind)), None)
    if function is not None:
        return function(batch, collate_fn_map=collate_fn_map)
    if isinstance(first, Mapping):
        return _like(
            first, {key: collate([sample[key] for sample in batch], collate_fn_map=collate_fn_map) for key in first}
        )
    if isinstance(first, Sequence):
        if hasattr(first, "_fields"):
            return type(first)(*(collate(column, collate_fn_map=collate_fn_map) for column in zip(*batch)))  # noqa: B905  # of equal length by its class
        if any(len(sample) != len(first) for sample in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        columns = [collate(column, collate_fn_map=collate_fn_map) for column in zip(*batch, strict=True)]
        return columns if isinstance(first, tuple) else _like(first, columns)
    raise TypeError(REFUSED.format(type(first)))


def default_convert(data: Any) -> Any:
    """A sample whose arrays and NumPy numbers have become tensors, for loaders that make no batches."""
    if isinstance(data, Tensor):
        return data
    if isinstance(data, np.ndarray | np.generic):
        return data if data.dtype.kind in "SUO" else as_tensor(data)
    if isinstance(data, Mapping):
        return _like(data, {key: default_convert(value) for key, value in data.items()})
    if isinstance(data, tuple):
        converted = [default_convert(item) for item in data]
        return type(data)(*converted) if hasattr(data, "_fields") else converted
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        return _like(data, [default_convert(item) for item in data])
    return data


def _like(original: Any, content: Any) -> Any:
    """`content`, a dict or a list, in a container of the kind of `original` if that can be made."""
    try:
        if isinstance(original, MutableMapping):
            batch = copy.copy(original)
            batch.update(content)
            return batch
        if isinstance(original, MutableSequence):
            filled: Any = copy.copy(original)
            for position, item in enumerate(content):
                filled[position] = item
            return filled
        return type(original)(content)
    except TypeError:
        return content


def collate_tensor_fn(batch: Sequence[Tensor], **_: Any) -> Tensor:
    """Tensors of one size, stacked."""
    first = batch[0]
    if get_worker_info() is None or first.device is not CPU:
        return stack(tuple(batch), 0)
    size = (len(batch), *first.shape)  # a worker's batch is made in shared memory, so that sending it needs no copy
    storage = UntypedStorage._new_shared(math.prod(size) * first.dtype.itemsize)
    out = empty(0, dtype=first.dtype).set_(storage, 0, size)
    return stack(tuple(batch), 0, out=out)


def collate_numpy_array_fn(batch: Sequence[Any], *, collate_fn_map: Table | None = None) -> Any:
    """Arrays of numbers, as tensors, collated by the table."""
    if batch[0].dtype.kind in "SUO":
        raise TypeError(REFUSED.format(batch[0].dtype))
    return collate([as_tensor(array) for array in batch], collate_fn_map=collate_fn_map)


def collate_numpy_scalar_fn(batch: Sequence[Any], **_: Any) -> Tensor:
    """NumPy's numbers as one tensor of their dtype."""
    return as_tensor(batch)


def collate_float_fn(batch: Sequence[float], **_: Any) -> Tensor:
    """Python's floats as a float64 tensor."""
    return tensor(batch, dtype=float64)


def collate_int_fn(batch: Sequence[int], **_: Any) -> Tensor:
    """Python's integers as an int64 tensor."""
    return tensor(batch)


def collate_str_fn(batch: Sequence[Any], **_: Any) -> Sequence[Any]:
    """Text, unchanged."""
    return batch


#: The classes that `default_collate` knows, for tables of your own.
default_collate_fn_map: dict[Any, Callable[..., Any]] = {
    Tensor: collate_tensor_fn,
    np.ndarray: collate_numpy_array_fn,
    (np.bool_, np.number, np.object_): collate_numpy_scalar_fn,
    float: collate_float_fn,
    int: collate_int_fn,
    str: collate_str_fn,
    bytes: collate_str_fn,
}
