"""`torch.overrides`: for functions that should dispatch to `__torch_function__`, as operators do.

def double(x):
    if has_torch_function((x,)):
        return handle_torch_function(double, (x,), x)
    return x * 2
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, wraps
from importlib import import_module
from types import ModuleType
from typing import Any

from tensorglass.core.left_out import LeftOut, is_left_out
from tensorglass.ops.declare.lazy_loading import fetch_all
from tensorglass.ops.declare.registry import FUNCTIONS
from tensorglass.tensor.subclassing import nowrap_functions
from tensorglass.tensor.tensor import Tensor
from tensorglass.tensor.torch_function import dispatch_from_python, overloaded_arguments

__all__ = [
    "TorchFunctionMode",
    "get_default_nowrap_functions",
    "get_ignored_functions",
    "get_overridable_functions",
    "get_testing_overrides",
    "handle_torch_function",
    "has_torch_function",
    "is_tensor_like",
    "is_tensor_method_or_property",
    "resolve_name",
    "wrap_torch_function",
]


class TorchFunctionMode(LeftOut):
    """What sees all operators that run in a ``with`` block, whatever their arguments."""


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
    name = f"{public_api.__module__}.{public_api.__name__}"
    return dispatch_from_python(public_api, name, relevant_args, args, kwargs)


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


def resolve_name(f: Callable[..., Any]) -> str | None:
    """The name by which an operator, a method or an attribute's reader is known: "torch.Tensor.shape.__get__"."""
    return _listed()[1].get(f)


def is_tensor_method_or_property(func: Callable[..., Any]) -> bool:
    """Whether this is a method of tensors, or reads or writes an attribute of theirs."""
    return func in _listed()[0][Tensor] or func.__name__ == "__get__"


def get_overridable_functions() -> dict[Any, list[Callable[..., Any]]]:
    """The functions that call `__torch_function__`: by module, by the class of tensors, by the attribute they read."""
    return _listed()[0]


def get_ignored_functions() -> set[Callable[..., Any]]:
    """Functions that no class overrides: they make tensors of other things, or ask what something is."""
    return _listed()[2]


def get_testing_overrides() -> dict[Callable[..., Any], Callable[..., Any]]:
    """A stand-in for each function that can be overridden. It takes any arguments, and returns -1."""

    def stand_in(function: Callable[..., Any]) -> Callable[..., Any]:
        return wraps(function)(lambda *_, **__: -1)

    return {function: stand_in(function) for functions in _listed()[0].values() for function in functions}


# What is listed. PyTorch's list leaves out some functions whose calls dispatch nevertheless, as `rand_like`.
_PLACES = ("", "functional", "nn.functional", "linalg", "fft", "special")
_IGNORED = frozenset((
    "arange", "as_strided", "as_tensor", "asarray", "bartlett_window", "blackman_window", "broadcast_shapes", "empty",
    "empty_strided", "eye", "fftfreq", "from_dlpack", "from_file", "from_numpy", "frombuffer", "full",
    "hamming_window", "hann_window", "hardsigmoid", "hardswish", "is_storage", "is_tensor", "kaiser_window",
    "linspace", "logspace", "normal", "ones", "rand", "rand_like", "randint", "randint_like", "randn", "randn_like",
    "randperm", "range", "result_type", "rfftfreq", "scalar_tensor", "sigmoid", "tanh", "tensor", "to_dlpack",
    "tril_indices", "triu_indices", "typename", "upsample", "upsample_bilinear", "upsample_nearest", "vander", "zeros",
))  # fmt: skip
_OF_FUNCTIONAL = frozenset(("lu", "pca_lowrank", "svd_lowrank", "unique"))  #: listed in `torch.functional` alone
_OWN = frozenset((
    "__abs__", "__array_namespace__", "__copy__", "__delitem__", "__dict__", "__dir__", "__hash__", "__idiv__",
    "__init_subclass__", "__iter__", "__neg__", "__new__", "__pos__", "__rdiv__", "__torch_function__", "__weakref__",
    "as_subclass", "new", "new_empty", "new_empty_strided", "new_full", "new_ones", "new_tensor", "new_zeros",
    "stride", "to_device", "unflatten",
))  # fmt: skip  # of tensors: what PyTorch does not list, or has not
_INNER = frozenset(("_backward_hooks", "_base", "_is_view", "_version"))  #: the listed ones of these names
_Listed = tuple[dict[Any, list[Callable[..., Any]]], dict[Callable[..., Any], str], set[Callable[..., Any]]]


def _listed() -> _Listed:
    """The functions by where they are, the name of each, and those that are ignored."""
    return _listing(vars(Tensor)["__getitem__"])


@cache
def _listing(_: Callable[..., Any]) -> _Listed:
    """What is listed while tensors have this `__getitem__`: the first subclass of Tensor gives them other methods."""
    fetch_all()
    functions: dict[Any, list[Callable[..., Any]]] = {}
    names: dict[Callable[..., Any], str] = {}
    ignored = set()
    for place in _PLACES:
        module = import_module(f"tensorglass.{place}".rstrip("."))
        functions[module] = []
        for name in _operators(module, place):
            function = getattr(module, name)
            names[function] = f"torch.{place}.{name}" if place else f"torch.{name}"
            if (
                name in _IGNORED
                and (place or name not in ("sigmoid", "tanh"))
                and (place, name) != ("linalg", "vander")
            ):
                ignored.add(function)
            elif not name.startswith("_") and not name.endswith("_"):
                functions[module].append(function)
    functions[Tensor] = []
    for name in dir(Tensor):
        member: Any = vars(Tensor).get(name)
        if name in _OWN or (name in vars(object) and vars(object)[name] is member):
            continue
        if name.startswith("_") and not name.endswith("__") and name not in _INNER:
            continue
        if callable(member):
            if member.__name__ == name or member not in names:
                names[member] = f"torch.Tensor.{name}"
            functions[Tensor].append(member)
        elif hasattr(member, "__set__"):
            names[member.__get__] = f"torch.Tensor.{name}.__get__"
            names[member.__set__] = f"torch.Tensor.{name}.__set__"
            functions[member] = [member.__get__]
    return functions, names, ignored


def _operators(module: ModuleType, place: str) -> list[str]:
    if place:
        named = vars(module).get("__all__") or dir(module)
        return [name for name in named if name[0].islower() and _is_operator(module, name)]
    of_networks = [name for home, names in module._LAZY.items() if home.startswith("nn.") for name in names]
    return sorted({*of_networks, *(name for name in FUNCTIONS if "." not in name)} - _OF_FUNCTIONAL)


def _is_operator(module: ModuleType, name: str) -> bool:
    member = getattr(module, name)
    return callable(member) and name != "answering" and not is_left_out(member)
