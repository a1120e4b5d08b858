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
    """The names of a function's parameters, as in `inspect.signature`, in a hundredth of the time."""
    code = getattr(function, "__code__", None)
    if code is None or hasattr(function, "__wrapped__"):
        return tuple(inspect.signature(function).parameters)
    names: tuple[str, ...] = code.co_varnames
    return names[: code.co_argcount + code.co_kwonlyargcount]


def takes_many(function: Callable[..., Any]) -> bool:
    """Whether a function takes any number of arguments."""
    return bool(function.__code__.co_flags & _TAKES_MANY)


def defaults_of(function: Callable[..., Any]) -> tuple[Any, ...]:
    """The default of each of a function's parameters; `Parameter.empty` for one without a default."""
    code = getattr(function, "__code__", None)
    if code is None or hasattr(function, "__wrapped__") or takes_many(function):
        return tuple([parameter.default for parameter in inspect.signature(function).parameters.values()])
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
        #: for each input, the names that its formula needs
        self.parameters = {name: parameters_of(formula) for name, formula in self.formulas.items()}
        #: the same without the gradients, which are passed in and not kept
        self.kept = {
            name: tuple(need for need in needs if need not in GRADIENTS) for name, needs in self.parameters.items()
        }
        self.on_arrays = on_arrays  #: whether the formulas mean the same for arrays as for tensors
        self.node_name = node_name  #: PyTorch's name of the node, or a function of some of the call's arguments
        self.outputs = outputs  #: how many results have gradients; None: all whose dtype allows it
        self.wraps_numbers = wraps_numbers  #: whether PyTorch wraps numbers in tensors, which then have an edge
        #: what PyTorch always keeps as a tensor, so that a second backward finds it freed
        self.keeps = (*keeps, *self.formulas) if wraps_numbers else keeps
        self.real_only = real_only  #: what PyTorch calls the operator when it refuses complex results
        #: whether the result has a gradient only if it overwrites a tensor that had one
        self.in_place_only = in_place_only


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

    `node` is PyTorch's name where it is not ``<Name>Backward0``, or a function of some arguments, named by its
    parameters, that returns it; None from it means that the operators that the call is composed of are recorded
    instead. `keeps` names arguments that PyTorch always keeps as tensors. `in_place_only` marks an operator, such as a
    comparison, whose result only has a gradient if it overwrites a tensor that had one. `real_only` is the name in
    PyTorch's error for complex results.

    `on_arrays` says that the formulas only use arithmetic that arrays also support, and that each returns a new array
    or `grad` itself. Then `fast` may pass them arrays when nothing is recorded.
    """

    def mark(body: F) -> F:
        vars(body)["derivative"] = Derivative(
            formulas, node, outputs, wraps_numbers, keeps, in_place_only, real_only, on_arrays, body.__name__
        )
        return body

    return mark


def derivative_of(body: Callable[..., Any]) -> Derivative | None:
    """The derivative declared for a kernel or function, if there is one."""
    derivative: Derivative | None = getattr(body, "derivative", None)
    return derivative
