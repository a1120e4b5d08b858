"""How an elementwise operator runs: dtype, size, output, kernel. One path for all of them.

A declaration is a *kernel* under `pointwise`. The kernel's signature is the operator's: parameters annotated `Array`
are operands (tensors or numbers), which are promoted and broadcast; all others reach the kernel as they are::

    @pointwise(PROMOTE)
    def add(xp, input: Array, other: Array, *, alpha=1, out=None):
        return xp.add(input, other if alpha == 1 else alpha * other, out=out)

The kernel sees operands of one dtype. It may write into `out`, if that is not None, and returns its result.
The one idea to keep in mind: all is checked before the kernel runs, so that an error leaves nothing half-written.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tensorglass import dtypes, layout
from tensorglass.backends import Array, Backend
from tensorglass.dtypes import dtype as DType
from tensorglass.errors import explained
from tensorglass.ops.arguments import check_tensor
from tensorglass.ops.promotion import NUMBERS, PROMOTE, DTypeRule, apply_rule, cannot_cast, common_dtype
from tensorglass.ops.scalars import number_array
from tensorglass.ops.table import Operator, Sample, declare
from tensorglass.tensor import Tensor, array_of, empty_on, from_array, header_of, raw_array

Rule = DTypeRule | Callable[..., DTypeRule]

# --- the path --------------------------------------------------------------------------------------------------------


class Kernel:
    """A kernel with what the path needs to know of it."""

    __slots__ = ("check", "error_name", "function", "late_check", "name", "rule")

    def __init__(
        self,
        function: Callable[..., Any],
        rule: Rule,
        check: Callable[..., None] | None,
        late_check: Callable[..., None] | None,
        error_name: str | None,
    ) -> None:
        self.function = function
        self.name = function.__name__
        self.rule = rule
        self.check = check
        self.late_check = late_check
        self.error_name = error_name or f"{self.name}_cpu"


def compute(
    kernel: Kernel,
    operands: Sequence[Any],
    parameters: dict[str, Any],
    out: Tensor | None = None,
    *,
    inplace: bool = False,
) -> Tensor:
    """Run `kernel` elementwise over `operands` (tensors, Python numbers, or None for one that is left out).

    With `out`, the result is written there: `out` is resized if it has another size, or, if `inplace`, refused.
    """
    present = [operand for operand in operands if operand is not None]
    if kernel.check is not None:
        kernel.check(present, **parameters)
    tensors = [operand for operand in present if isinstance(operand, Tensor)]
    like = tensors[0]._storage
    for tensor in tensors:
        if tensor._storage.device != like.device:
            raise _on_two_devices(like.device, tensor._storage.device)
    if out is not None:
        refuse_overlapping_write(out, tensors)
    size = layout.broadcast_shapes(*[tensor._size for tensor in tensors])
    if inplace and out is not None and out._size != size:
        raise explained(
            RuntimeError(f"output with shape {list(out._size)} doesn't match the broadcast shape {list(size)}"),
            "An in-place operator cannot make its tensor larger: use the form without the underscore.",
            notebook="08 in-place and clone",
        )
    if kernel.late_check is not None:
        kernel.late_check(present, **parameters)
    compute_dtype, result_dtype = resolve(kernel, common_dtype(present), parameters)
    if out is not None and not dtypes.can_cast(result_dtype, out._dtype):
        raise cannot_cast(result_dtype, out._dtype)

    backend = like.backend
    arrays = [None if each is None else _operand_array(backend, each, compute_dtype) for each in operands]
    if out is None:
        layouts = [(each._size, each._stride) if isinstance(each, Tensor) else ((), ()) for each in present]
        strides = layout.elementwise_strides(size, layouts)
        out = empty_on(like.device, size, strides, result_dtype)
    else:
        if out._size != size:
            resize_output(out, size)
        out._written()
    target = raw_array(out)
    # A kernel writes into the dtype that it returns; anything else is written below.
    direct = target if out._dtype is result_dtype is compute_dtype and not out._conj else None
    result = backend.launch(kernel.function, *arrays, out=direct, **parameters)
    if result is not target:
        backend.launch(_store, target, _converted(backend, result, result_dtype), out._conj)
    return out


def _store(xp: Any, target: Array, result: Array, conjugate: bool) -> None:
    target[...] = xp.conj(result) if conjugate else result


def resolve(kernel: Kernel, common: DType, parameters: dict[str, Any]) -> tuple[DType, DType]:
    """The dtype that the kernel computes in, and the result's."""
    rule = kernel.rule if isinstance(kernel.rule, DTypeRule) else kernel.rule(**parameters)
    return apply_rule(rule, common, kernel.error_name)


def _operand_array(backend: Backend, operand: Any, dtype: DType) -> Array:
    if isinstance(operand, Tensor):
        array = array_of(operand)
        return array if operand._dtype is dtype else _converted(backend, array, dtype)
    return number_array(backend, operand, dtype)


def _converted(backend: Backend, array: Array, dtype: DType) -> Array:
    return backend.launch(_convert, array, backend.array_dtype(dtype))


def _convert(xp: Any, array: Array, array_dtype: Any) -> Array:
    return xp.asarray(array).astype(array_dtype, copy=False)


# --- outputs ---------------------------------------------------------------------------------------------------------


def refuse_overlapping_write(target: Tensor, sources: Iterable[Tensor] = ()) -> None:
    """Raise if writing to `target` would write one cell twice, or partly over a source that is still to be read."""
    if not target.is_contiguous():
        layout.check_writable(target._size, target._stride)
    for source in sources:
        if source is not target and source._storage is target._storage:
            layout.check_no_partial_overlap(
                header_of(target), target._dtype.itemsize, header_of(source), source._dtype.itemsize
            )


def resize_output(out: Tensor, size: tuple[int, ...]) -> None:
    """Give the tensor passed as ``out=`` the result's size, with PyTorch's warning if it held elements."""
    if out.numel() != 0:
        warnings.warn(
            f"An output with one or more elements was resized since it had shape {list(out._size)}, which does not "
            f"match the required output shape {list(size)}. This behavior is deprecated, and in a future PyTorch "
            "release outputs will not be resized unless they have zero elements. You can explicitly reuse an out "
            "tensor t by resizing it, inplace, to zero elements with t.resize_(0).",
            UserWarning,
            stacklevel=4,
        )
    out.resize_(size)


def _on_two_devices(one: Any, other: Any) -> RuntimeError:
    return explained(
        RuntimeError(
            f"Expected all tensors to be on the same device, but found at least two devices, {one} and {other}!"
        ),
        "Move one of them first: x.to(y.device).",
    )


# --- declarations ----------------------------------------------------------------------------------------------------


def pointwise(
    rule: Rule,
    *,
    function: bool = True,
    method: bool = True,
    inplace: bool = True,
    aliases: Iterable[str] = (),
    dunders: Iterable[str] = (),
    check: Callable[..., None] | None = None,
    late_check: Callable[..., None] | None = None,
    error_name: str | None = None,
    samples: Callable[[], Iterable[Sample]] | None = None,
    differs: str | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare an elementwise operator by its kernel. Returns the public function.

    `dunders` are Python's names for it: of ``__add__``, ``__radd__`` and ``__iadd__`` each becomes the right form.
    `check` is called with the operands and parameters first of all, `late_check` once sizes and overlaps are found
    to fit, as PyTorch has it; each raises what it refuses before anything is written.
    `error_name` is the kernel's name in PyTorch's "not implemented for" message, where it is not the operator's.
    """

    def enter(body: Callable[..., Any]) -> Callable[..., Any]:
        name = body.__name__
        kernel = Kernel(body, rule, check, late_check, error_name)
        operand_names, parameter_names, signature = _read_signature(body)
        make_forms = {1: _unary_forms, 2: _binary_forms}.get(len(operand_names), _any_forms)
        if len(operand_names) > 2 or any(parameter_names.values()) or _optional(signature, operand_names):
            make_forms = _any_forms
        public, in_place = make_forms(kernel, signature, operand_names)
        for form, form_name in ((public, name), (in_place, f"{name}_")):
            form.__name__ = form.__qualname__ = form_name
            form.__doc__ = body.__doc__
            form.__module__ = body.__module__
        public.__signature__ = signature  # type: ignore[attr-defined]  # functions may carry one; typeshed omits it
        declare(
            Operator(
                name, public, "pointwise", function, method, False, in_place if inplace else None, True, tuple(aliases),
                _dunder_forms(dunders, public, in_place), samples, differs,
            )
        )  # fmt: skip
        return public

    return enter


def _dunder_forms(
    names: Iterable[str], public: Callable[..., Any], in_place: Callable[..., Any]
) -> dict[str, Callable[..., Any]]:
    """The methods behind Python's operators. An operand that is no tensor and no number is left to its own class."""

    def forward(self: Tensor, other: Any) -> Any:
        return public(self, other) if type(other) is Tensor or isinstance(other, NUMBERS) else NotImplemented

    def reflected(self: Tensor, other: Any) -> Any:
        return public(other, self) if isinstance(other, NUMBERS) else NotImplemented

    def inplace(self: Tensor, other: Any) -> Any:
        return in_place(self, other) if isinstance(other, NUMBERS) else NotImplemented

    def alone(self: Tensor) -> Any:
        return public(self)

    forms: dict[str, Callable[..., Any]] = {}
    for name in names:
        if name in ("__neg__", "__abs__", "__invert__"):
            forms[name] = alone
        elif name.startswith("__r") and name != "__rshift__":
            forms[name] = reflected
        elif name.startswith("__i"):
            forms[name] = inplace
        else:
            forms[name] = forward
    return forms


def _read_signature(body: Callable[..., Any]) -> tuple[list[str], dict[str, bool], inspect.Signature]:
    """The names of a kernel's operands, those of its parameters (True: may be positional), and the public signature."""
    given = list(inspect.signature(body).parameters.values())[1:]  # without xp
    operands = [each.name for each in given if each.annotation == "Array" and each.name != "out"]
    parameters = {
        each.name: each.kind is not each.KEYWORD_ONLY
        for each in given
        if each.annotation != "Array" and each.name != "out"
    }
    return operands, parameters, inspect.Signature([each.replace(annotation=each.empty) for each in given])


def _optional(signature: inspect.Signature, operands: list[str]) -> bool:
    return any(signature.parameters[name].default is not inspect.Parameter.empty for name in operands)


Forms = tuple[Callable[..., Any], Callable[..., Any]]


def _unary_forms(kernel: Kernel, signature: inspect.Signature, operands: list[str]) -> Forms:
    run, rule = kernel.function, kernel.rule
    is_plain = takes_integers = False
    if isinstance(rule, DTypeRule):
        is_plain = rule.result is None and not rule.refuses
        takes_integers = rule.compute is None

    def public(input: Tensor, *, out: Tensor | None = None, **parameters: Any) -> Tensor:
        if type(input) is not Tensor:
            check_tensor(kernel.name, input)
        if out is None and not parameters and input.is_contiguous():
            dtype = input._dtype
            if is_plain and dtype.itemsize > 2 and (takes_integers or dtype.category >= dtypes.FLOATING):
                # The fast path: a contiguous tensor whose dtype is the result's.
                return from_array(input._storage.backend.launch(run, array_of(input)), dtype, input._storage)
        return compute(kernel, (input,), parameters, out)

    def in_place(self: Tensor, **parameters: Any) -> Tensor:
        return compute(kernel, (self,), parameters, self, inplace=True)

    return public, in_place


def _binary_forms(kernel: Kernel, signature: inspect.Signature, operands: list[str]) -> Forms:
    run, rule = kernel.function, kernel.rule
    is_simple = rule is PROMOTE

    def public(input: Any, other: Any, *, out: Tensor | None = None, **parameters: Any) -> Any:
        if type(input) is Tensor and type(other) is Tensor:
            dtype, storage = input._dtype, input._storage
            if (
                is_simple
                and out is None
                and not parameters
                and dtype is other._dtype
                and input._size == other._size
                and dtype.itemsize > 2
                and storage.device is other._storage.device
                and input.is_contiguous()
                and other.is_contiguous()
            ):
                # The fast path: nothing to promote, to broadcast or to lay out.
                return from_array(storage.backend.launch(run, array_of(input), array_of(other)), dtype, storage)
        else:
            check_operands(kernel.name, (input, other), operands)
        return compute(kernel, (input, other), parameters, out)

    def in_place(self: Tensor, other: Any, **parameters: Any) -> Any:
        check_operands(kernel.name, (self, other), operands)
        return compute(kernel, (self, other), parameters, self, inplace=True)

    return public, in_place


def _any_forms(kernel: Kernel, signature: inspect.Signature, operands: list[str]) -> Forms:
    def split(arguments: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[list[Any], dict[str, Any], Tensor | None]:
        try:
            bound = signature.bind(*arguments, **keywords)
        except TypeError as error:
            raise TypeError(f"{kernel.name}() received an invalid combination of arguments: {error}") from None
        bound.apply_defaults()
        out = bound.arguments.pop("out", None)
        values = [bound.arguments.pop(name) for name in operands]
        check_operands(kernel.name, [value for value in values if value is not None], operands)
        return values, bound.arguments, out

    def public(*arguments: Any, **keywords: Any) -> Tensor:
        values, parameters, out = split(arguments, keywords)
        return compute(kernel, values, parameters, out)

    def in_place(self: Tensor, *arguments: Any, **keywords: Any) -> Tensor:
        values, parameters, _ = split((self, *arguments), keywords)
        return compute(kernel, values, parameters, self, inplace=True)

    return public, in_place


def check_operands(name: str, values: Sequence[Any], names: Sequence[str]) -> None:
    """Raise PyTorch's TypeError unless every operand is a tensor or a number, and one of them a tensor."""
    for position, (value, argument) in enumerate(zip(values, names, strict=False), start=1):
        if not isinstance(value, NUMBERS):
            check_tensor(name, value, argument, position)
    if not any(isinstance(value, Tensor) for value in values):
        check_tensor(name, values[0], names[0], 1)
