"""Declaring an elementwise operator: from a kernel to a function, a method, an in-place form and Python's operators.

A declaration is a *kernel* under `pointwise`. The kernel's signature is the operator's: parameters annotated `Array`
are operands that must be tensors, those annotated `Operand` may be numbers too, and all others reach the kernel as
they are::

    @pointwise(PROMOTE, ufunc="add", dunders=("__add__", "__radd__", "__iadd__"))
    def add(xp, input: Operand, other: Operand, *, alpha=1, out=None):
        return xp.add(input, other if alpha == 1 else alpha * other, out=out)

The kernel gets arrays of one dtype, promoted but not yet broadcast. It may write into `out`, if that is not None, and
returns its result, in memory of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from tensorglass.core import dtypes
from tensorglass.core.devices import CPU
from tensorglass.ops.arg_parser.pointwise_arguments import CallSignature
from tensorglass.ops.declare.kernel import Call, Kernel, Rule
from tensorglass.ops.declare.registry import Operator, Sample, declare
from tensorglass.ops.declare.run_pointwise import compute
from tensorglass.ops.declare.seams import Elementwise, seams
from tensorglass.ops.kernels.python_numbers import NUMBERS
from tensorglass.tensor.construct import empty_on
from tensorglass.tensor.tensor import Tensor, raw_array
from tensorglass.tensor.torch_function import (
    dispatch_operator,
    dispatch_or_refuse,
    dispatch_or_run,
    subclasses,
    tensor_likes,
)

#: The annotation of an operand that may be a tensor or a number. In the kernel it is an array.
Operand = Any
_OPERANDS = (Tensor, *NUMBERS)
_COMMUTE = ("__radd__", "__rmul__", "__rand__", "__ror__", "__rxor__")  # PyTorch swaps the operands of these


def pointwise(
    rule: Rule,
    *,
    ufunc: str | None = None,
    function: bool = True,
    method: bool = True,
    inplace: bool = True,
    out: bool = True,
    aliases: Iterable[str] = (),
    dunders: Iterable[str] = (),
    check: Callable[..., None] | None = None,
    late_check: Callable[..., None] | None = None,
    inplace_check: Callable[..., None] | None = None,
    error_name: str | None = None,
    bounds: bool = False,
    numbers_fit: bool = False,
    samples: Callable[[], Iterable[Sample]] | None = None,
    differs: str | None = None,
    namespace: str = "",
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare an elementwise operator by its kernel. Returns the public function.

    `ufunc` names the array module's function that equals the kernel when all parameters have their defaults: the fast
    path calls it directly. `out` says whether users may pass ``out=`` if the kernel takes it. `dunders` are Python's
    names for the operator; ``__add__``, ``__radd__`` and ``__iadd__`` each get the right form. `check` is called with
    the operands and parameters before anything else, and raises for calls that are refused; `inplace_check` runs after
    it for in-place forms; `late_check` once sizes and dtypes are checked. `error_name` is the kernel's name in
    PyTorch's "not implemented for" message, where it is not the operator's. `bounds` says that numbers are parameters,
    as in clamp. `numbers_fit` says that numbers too large for the dtype are refused, instead of becoming infinite or
    wrapping around. An operator in a `namespace` has no methods, and its name begins with it: ``special_entr`` is
    ``torch.special.entr``.
    """

    def enter(body: Callable[..., Any]) -> Callable[..., Any]:
        short = error_name or f"{body.__name__.removeprefix(f'{namespace}_')}_cpu"
        kernel = Kernel(body, rule, check, short, ufunc, bounds, late_check, inplace_check, numbers_fit)
        signature = CallSignature(body, out)
        kernel.takes(signature.operands, signature.defaults)
        put = seams.elementwise(kernel, signature)
        forms = _forms(kernel, signature, put)
        for form, name in (
            (forms.function, ""),
            (forms.method, ""),
            (forms.in_place, "_"),
        ):
            form.__name__ = form.__qualname__ = body.__name__ + name
            form.__doc__ = body.__doc__
            form.__module__ = body.__module__
            vars(form)["make_overridable"] = _dispatches_already
            vars(form)["__signature__"] = signature.in_place() if form is forms.in_place else signature.public
        declare(
            Operator(
                name=body.__name__,
                function=forms.function,
                method=forms.method,
                kind="pointwise",
                is_function=function,
                is_method=method and not namespace,
                inplace=forms.in_place if inplace and not namespace else None,
                has_out=signature.has_out,
                aliases=tuple(aliases),
                dunders={name: _dunder(name, forms, kernel, put) for name in dunders},
                samples=samples,
                differs=differs,
                namespace=namespace,
            )
        )
        return forms.function

    return enter


class Forms(NamedTuple):
    """The callables that are made from one kernel."""

    function: Callable[..., Any]
    method: Callable[..., Any]
    in_place: Callable[..., Any]


def _forms(kernel: Kernel, signature: CallSignature, put: Elementwise) -> Forms:
    def form_of(form_name: str, is_method: bool = False, is_in_place: bool = False) -> Callable[..., Any]:
        def form(*arguments: Any, **keywords: Any) -> Any:
            if subclasses and tensor_likes(arguments, keywords):
                return dispatch_or_run(getattr(forms, form_name), form, arguments, keywords)
            try:
                operands, parameters, out = signature.read(arguments, keywords, is_method, is_in_place)
            except TypeError as refusal:
                return dispatch_or_refuse(getattr(forms, form_name), arguments, keywords, refusal)
            if is_in_place:
                return compute(Call(kernel, operands, parameters, arguments[0], inplace=True))
            return compute(Call(kernel, operands if is_method else _with_a_tensor(operands), parameters, out))

        return form

    forms = Forms(
        put.out_of_place(form_of("function")),
        put.out_of_place(form_of("method", is_method=True), is_method=True),
        put.in_place(form_of("in_place", is_method=True, is_in_place=True)),
    )
    return forms


def _dispatches_already(*_: Any) -> None:
    """Does nothing: elementwise operators dispatch by themselves."""


def _with_a_tensor(operands: list[Any]) -> list[Any]:
    """`operands`; if all are numbers, the first becomes a 0-dim tensor: ``torch.add(1, 2)`` is a tensor."""
    if type(operands[0]) is Tensor or any(isinstance(operand, Tensor) for operand in operands):
        return operands
    first = empty_on(CPU, (), (), dtypes.of_number(operands[0]))
    raw_array(first)[...] = operands[0]
    return [first, *operands[1:]]


# --- Python's operators ----------------------------------------------------------------------------------------------


def _dunder(name: str, forms: Forms, kernel: Kernel, put: Elementwise) -> Callable[..., Any]:
    """The method behind one of Python's operators. Operands of other classes are dispatched, or give NotImplemented."""

    def forward(self: Tensor, other: Any) -> Any:
        if type(self) is type(other) is Tensor:  # no arguments to parse
            return compute(Call(kernel, (self, other), {}))
        return forms.function(self, other) if isinstance(other, _OPERANDS) else dispatch_operator(name, self, other)

    def reflected(self: Tensor, other: Any) -> Any:
        if not isinstance(other, _OPERANDS):
            return dispatch_operator(name, self, other)
        return forms.function(self, other) if name in _COMMUTE else forms.function(other, self)

    def in_place(self: Tensor, other: Any) -> Any:
        if type(self) is type(other) is Tensor:
            return compute(Call(kernel, (self, other), {}, self, inplace=True))
        return forms.in_place(self, other) if isinstance(other, _OPERANDS) else dispatch_operator(name, self, other)

    def alone(self: Tensor) -> Any:
        return forms.function(self)

    if name in ("__neg__", "__pos__", "__abs__", "__invert__"):
        form: Callable[..., Any] = alone
    elif name.startswith("__r") and name != "__rshift__":
        form = put.between_two(reflected) if name in _COMMUTE else reflected
    elif name.startswith("__i"):
        form = put.in_place(in_place)
    else:
        form = put.between_two(forward)
    form.__name__ = form.__qualname__ = name
    form.__doc__ = forms.function.__doc__
    return form
