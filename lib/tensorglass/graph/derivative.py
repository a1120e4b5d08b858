"""How an operator's derivative is declared: one formula for each input that gradients flow to.

    @pointwise(PROMOTE, ...)
    @derivative(input=lambda grad, other: grad * other.conj(), other=lambda grad, input: grad * input.conj())
    def mul(xp, input, other, *, out=None): ...

The one idea to keep in mind: the names of a formula's parameters say what it needs, and only that is kept.

==============  ====================================================================================
`grad`          the gradient of the result, or of the first of several results
`grads`         the gradients of all results, zeros for those that nobody used; `arrived`: None for those
`result`        the result, or the first of several; `result1` the second, `results` all of them
an operand      the tensor (or number) as it was; one ending in ``_size``, ``_stride``: its size, its strides
                alone; in ``_header``: its size, stride and offset; in ``_device``: where it is
a parameter     what was passed for it: `dim`, `keepdim`
==============  ====================================================================================

Formulas are written with differentiable operators, so that derivatives have derivatives. What a formula returns is
summed to the input's size and converted to its dtype, so it need not think of broadcasting or promotion.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])
Formula = Callable[..., Any]


GRADIENTS = ("grad", "grads", "arrived")
_TAKES_MANY = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


def parameters_of(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of a function's parameters: what `inspect.signature` tells, in a hundredth of the time."""
    code = getattr(function, "__code__", None)
    if code is None or hasattr(function, "__wrapped__"):
        return tuple(inspect.signature(function).parameters)
    names: tuple[str, ...] = code.co_varnames
    return names[: code.co_argcount + code.co_kwonlyargcount]


def takes_many(function: Callable[..., Any]) -> bool:
    """Whether a function takes any number of arguments."""
    return bool(function.__code__.co_flags & _TAKES_MANY)


def defaults_of(function: Callable[..., Any]) -> tuple[Any, ...]:
    """For each of a function's parameters what it is where it is left out, `Parameter.empty` where it may not be."""
    code = getattr(function, "__code__", None)
    if code is None or hasattr(function, "__wrapped__") or takes_many(function):
        return tuple([each.default for each in inspect.signature(function).parameters.values()])
    given, by_name = function.__defaults__ or (), function.__kwdefaults__ or {}
    must = (inspect.Parameter.empty,) * (code.co_argcount - len(given))
    return (
        *must,
        *given,
        *[by_name.get(name, inspect.Parameter.empty) for name in parameters_of(function)[code.co_argcount :]],
    )


class Derivative:
    """The formulas of one operator."""

    __slots__ = (
        "formulas", "in_place_only", "keeps", "kept", "node_name", "on_arrays", "operator", "outputs", "parameters",
        "real_only", "wraps_numbers",
    )  # fmt: skip

    def __init__(
        self,
        formulas: Mapping[str, Formula],
        node_name: str | Callable[..., str | None] | None = None,
        outputs: int | None = None,
        wraps_numbers: bool = False,
        keeps: tuple[str, ...] = (),
        in_place_only: bool = False,
        real_only: str | None = None,
        on_arrays: bool = False,
        operator: str = "",
    ) -> None:
        self.operator = operator  #: its name
        self.formulas = dict(formulas)
        #: for each input the names that its formula needs
        self.parameters = {name: parameters_of(each) for name, each in self.formulas.items()}
        #: the same without the gradients, which are not kept but given
        self.kept = {
            name: tuple(each for each in needs if each not in GRADIENTS) for name, needs in self.parameters.items()
        }
        self.on_arrays = on_arrays  #: whether the formulas mean the same for arrays as for tensors
        self.node_name = node_name  #: PyTorch's name of the node, or a function of some of the call's arguments
        self.outputs = outputs  #: how many of the results gradients flow from; None: all that can have one
        self.wraps_numbers = wraps_numbers  #: whether PyTorch makes tensors of numbers, which then have an edge
        #: what PyTorch keeps as a tensor whatever was passed, so that a second backward does not find it any more
        self.keeps = (*keeps, *self.formulas) if wraps_numbers else keeps
        self.real_only = real_only  #: what PyTorch calls the operator when it refuses complex results
        self.in_place_only = in_place_only  #: whether the result has no gradient unless it overwrites what had one


def derivative(
    *,
    node: str | Callable[..., str | None] | None = None,
    outputs: int | None = None,
    wraps_numbers: bool = False,
    keeps: tuple[str, ...] = (),
    in_place_only: bool = False,
    real_only: str | None = None,
    on_arrays: bool = False,
    **formulas: Formula,
) -> Callable[[F], F]:
    """Declare the derivative of the operator below.

    `node` is PyTorch's name where it is not ``<Name>Backward0``, or a function that gives it: its parameters name the
    arguments that it depends on, and None from it means that this call is not recorded as a whole. `keeps` names
    arguments that PyTorch keeps as tensors whatever was passed. `in_place_only` is for what has no gradient, such as a
    comparison, unless it overwrites something that had one; `real_only` names one whose complex results are refused.

    `on_arrays` says that the formulas are arithmetic that arrays have as well, each giving a new array or `grad`
    itself: `fast` may give them arrays where nothing is recorded.
    """

    def mark(body: F) -> F:
        vars(body)["derivative"] = Derivative(
            formulas, node, outputs, wraps_numbers, keeps, in_place_only, real_only, on_arrays, body.__name__
        )
        return body

    return mark


def derivative_of(body: Callable[..., Any]) -> Derivative | None:
    """The derivative declared for a kernel or function, if there is one."""
    found: Derivative | None = getattr(body, "derivative", None)
    return found
