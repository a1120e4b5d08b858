"""``torch._jit_internal``: what annotations and decorators of networks import from there. Nothing is compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Dict, Final, List, Optional, Tuple, TypeVar, Union  # noqa: UP035  # programs import these here

from tensorglass.futures import Future
from tensorglass.jit import (
    _drop,
    _overload,
    _overload_method,
    export,
    ignore,
    is_scripting,
    script_if_tracing,
    script_method,
    unused,
)
from tensorglass.jit.checked_types import isinstance as _isinstance

__all__ = [
    "BroadcastingList1",
    "BroadcastingList2",
    "BroadcastingList3",
    "Dict",
    "Final",
    "Future",
    "List",
    "Optional",
    "Tuple",
    "Union",
    "_copy_to_script_wrapper",
    "_drop",
    "_isinstance",
    "_overload",
    "_overload_method",
    "boolean_dispatch",
    "export",
    "ignore",
    "is_scripting",
    "script_if_tracing",
    "script_method",
    "unused",
]

Anything = TypeVar("Anything")


class _BroadcastingList:
    """``BroadcastingList2[int]``: an annotation for a number, or a list of as many."""

    def __getitem__(self, types: Any) -> None: ...


BroadcastingList1 = _BroadcastingList()
BroadcastingList2 = _BroadcastingList()
BroadcastingList3 = _BroadcastingList()


def _copy_to_script_wrapper(fn: Anything) -> Anything:
    """The method itself."""
    return fn


def boolean_dispatch(
    arg_name: str,
    arg_index: int,
    default: bool,
    if_true: Callable[..., Any],
    if_false: Callable[..., Any],
    module_name: str,
    func_name: str,
) -> Callable[..., Any]:
    """A function that calls one of two functions, by the flag `arg_name`, its argument number `arg_index`."""

    def dispatched(*args: Any, **kwargs: Any) -> Any:
        flag = args[arg_index] if arg_index < len(args) else kwargs.get(arg_name, default)
        return (if_true if flag else if_false)(*args, **kwargs)

    for function in (if_true, if_false):
        dispatched.__doc__ = dispatched.__doc__ or function.__doc__
    dispatched.__module__, dispatched.__name__ = module_name, func_name
    return dispatched
