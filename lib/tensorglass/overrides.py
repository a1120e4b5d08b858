"""`torch.overrides`: for functions of one's own that are to respect `__torch_function__`, as operators do.

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
from tensorglass.tensor.torch_function import ask, name_of, overloaded

__all__ = [
    "get_default_nowrap_functions",
    "handle_torch_function",
    "has_torch_function",
    "is_tensor_like",
    "resolve_name",
    "wrap_torch_function",
]


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Whether the class of one of these is to be asked, as it defines `__torch_function__`."""
    return bool(overloaded(relevant_args))


def has_torch_function_unary(obj: Any) -> bool:
    """`has_torch_function` of one argument."""
    return has_torch_function((obj,))


def has_torch_function_variadic(*relevant_args: Any) -> bool:
    """`has_torch_function` of arguments one by one."""
    return has_torch_function(relevant_args)


def handle_torch_function(
    public_api: Callable[..., Any], relevant_args: Iterable[Any], *args: Any, **kwargs: Any
) -> Any:
    """What the classes of `relevant_args` make of the call ``public_api(*args, **kwargs)``.

    TypeError if all of them return NotImplemented.
    """
    asked = overloaded(relevant_args)
    answer = ask(public_api, asked, args, kwargs)
    if answer is NotImplemented:
        name = f"{public_api.__module__}.{public_api.__name__}"
        kinds = [type(each) for each in asked]
        raise TypeError(f"no implementation found for '{name}' on types that implement __torch_function__: {kinds}")
    return answer


def wrap_torch_function(dispatcher: Callable[..., Sequence[Any]]) -> Callable[..., Any]:
    """A decorator: the function is handed over if a class of what `dispatcher` gives of its arguments has a say."""

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
    """The attributes that give a tensor as it is, whatever class it is read from."""
    return nowrap_functions()


def resolve_name(f: Callable[..., Any]) -> str:
    """The name by which an operator, a method or an attribute's reader is known: "torch.Tensor.shape.__get__"."""
    return name_of(f)
