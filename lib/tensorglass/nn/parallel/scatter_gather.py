"""Splitting batches among several devices, and joining the results on one.

Both are recorded copies, so gradients flow back through them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorglass as torch
from tensorglass.core.devices import device as Device
from tensorglass.core.errors import warn
from tensorglass.tensor.tensor import Tensor

Place = Device | str | int


def scatter(inputs: Any, target_gpus: Sequence[Place], dim: int = 0) -> list[Any]:
    """The part of the inputs for each device: tensors are split along `dim`, (N, …) → (N / devices, …).

    Tensors within lists, tuples and dictionaries are split too; other values go to every device. A batch that is too
    short gives fewer parts than there are devices.
    """
    devices = [device_of(target) for target in target_gpus]

    def parts(value: Any) -> list[Any]:
        if isinstance(value, Tensor):
            chunks = value.chunk(len(devices), dim)
            return [chunk.to(where) for chunk, where in zip(chunks, devices, strict=False)]
        if isinstance(value, tuple) and value:
            kind: Any = type(value)
            make = kind._make if hasattr(kind, "_fields") else kind
            return [make(items) for items in zip(*map(parts, value), strict=False)]
        if isinstance(value, list) and value:
            return [list(items) for items in zip(*map(parts, value), strict=False)]
        if isinstance(value, dict) and value:
            return [type(value)(items) for items in zip(*map(parts, value.items()), strict=False)]
        return [value for _ in devices]

    return parts(inputs)


def scatter_kwargs(
    inputs: tuple[Any, ...], kwargs: dict[str, Any] | None, target_gpus: Sequence[Place], dim: int = 0
) -> tuple[tuple[Any, ...], tuple[dict[str, Any], ...]]:
    """`scatter` of positional and keyword arguments; the shorter list is filled up, so that both have one length."""
    parts = scatter(inputs, target_gpus, dim) if inputs else []
    named = scatter(kwargs, target_gpus, dim) if kwargs else []
    parts += [()] * (len(named) - len(parts))
    named += [{}] * (len(parts) - len(named))
    return tuple(parts), tuple(named)


def gather(outputs: Sequence[Any], target_device: Place, dim: int = 0) -> Any:
    """The results of several devices joined on one.

    Tensors are joined along `dim`; the members of tuples, lists and dictionaries are joined one by one. Raises
    ValueError if dictionaries have different numbers of keys.
    """
    where = device_of(target_device)

    def join(values: Sequence[Any]) -> Any:
        first: Any = values[0]
        if isinstance(first, Tensor):
            if dim == 0 and all(value.dim() == 0 for value in values):
                warn(
                    "Was asked to gather along dimension 0, but all input tensors were scalars; will instead unsqueeze "
                    "and return a vector."
                )
                values = [value.unsqueeze(0) for value in values]
            return torch.cat([value.to(where) for value in values], dim)
        if first is None:
            return None
        if isinstance(first, dict):
            if any(len(value) != len(first) for value in values):
                raise ValueError("All dicts must have the same number of keys")
            return type(first)((key, join([value[key] for value in values])) for key in first)
        kind: Any = type(first)
        make = kind._make if hasattr(kind, "_fields") else kind
        return make(map(join, zip(*values, strict=False)))

    return join(outputs)


def device_of(place: Place) -> Device:
    """The device for a number: -1 is the CPU, other numbers count the accelerator's devices."""
    if place == -1:
        return torch.device("cpu")
    if isinstance(place, int):
        return torch.device("cuda" if torch.cuda.is_available() else "sim", place)
    where = torch.device(place)
    return where if where.index is not None or where.type == "cpu" else torch.device(where.type, 0)
