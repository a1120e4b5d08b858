"""``torch.utils._foreach_utils``: what optimizers of other libraries group their tensors by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorglass.core.devices import device as Device
from tensorglass.core.dtypes import dtype as DType
from tensorglass.tensor.tensor import Tensor

__all__ = ["_foreach_supported_types", "_group_tensors_by_device_and_dtype"]

_foreach_supported_types = [Tensor]  #: the classes of tensors that operators on lists take


def _group_tensors_by_device_and_dtype(
    tensorlistlist: Sequence[Sequence[Any]], with_indices: bool = False
) -> dict[tuple[Device | None, DType | None], tuple[list[list[Any]], list[int]]]:
    """Lists of one length, cut so that the tensors of the first list in each part have one device and dtype.

    The parts, by device and dtype, with the positions of their members if `with_indices`.
    """
    groups: dict[tuple[Any, Any], tuple[list[list[Any]], list[int]]] = {}
    for position, tensor in enumerate(tensorlistlist[0]):
        lists, positions = groups.setdefault((tensor.device, tensor.dtype), ([[] for _ in tensorlistlist], []))
        for part, whole in zip(lists, tensorlistlist, strict=True):
            if whole:
                part.append(whole[position])
        if with_indices:
            positions.append(position)
    return groups
