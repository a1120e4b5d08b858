"""``torch.compiler``: the interface of PyTorch's compiler, without a compiler.

Everything here does what PyTorch does with ``TORCH_COMPILE_DISABLE=1``: arguments are checked, functions are returned
unchanged, and a network is wrapped in an `OptimizedModule` that calls it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from tensorglass.compiler.compiling import (
    Backend,
    InvalidBackend,
    compile,
    get_default_backend,
    list_backends,
    set_default_backend,
)

__all__ = [
    "InvalidBackend",
    "allow_in_graph",
    "assume_constant_result",
    "compile",
    "cudagraph_mark_step_begin",
    "disable",
    "get_default_backend",
    "is_compiling",
    "is_dynamo_compiling",
    "is_exporting",
    "list_backends",
    "nested_compile_region",
    "reset",
    "set_default_backend",
    "set_enable_guard_collectives",
    "set_stance",
    "substitute_in_graph",
    "wrap_numpy",
]

Anything = TypeVar("Anything")


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None, wrapping: bool = True) -> Any:
    """The function or network itself: it is not compiled anyway. Without `fn`, a decorator that returns it."""
    return _itself if fn is None else fn


def _itself(fn: Anything) -> Anything:
    return fn


def assume_constant_result(fn: Anything) -> Anything:
    """The function itself, which is called each time."""
    return fn


def allow_in_graph(fn: Any) -> Any:
    """The function itself, or a list of those that are given."""
    if isinstance(fn, (list, tuple)):
        return [allow_in_graph(function) for function in fn]
    return fn


def substitute_in_graph(
    original_fn: Callable[..., Any], *, can_constant_fold_through: bool = False, skip_signature_check: bool = False
) -> Callable[[Anything], Anything]:
    """A decorator that hands back what it is given: the original function is called."""
    return _itself


def nested_compile_region(fn: Any = None, *, options: Any = None, **reuse: Any) -> Any:
    """The function itself. Without `fn`, a decorator that returns it."""
    return _itself if fn is None else fn


def wrap_numpy(fn: Callable[..., Any]) -> Callable[..., Any]:
    """The function on NumPy's arrays `fn` as one on tensors, among its arguments and in what it returns."""
    from functools import wraps

    from tensorglass.func.pytree import tree_map
    from tensorglass.interop.numpy import from_numpy
    from tensorglass.tensor.tensor import Tensor

    def to_array(value: Any) -> Any:
        return value.numpy() if isinstance(value, Tensor) else value

    def to_tensor(value: Any) -> Any:
        return from_numpy(value) if hasattr(value, "__array_interface__") and hasattr(value, "strides") else value

    @wraps(fn)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = tree_map(to_array, (args, kwargs))
        return tree_map(to_tensor, fn(*args, **kwargs))

    return wrapped


class set_stance:
    """Remembers nothing: programs run as they are written. A call, a context and a decorator, as PyTorch's."""

    def __init__(
        self, stance: str = "default", *, skip_guard_eval_unsafe: bool = False, force_backend: Backend | None = None
    ) -> None: ...
    def __enter__(self) -> None: ...
    def __exit__(self, *error: object) -> None: ...
    def __call__(self, fn: Anything) -> Anything:
        return fn


def set_enable_guard_collectives(enabled: bool) -> bool:
    """What was set before: there are no guards."""
    global _guard_collectives
    before, _guard_collectives = _guard_collectives, enabled
    return before


_guard_collectives = False


def reset() -> None:
    """Nothing: there is no cache of compiled code."""


def cudagraph_mark_step_begin() -> None:
    """Nothing: there are no recorded graphs of kernels."""


def is_compiling() -> bool:
    """False."""
    return False


def is_dynamo_compiling() -> bool:
    """False."""
    return False


def is_exporting() -> bool:
    """False."""
    return False
