"""``torch.jit``: the interface of TorchScript, without compilation.

Everything here does what PyTorch does with ``PYTORCH_JIT=0``: functions, classes and modules are handed back as they
are, `is_scripting` and `is_tracing` are False, and a task that is forked has run when `fork` returns. `freeze` and
`optimize_for_inference`, which PyTorch refuses then, hand back their module too, so that programs go on. Files of
recorded programs (`save`, `load`) are out of scope.
"""

import builtins
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from tensorglass.core.left_out import left_out
from tensorglass.futures import Future
from tensorglass.jit.checked_types import isinstance
from tensorglass.nn.modules.module import Module

__all__ = [
    "Attribute",
    "Error",
    "Final",
    "Future",
    "ScriptFunction",
    "ScriptModule",
    "annotate",
    "enable_onednn_fusion",
    "export",
    "fork",
    "freeze",
    "ignore",
    "interface",
    "is_scripting",
    "is_tracing",
    "isinstance",
    "onednn_fusion_enabled",
    "optimize_for_inference",
    "optimized_execution",
    "script",
    "script_if_tracing",
    "script_method",
    "set_fusion_strategy",
    "strict_fusion",
    "trace",
    "trace_module",
    "unused",
    "wait",
]

Anything = TypeVar("Anything")


class Error(Exception):
    """What a recorded program raises in PyTorch."""


class TracerWarning(Warning):
    """What PyTorch warns of when it records a function."""


class ScriptWarning(Warning):
    """What PyTorch warns of when it compiles a function."""


class ScriptModule(Module):
    """A `Module`: what is derived from it is an ordinary network."""


class RecursiveScriptModule(ScriptModule):
    """What PyTorch makes of a module; nothing here is one."""


class ScriptFunction:
    """What PyTorch makes of a function; nothing here is one."""


class TracedModule(ScriptModule):
    """What PyTorch makes of a recorded module; nothing here is one."""


TopLevelTracedModule = TracedModule
_get_trace_graph = left_out("jit._get_trace_graph")


def script(
    obj: Anything, optimize: None = None, _frames_up: int = 0, _rcb: Any = None, example_inputs: Any = None
) -> Anything:
    """The function, class or module itself."""
    _deprecated("script", "switch to `torch.compile` or `torch.export`")
    return obj


def script_method(fn: Anything) -> Anything:
    """The method itself."""
    _deprecated("script_method", "switch to `torch.compile` or `torch.export`")
    return fn


def script_if_tracing(fn: Anything) -> Anything:
    """The function itself."""
    return fn


def trace(func: Anything, example_inputs: Any = None, *args: Any, **kwargs: Any) -> Anything:
    """The function or module itself, which is not called."""
    _deprecated("trace", "switch to `torch.compile` or `torch.export`")
    return func


def trace_module(mod: Anything, inputs: dict[str, Any], *args: Any, **kwargs: Any) -> Anything:
    """The module itself, which is not called."""
    _deprecated("trace_method", "switch to `torch.compile` or `torch.export`")
    return mod


def freeze(mod: Anything, preserved_attrs: list[str] | None = None, optimize_numerics: bool = True) -> Anything:
    """The module itself. RuntimeError for what is no module, or is in training mode."""
    _deprecated("freeze", "use `torch.compile` instead")
    return _network(mod, "Freezing")


def optimize_for_inference(mod: Anything, other_methods: list[str] | None = None) -> Anything:
    """The module itself. RuntimeError for what is no module."""
    _deprecated("optimize_for_inference", "use `torch.compile` instead")
    return _network(mod, "optimize_for_inference")


def run_frozen_optimizations(mod: Module, optimize_numerics: bool = True, preserved_methods: Any = None) -> None:
    """Nothing."""


def _network(mod: Any, what: str) -> Any:
    if not builtins.isinstance(mod, Module):
        raise RuntimeError(
            f"{what} expects a ScriptModule as input. Please use torch.jit.script or torch.jit.trace to script your "
            "'nn.Module'."
        )
    if what == "Freezing" and mod.training:
        raise RuntimeError(
            "Freezing is currently only implemented for modules in eval mode. Please call .eval() on your module "
            "before freezing."
        )
    return mod


def ignore(drop: Any = False, **kwargs: Any) -> Any:
    """The function itself. Called with options, a decorator that gives this."""
    if callable(drop):
        return drop
    if not builtins.isinstance(drop, bool):
        raise RuntimeError(f"Argument to @torch.jit.ignore must be a bool or a function but got {drop}")
    if "drop_on_export" in kwargs or drop:
        written = "drop_on_export=True" if "drop_on_export" in kwargs else "True"
        warnings.warn(
            f"ignore({written}) has been deprecated. TorchScript will now drop the function call on compilation. Use "
            "torch.jit.unused now. {}",
            category=FutureWarning,
            stacklevel=2,
        )
    return _itself


def _itself(fn: Anything) -> Anything:
    return fn


def unused(fn: Anything) -> Anything:
    """The method or property itself."""
    return fn


def export(fn: Anything) -> Anything:
    """The method itself."""
    return fn


def interface(obj: Anything) -> Anything:
    """The class itself."""
    _deprecated("interface", "use `torch.compile` instead")
    if not builtins.isinstance(obj, type):
        raise RuntimeError("interface must be applied to a class")
    return obj


def annotate(the_type: Any, the_value: Anything) -> Anything:
    """The value."""
    return the_value


def Attribute(value: Anything, type: Any) -> Anything:  # PyTorch's name
    """The value."""
    return value


def is_scripting() -> bool:
    """False."""
    return False


def is_tracing() -> bool:
    """False."""
    return False


def fork(func: Callable[..., Any], *args: Any, **kwargs: Any) -> Future[Any]:
    """A task that has run already: ``wait(fork(f, x))`` is ``f(x)``. What the function raises is raised here."""
    _deprecated("fork", "use `torch.compile` instead")
    done: Future[Any] = Future()
    done.set_result(func(*args, **kwargs))
    return done


def wait(future: Future[Any]) -> Any:
    """The result of a task."""
    _deprecated("wait", "use `torch.compile` instead")
    if not builtins.isinstance(future, Future):
        raise TypeError(
            "wait(): incompatible function arguments. The following argument types are supported:\n"
            f"    1. (arg0: torch._C.Future) -> object\n\nInvoked with: {future!r}"
        )
    return future.wait()


def set_fusion_strategy(strategy: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """The strategy that was set before; it changes nothing."""
    global _strategy
    _deprecated("set_fusion_strategy", "use `torch.compile` instead")
    before, _strategy = _strategy, [*strategy]
    return before


_strategy: list[tuple[str, int]] = [("STATIC", 2), ("DYNAMIC", 10)]


def enable_onednn_fusion(enabled: bool) -> None:
    """Remember the setting; it changes nothing."""
    global _onednn
    _onednn = enabled


_onednn = False


def onednn_fusion_enabled() -> bool:
    """What was set last."""
    return _onednn


def last_executed_optimized_graph() -> None:
    """None: there is no graph."""


@contextmanager
def optimized_execution(should_optimize: bool) -> Iterator[None]:
    """A context that changes nothing."""
    yield


@contextmanager
def fuser(name: str) -> Iterator[None]:
    """A context that changes nothing."""
    yield


class strict_fusion:
    """A context that changes nothing."""

    def __init__(self) -> None:
        warnings.warn("Only works in script mode", stacklevel=2)

    def __enter__(self) -> None: ...
    def __exit__(self, *error: object) -> None: ...


def _overload(func: Anything) -> Anything:
    """The declaration itself."""
    return func


def _overload_method(func: Anything) -> Anything:
    """The declaration itself."""
    return func


def _drop(fn: Anything) -> Anything:
    """The method itself."""
    return fn


def _deprecated(name: str, instead: str) -> None:
    # attributed to this module, as PyTorch's to its own, so that it is shown to those alone who ask for such warnings
    warnings.warn(f"`torch.jit.{name}` is deprecated. Please {instead}.", DeprecationWarning, stacklevel=1)
