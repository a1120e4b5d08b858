"""How functions of layers are overridden: `__torch_function__` gets a call of them as one call, before they run.

In PyTorch some of these functions are operators: a handler gets their arguments as the caller wrote them. The others
are written in Python, and hand over all parameters, those without a default by place, the others by name. Operators of
our table dispatch by themselves.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from tensorglass.ops.arg_parser.bool_arguments import unwrap
from tensorglass.tensor.torch_function import (
    NOT_OVERRIDING,
    dispatch,
    dispatch_from_python,
    overloaded_arguments,
    tensor_likes,
)

#: Operators in PyTorch that are none of our table, with the names that its errors give them.
OPERATORS = {
    "bilinear": "torch.bilinear", "prelu": "torch.prelu", "logsigmoid": "torch.nn.log_sigmoid",
} | {
    name: f"torch.nn.{name}"
    for name in (
        "avg_pool2d", "avg_pool3d", "elu_", "gelu", "hardtanh_", "leaky_relu_", "linear", "one_hot",
        "scaled_dot_product_attention", "softplus", "softshrink",
    )
}  # fmt: skip

#: Functions that do not dispatch: they call a method or a function that does.
PASSING_ON = frozenset({"sigmoid", "tanh", "upsample", "upsample_bilinear", "upsample_nearest"})


def overridable(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function of this name in `nn.functional`, made to ask its arguments' `__torch_function__` before it runs."""
    if name in PASSING_ON or hasattr(function, "make_overridable"):
        return function

    @wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        for argument in arguments:
            if type(argument) not in NOT_OVERRIDING:
                break
        else:
            if not keywords:
                return function(*arguments)
            for argument in keywords.values():
                if type(argument) not in NOT_OVERRIDING:
                    break
            else:
                return function(*arguments, **keywords)
        overloaded = overloaded_arguments(tensor_likes(arguments, keywords))
        if not overloaded:
            return function(*arguments, **keywords)
        if name in OPERATORS:
            return dispatch(call, overloaded, arguments, keywords, OPERATORS[name])
        by_place, by_name = _as_handed_over(function, arguments, keywords)
        relevant = (*by_place, *by_name.values())
        return dispatch_from_python(call, f"torch.nn.functional.{name}", relevant, by_place, by_name)

    call.__module__, call.__name__, call.__qualname__ = "tensorglass.nn.functional", name, name  # for pickle
    return call


def _as_handed_over(
    function: Callable[..., Any], arguments: tuple[Any, ...], keywords: Mapping[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """A call's arguments by place, which are those without a default, and all others by name."""
    signature = inspect.signature(unwrap(function))
    bound = signature.bind(*arguments, **keywords)
    bound.apply_defaults()
    by_place = [each for each, parameter in signature.parameters.items() if parameter.default is parameter.empty]
    return tuple([bound.arguments.pop(each) for each in by_place]), bound.arguments
