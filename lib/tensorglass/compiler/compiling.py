"""``torch.compile``, which checks its arguments, and the names of the backends that it accepts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, overload

from tensorglass.compiler.optimized_module import OptimizedModule
from tensorglass.nn.modules.module import Module

__all__ = ["InvalidBackend", "compile", "get_default_backend", "list_backends", "set_default_backend"]

Anything = TypeVar("Anything")
Backend = str | Callable[..., Any]

_MODES = ("default", "lite", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune")
_BACKENDS = ("cudagraphs", "inductor", "openxla", "tvm")
_DEBUGGING = (
    "aot_eager", "aot_eager_decomp_partition", "aot_eager_decomp_partition_with_mode", "aot_eager_default_partitioner",
    "aot_ts", "eager", "eager_debug", "eager_noexcept", "pre_dispatch_eager", "ts",
)  # fmt: skip
_default_backend: Backend = "inductor"


@overload
def compile(
    model: Anything,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: Backend | None = None,
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    disable: bool = False,
) -> Anything: ...
@overload
def compile(
    model: None = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: Backend | None = None,
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    disable: bool = False,
) -> Callable[[Anything], Anything]: ...
def compile(
    model: Any = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: Backend | None = None,
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    disable: bool = False,
) -> Any:
    """The function itself, or a network in an `OptimizedModule`. Without `model`, a decorator that gives this.

    Nothing is compiled. RuntimeError for an unknown mode or backend, or if both a mode and options are given.
    """
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    chosen = _default_backend if backend is None else backend
    if chosen == "inductor" and mode is not None and mode not in _MODES:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(_MODES)}")

    def compiled(model: Any) -> Any:
        if model is None:
            raise RuntimeError("Model can't be None")
        return model if disable else _optimized(model, chosen)

    return compiled if model is None else compiled(model)


def _disable_dynamo(fn: Any = None, recursive: bool = True) -> Any:
    """`compiler.disable`, as libraries call it: ``torch._disable_dynamo``."""
    from tensorglass.compiler import disable  # which imports this module

    return disable(fn, recursive)


def _optimized(model: Any, backend: Backend) -> Any:
    if isinstance(backend, str) and backend not in (*_BACKENDS, *_DEBUGGING):
        raise InvalidBackend(
            f"Invalid backend: {backend!r}, see `torch._dynamo.list_backends()` for available backends."
        )
    if isinstance(model, Module):
        return OptimizedModule(model)
    if not callable(model):
        raise AssertionError(f"A callable function is expected, but {type(model)} is provided.")
    return model


class InvalidBackend(RuntimeError):
    """Raised for a backend that PyTorch has not either."""


def set_default_backend(backend: Backend | None) -> None:
    """Choose the backend whose name `compile` checks, if none is given."""
    global _default_backend
    _default_backend = "inductor" if backend is None else backend


def get_default_backend() -> Backend:
    """The backend whose name `compile` checks, if none is given."""
    return _default_backend


def list_backends(exclude_tags: Sequence[str] = ("debug", "experimental")) -> list[str]:
    """The names of backends that `compile` accepts."""
    return sorted([*_BACKENDS, *(() if "debug" in exclude_tags else _DEBUGGING)])
