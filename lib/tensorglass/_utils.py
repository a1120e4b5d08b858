"""``torch._utils``: several tensors flattened into one, as programs that send gradients do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import tensorglass as torch
from tensorglass.tensor.tensor import Tensor

__all__ = ["_flatten_dense_tensors", "_reorder_tensors_as", "_take_tensors", "_unflatten_dense_tensors"]


def _flatten_dense_tensors(tensors: Sequence[Tensor]) -> Tensor:
    """The elements of all tensors in one of one dimension: a view if there is one contiguous tensor, else a copy."""
    if len(tensors) == 1:
        return tensors[0].contiguous().view(-1)
    return torch.cat([tensor.contiguous().view(-1) for tensor in tensors])


def _unflatten_dense_tensors(flat: Tensor, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Views of `flat` with the sizes of `tensors`, one after the other."""
    parts = flat.split([tensor.numel() for tensor in tensors])
    return tuple([part.view(tensor.size()) for part, tensor in zip(parts, tensors, strict=True)])


def _take_tensors(tensors: Sequence[Tensor], size_limit: int) -> Iterator[list[Tensor]]:
    """Groups of tensors of one dtype, each closed before it would have more bytes than `size_limit`."""
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
