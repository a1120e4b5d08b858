"""Which results of an operator are views: those of its arguments. A view of a temporary is not one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tensorglass.core.dtypes import FLOATING
from tensorglass.tensor.autograd_meta import meta_of
from tensorglass.tensor.tensor import Tensor
from tensorglass.tensor.torch_function import PLAIN_TYPES


def outputs_of(result: Any) -> tuple[Any, ...]:
    """The results of an operator as a sequence. Most operators have one."""
    return tuple(result) if isinstance(result, (list, tuple)) else (result,)


def is_view(result: Any) -> bool:
    """Whether one of the results is a view of another tensor."""
    if type(result) in PLAIN_TYPES:
        return result._base is not None
    return any(isinstance(output, Tensor) and output._base is not None for output in outputs_of(result))


def apart(result: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """The results. A view of a temporary that the operator made, and that nobody else has, stops being a view."""
    given: list[Tensor] = []
    _add_tensors(given, arguments)
    _add_tensors(given, keywords.values())
    for output in outputs_of(result):
        base = output._base if isinstance(output, Tensor) else None
        if base is not None and not any(tensor is output or tensor is base or tensor._base is base for tensor in given):
            output._base = None
            if output._counter is None:
                output._storage.version = 0  # nobody saw the writes to the temporary
    return result


def _add_tensors(tensors: list[Tensor], arguments: Iterable[Any]) -> None:
    for argument in arguments:
        if isinstance(argument, Tensor):
            tensors.append(argument)
        elif isinstance(argument, (list, tuple)):
            _add_tensors(tensors, argument)


def mark_views(result: Any) -> None:
    """Give a `Meta` to unrecorded results that are views of tensors with gradients."""
    for output in outputs_of(result):
        if isinstance(output, Tensor) and output._base is not None and output._dtype.category >= FLOATING:
            meta_of(output)
