"""The tensors that a tensor is made of, if its values are not simply in a storage of its own: the indices and values of
a sparse tensor, the buffer of a nested one, the scales of a quantized one, and what a subclass such as DTensor wraps.
The one idea: a tensor without memory of its own is counted by the memory of its parts.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from types import MemberDescriptorType
from typing import Any

import numpy as np

from glassroom.reading.adapters import (
    Description,
    adapter_for,
    declared,
    described_if_there,
    is_plain,
    library_of,
    owner_and_base,
    without_modes,
    without_overrides,
)
from glassroom.reading.guarded import attempted, contents_of, is_a, mro_of

Place = tuple[str, Any]  # a path and the object there

MOST_DEPTH = 8  # the deepest nesting of tensors
_BY_ROWS = ("crow_indices", "col_indices", "values")
_BY_COLUMNS = ("ccol_indices", "row_indices", "values")
_OF_LAYOUT = {
    "torch.sparse_coo": ("_indices", "_values"),
    "torch.sparse_csr": _BY_ROWS,
    "torch.sparse_bsr": _BY_ROWS,
    "torch.sparse_csc": _BY_COLUMNS,
    "torch.sparse_bsc": _BY_COLUMNS,
}
_OF_NESTED = ("values", "_nested_tensor_size", "_nested_tensor_strides", "_nested_tensor_storage_offsets")
_OF_CHANNELS = ("q_per_channel_scales", "q_per_channel_zero_points")


def by_layout(tensor: object) -> list[Place]:
    """The parts of a sparse, nested or quantized PyTorch tensor, each with the call that returns it: `._values()`."""
    if library_of(tensor) != "torch" or is_plain(tensor):
        return []
    torch = sys.modules["torch"]
    places: list[Place] = []
    with suppress(Exception), without_overrides("torch"), without_modes("torch"):
        plain = declared(tensor)
        names = _names(plain, torch)
        if names:
            with torch.no_grad():
                places += ((f".{name}()", getattr(plain, name)()) for name in names)
    return places


def _names(plain: Any, torch: Any) -> tuple[str, ...]:
    layout = plain.layout
    if layout is not torch.strided:
        return _OF_LAYOUT.get(str(layout), ())
    if plain.is_quantized:
        is_by_channel = str(plain.qscheme()).startswith("torch.per_channel")
        return _OF_CHANNELS if is_by_channel else ()
    return _OF_NESTED if plain.is_nested else ()


def tensor_under(array: object) -> object:
    """The tensor whose memory an array of NumPy looks at; None if there is none."""
    base = owner_and_base(array)[1] if is_a(array, np.ndarray) else None
    return base if library_of(base) is not None else None


def references_in(array: object) -> Iterator[Place]:
    """The elements of an array of Python objects, with their indices: `[3]`, `[0, 1]`."""
    plain = np.ndarray.view(array, np.ndarray) if is_a(array, np.ndarray) else np.empty(0)
    if plain.dtype.kind == "O":
        yield from ((f"[{', '.join(map(str, index))}]", plain[index]) for index in np.ndindex(plain.shape))


def over_storage(storage: object) -> list[Place]:
    """A tensor over the bytes of a storage of PyTorch that a program holds by itself."""
    tensors: list[Place] = []
    with suppress(Exception), without_overrides("torch"), without_modes("torch"):
        torch = sys.modules["torch"]
        tensors.append(("", torch.empty(0, dtype=torch.uint8, device=storage.device).set_(storage)))  # type: ignore[attr-defined]  # of a storage
    return tensors


def set_on(tensor: object) -> Iterator[Place]:
    """What is in the dict and in the slots of a tensor, such as a program's `weight.main_grad` or a DTensor's
    `._local_tensor`.
    """
    if is_plain(tensor):
        return
    library = library_of(tensor)
    tensor_class = None if library is None else sys.modules[library].Tensor
    for kind in mro_of(type(tensor)):
        if kind is tensor_class:
            break
        for name, slot in contents_of(kind).items():
            if type(slot) is MemberDescriptorType:
                item = attempted(lambda descriptor=slot: descriptor.__get__(tensor), None)  # type: ignore[misc]  # called at once
                if adapter_for(item) is not None:
                    yield f".{name}", item
    own = attempted(lambda: object.__getattribute__(tensor, "__dict__"), None)
    if own and is_a(own, dict):
        yield from ((f".{name}", item) for name, item in list(dict.items(own)))


def with_parts(path: str, tensor: object) -> Iterator[Place]:
    """A tensor and its parts, with their paths."""
    waiting: list[tuple[str, object, int]] = [(path, tensor, 0)]
    while waiting:
        where, value, depth = waiting.pop(0)
        yield where, value
        if depth < MOST_DEPTH:
            waiting += [(f"{where}{step}", part, depth + 1) for step, part in _parts_of(value)]


def _parts_of(tensor: object) -> list[Place]:
    """The parts of a tensor, by its layout or, of a wrapper, those that it wraps."""
    inner_tensors = by_layout(tensor)
    if inner_tensors or library_of(tensor) is None:
        return inner_tensors
    inner = [(step, value) for step, value in set_on(tensor) if value is not tensor and library_of(value) is not None]
    return inner if inner and described_if_there(tensor) is None else []


def descriptions_of(tensor: object) -> list[Description]:
    """The descriptions of a tensor and its parts; those without readable memory are left out."""
    seen = (described_if_there(value) for _, value in with_parts("", tensor))
    return [value for value in seen if value is not None]
