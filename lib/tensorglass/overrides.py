"""`torch.overrides`: for functions that should dispatch to `__torch_function__`, as operators do.

def double(x):
    if has_torch_function((x,)):
        return handle_torch_function(double, (x,), x)
    return x * 2
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

from tensorglass.tensor.subclassing import nowrap_functions
from tensorglass.tensor.tensor import Tensor
from tensorglass.tensor.torch_function import call_handlers, overloaded_arguments, qualified_name

__all__ = [
    "get_default_nowrap_functions",
    "handle_torch_function",
    "has_torch_function",
    "is_tensor_like",
    "resolve_name",
    "wrap_torch_function",
]


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Whether the class of one of these overrides operators, by a `__torch_function__`."""
    return bool(overloaded_arguments(relevant_args))


def has_torch_function_unary(obj: Any) -> bool:
    """`has_torch_function` of one argument."""
    return has_torch_function((obj,))


def has_torch_function_variadic(*relevant_args: Any) -> bool:
    """`has_torch_function` of arguments one by one."""
    return has_torch_function(relevant_args)


def handle_torch_function(
    public_api: Callable[..., Any], relevant_args: Iterable[Any], *args: Any, **kwargs: Any
) -> Any:
    """What the handlers of `relevant_args` return for the call ``public_api(*args, **kwargs)``.

    TypeError if all of them return NotImplemented.
    """
    overloaded = overloaded_arguments(relevant_args)
    answer = call_handlers(public_api, overloaded, args, kwargs)
    if answer is NotImplemented:
        name = f"{public_api.__module__}.{public_api.__name__}"
        kinds = [type(value) for value in overloaded]
        raise TypeError(f"no implementation found for '{name}' on types that implement __torch_function__: {kinds}")
    return answer


def wrap_torch_function(dispatcher: Callable[..., Sequence[Any]]) -> Callable[..., Any]:
    """A decorator: the function is overridden by the classes of those of its arguments that `dispatcher` returns."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            relevant = dispatcher(*args, **kwargs)
            if has_torch_function(relevant):
                return handle_torch_function(wrapped, relevant, *args, **kwargs)
            return function(*args, **kwargs)

        return wrapped

    return decorate


def is_tensor_like(inp: Any) -> bool:
    """Whether this is a tensor, or of a class that defines `__torch_function__`."""
    return type(inp) is Tensor or hasattr(inp, "__torch_function__")


def get_default_nowrap_functions() -> set[Callable[..., Any]]:
    """The attributes that return a stored tensor as it is, whatever its class."""
    return nowrap_functions()


def resolve_name(f: Callable[..., Any]) -> str:
    """The name by which an operator, a method or an attribute's reader is known: "torch.Tensor.shape.__get__"."""
    return qualified_name(f)
