"""``torch._utils``: several tensors flattened into one, as programs that send gradients do; the number of a device.

And what is in PyTorch's root: `_assert`, which networks call that are meant to be traced, and the conversions of the
indices of sparse matrices, which libraries do with dense ones, of edges of graphs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

import tensorglass as torch
from tensorglass.accelerator import current_accelerator
from tensorglass.core.devices import as_device
from tensorglass.core.devices import device as Device
from tensorglass.core.dtypes import dtype as DType
from tensorglass.tensor.tensor import Tensor

__all__ = [
    "_assert", "_convert_indices_from_coo_to_csr", "_convert_indices_from_csr_to_coo", "_flatten_dense_tensors",
    "_get_device_index", "_reorder_tensors_as", "_take_tensors", "_unflatten_dense_tensors",
]  # fmt: skip


def _assert(condition: Any, message: str) -> None:
    """Raise AssertionError with `message` unless the condition holds."""
    if not condition:
        raise AssertionError(message)


def _element_size(dtype: DType) -> int:
    """The bytes of an element."""
    if not isinstance(dtype, DType):
        raise RuntimeError(f"expected torch.dtype, but got {type(dtype)}")
    return dtype.itemsize


def get_device_module(device: Device | str | None = None) -> ModuleType:
    """The module of a type of device: `torch.cuda` for "cuda"; without one, that of the accelerator, or `torch.cpu`."""
    if device is None:
        device = current_accelerator() or "cpu"
    kind = as_device(device).type
    try:
        return import_module(f"tensorglass.{kind}")
    except ModuleNotFoundError:
        raise RuntimeError(
            f"Device '{kind}' does not have a corresponding module registered as 'torch.{kind}'."
        ) from None


def _flatten_dense_tensors(tensors: Sequence[Tensor]) -> Tensor:
    """The elements of all tensors as one one-dimensional tensor: a view of a single contiguous tensor, else a copy."""
    if len(tensors) == 1:
        return tensors[0].contiguous().view(-1)
    return torch.cat([tensor.contiguous().view(-1) for tensor in tensors])


def _unflatten_dense_tensors(flat: Tensor, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Views of `flat` with the sizes of `tensors`, one after the other."""
    parts = flat.split([tensor.numel() for tensor in tensors])
    return tuple([part.view(tensor.size()) for part, tensor in zip(parts, tensors, strict=True)])


def _take_tensors(tensors: Sequence[Tensor], size_limit: int) -> Iterator[list[Tensor]]:
    """Groups of tensors of one dtype, each of at most `size_limit` bytes or of a single tensor."""
    groups: dict[str, list[Tensor]] = {}
    sizes: dict[str, int] = {}
    for tensor in tensors:
        kind, nbytes = tensor.type(), tensor.numel() * tensor.element_size()
        if sizes.get(kind, 0) + nbytes > size_limit and sizes.get(kind, 0) > 0:
            yield groups.pop(kind)
            sizes[kind] = 0
        groups.setdefault(kind, []).append(tensor)
        sizes[kind] = sizes.get(kind, 0) + nbytes
    yield from groups.values()


def _reorder_tensors_as(tensors: Sequence[Tensor], ordered_tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """`tensors`, which are grouped by dtype, in the order of the dtypes of `ordered_tensors`."""
    left = {kind: iter([tensor for tensor in tensors if tensor.type() == kind]) for kind in {t.type() for t in tensors}}
    return tuple([next(left[tensor.type()]) for tensor in ordered_tensors])


def _get_device_index(device: Any, optional: bool = False, allow_cpu: bool = False) -> int:
    """The number of a device, which is given as such, as its name or as its number; -1 of the CPU, if that may be.

    With `optional`, the current device's number if none is said.
    """
    if isinstance(device, int):
        return device
    place = torch.device(device) if isinstance(device, str | torch.device) else None
    if place is not None and place.type == "cpu":
        if not allow_cpu:
            raise ValueError(f"Expected a non cpu device, but got: {place}")
        return -1
    number = None if place is None else place.index
    if number is None and optional:
        number = torch.accelerator.current_device_index()
    if number is None:
        raise ValueError(f"Expected a torch.device with a specified index or an integer, but got:{device}")
    return number


def _convert_indices_from_coo_to_csr(input: Tensor, size: int, *, out_int32: bool = False) -> Tensor:
    """Where each of `size` rows begins among elements that are sorted by their rows, `input`; then where the last ends.

    >>> torch._convert_indices_from_coo_to_csr(torch.tensor([0, 0, 2]), 4)
    tensor([0, 2, 2, 3, 3])
    """
    ends = torch.bincount(input, minlength=size).cumsum(0)
    return torch.cat([ends.new_zeros(1), ends]).to(torch.int32 if out_int32 else torch.int64)


def _convert_indices_from_csr_to_coo(
    crow_indices: Tensor, col_indices: Tensor, *, out_int32: bool = False, transpose: bool = False
) -> Tensor:
    """The rows and the columns of elements, from where each row begins. `transpose`: the columns, then the rows."""
    rows = torch.arange(len(crow_indices) - 1, device=crow_indices.device).repeat_interleave(crow_indices.diff())
    pair = (col_indices, rows) if transpose else (rows, col_indices)
    return torch.stack([part.to(torch.int32 if out_int32 else torch.int64) for part in pair])
