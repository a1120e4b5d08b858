"""Which results of an operator are views: those of its arguments. A view of what it made on its way is none."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tensorglass.core.dtypes import FLOATING
from tensorglass.tensor.autograd_meta import meta_of
from tensorglass.tensor.tensor import Tensor
from tensorglass.tensor.torch_function import PLAIN


def outputs_of(result: Any) -> tuple[Any, ...]:
    """The results of an operator, of which most have one."""
    return tuple(result) if isinstance(result, (list, tuple)) else (result,)


def is_view(result: Any) -> bool:
    """Whether one of the results is a view of another tensor."""
    if type(result) in PLAIN:
        return result._base is not None
    return any(isinstance(each, Tensor) and each._base is not None for each in outputs_of(result))


def apart(result: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """The results, of which views of what the operator made on its way, and nobody else has, are views no more."""
    given: list[Tensor] = []
    _add_tensors(given, arguments)
    _add_tensors(given, keywords.values())
    for output in outputs_of(result):
        base = output._base if isinstance(output, Tensor) else None
        if base is not None and not any(each is output or each is base or each._base is base for each in given):
            output._base = None
            if output._counter is None:
                output._storage.version = 0  # what was written on the way, nobody saw
    return result


def _add_tensors(found: list[Tensor], arguments: Iterable[Any]) -> None:
    for each in arguments:
        if isinstance(each, Tensor):
            found.append(each)
        elif isinstance(each, (list, tuple)):
            _add_tensors(found, each)


def mark_views(result: Any) -> None:
    """Let views of tensors with gradients know of them, where nothing is recorded."""
    for output in outputs_of(result):
        if isinstance(output, Tensor) and output._base is not None and output._dtype.category >= FLOATING:
            meta_of(output)
