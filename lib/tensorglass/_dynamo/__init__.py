"""``torch._dynamo``: the names of PyTorch's compiler that programs use, which change nothing here.

`disable` and similar functions return their argument; `config` stores settings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from tensorglass._dynamo import config
from tensorglass.compiler import (
    InvalidBackend,
    allow_in_graph,
    assume_constant_result,
    compile,
    disable,
    is_compiling,
    list_backends,
    reset,
    set_stance,
    substitute_in_graph,
)
from tensorglass.compiler.optimized_module import OptimizedModule
from tensorglass.tensor.tensor import Tensor

__all__ = [
    "InvalidBackend",
    "OptimizedModule",
    "allow_in_graph",
    "assume_constant_result",
    "config",
    "disable",
    "disallow_in_graph",
    "forbid_in_graph",
    "graph_break",
    "is_compiling",
    "list_backends",
    "mark_dynamic",
    "mark_static",
    "mark_static_address",
    "maybe_mark_dynamic",
    "optimize",
    "optimize_assert",
    "reset",
    "run",
    "set_stance",
    "substitute_in_graph",
]

Anything = TypeVar("Anything")


def optimize(backend: Any = "inductor", *, nopython: bool = False, dynamic: bool | None = None, **other: Any) -> Any:
    """A decorator that does as `torch.compile`."""
    return compile(fullgraph=nopython, dynamic=dynamic, backend=backend)


def optimize_assert(backend: Any, **other: Any) -> Any:
    """A decorator that does as `torch.compile`."""
    return compile(fullgraph=True, backend=backend)


def run(fn: Any = None) -> Any:
    """The function itself. Without `fn`, a decorator that returns it."""
    return disable(fn)


def disallow_in_graph(fn: Callable[..., Any]) -> Any:
    """The function itself."""
    return allow_in_graph(fn)


def forbid_in_graph(fn: Anything) -> Anything:
    """The function itself."""
    return fn


def graph_break(msg: str = "") -> None:
    """Nothing: there is no graph to end."""


def mark_dynamic(t: Tensor, index: int | Sequence[int], **limits: Any) -> None:
    """Nothing: every size is as it is at each call."""


def maybe_mark_dynamic(t: Tensor, index: int | Sequence[int]) -> None:
    """Nothing: every size is as it is at each call."""


def mark_static(t: Any, index: int | Sequence[int] | None = None) -> None:
    """Nothing: every size is as it is at each call."""


def mark_static_address(t: Tensor, guard: bool = False) -> None:
    """Nothing: no address is recorded."""
