"""Operators of one's own, declared as in PyTorch: a name, a function with annotations, and perhaps a derivative.

    @torch.library.custom_op("mylib::softsign", mutates_args=())
    def softsign(x: torch.Tensor) -> torch.Tensor:
        return x / (1 + x.abs())

To autograd such an operator is one node: nothing inside is recorded, and its derivative is what `register_autograd` is
given. (An operator of the library itself is a row of the operator table.)
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from types import NoneType
from typing import Any

from tensorglass.core.devices import device
from tensorglass.core.dtypes import dtype
from tensorglass.library.autograd import Call, as_function
from tensorglass.library.schema import infer_schema, spelling_of
from tensorglass.tensor.autograd_meta import requires_grad
from tensorglass.tensor.grad_mode import state
from tensorglass.tensor.tensor import Tensor

__all__ = ["CustomOpDef", "custom_op", "infer_schema", "register_autograd"]

_DECLARED: dict[str, CustomOpDef] = {}  #: by their names

#: What a parameter of this spelling takes, what a list of them does, and their name in Python.
_TAKES: dict[str, tuple[tuple[type, ...], tuple[type, ...], str]] = {
    "Tensor": ((Tensor, NoneType), (Tensor,), "Tensor"),
    "SymInt": ((int, Tensor), (int,), "int"),
    "float": ((int, float, Tensor), (int, float, Tensor), "float"),
    "bool": ((int, Tensor), (int, float, Tensor, NoneType), "bool"),
    "str": ((str,), (str,), "str"),
    "ScalarType": ((int, dtype, Tensor), (int, dtype), "int"),
    "Device": ((device, str), (device, str), "Device"),
    "Scalar": ((int, float, dtype), (int, float, dtype), "number"),
}


class CustomOpDef:
    """An operator that `custom_op` declared. Call it like the function."""

    def __init__(self, name: str, function: Callable[..., Any], schema: str, mutates: bool) -> None:
        self._qualname = name
        self._function = function
        self._schema = f"{name}{schema}"
        self._mutates = mutates
        takes = schema.partition(" -> ")[0].partition("*, ")
        if "Tensor" in takes[2]:
            raise NotImplementedError(
                "custom_op with kwarg-only Tensor args. Please make your tensors not kwarg-only. Got: "
                f"{name.split('::')[1]}{schema}"
            )
        #: the places of what is written to
        self._written = [place for place, each in enumerate(takes[0].split(", ")) if "!)" in each]
        self._parameters = inspect.signature(function, eval_str=True).parameters
        self._keyword_only = [each.name for each in self._parameters.values() if each.kind is each.KEYWORD_ONLY]
        self._backward: Callable[..., Any] | None = None
        self._setup_context: Callable[..., Any] | None = None
        self._node = as_function(
            name, self._run, bool(self._keyword_only), lambda: (self._backward, self._setup_context)
        )

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        arguments = self._arguments(args, kwargs)
        places = len(arguments) - len(self._keyword_only)
        named = dict(zip(self._keyword_only, arguments[places:], strict=True))
        del arguments[places:]
        if state.grad and any(requires_grad(each) for each in _tensors_in(arguments)):
            call = Call(arguments, list(self._parameters.values())[:places], named)
            result = call.together(self._node.apply(*call.take(), call))
        else:
            result = self._run(*arguments, **named)
        for place in self._written:
            for each in _tensors_in(arguments[place : place + 1]):
                if not each.is_inference():
                    each._written()
        return result

    def register_autograd(
        self, backward: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None
    ) -> None:
        """Give the operator a derivative.

        ``backward(ctx, *grads)`` returns a gradient for each argument, None where there is none. What it needs,
        ``setup_context(ctx, inputs, output)`` notes; with keyword-only parameters,
        ``setup_context(ctx, inputs, keyword_only_inputs, output)``.
        """
        if self._mutates:
            raise RuntimeError(
                f"Cannot register autograd formula for non-functional operator {self!r} with schema {self._schema}. "
                "Please create a functional operator and register an autograd formula for that."
            )
        self._backward, self._setup_context = backward, setup_context

    def register_fake(self, fn: Callable[..., Any], /) -> Callable[..., Any]:
        """Take the function that finds sizes and dtypes alone, which PyTorch's compiler needs; here nothing does."""
        return fn

    def _arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """All arguments in the order of the parameters, defaults filled in."""
        declaration = "Declaration: " + re.sub(r"(=-?\d+\.)0\b", r"\1", self._schema)
        places = len(self._parameters) - len(self._keyword_only)
        if len(args) > places:
            complaint = (
                f"takes {places} positional argument(s) but {len(args)} was/were given. "
                if self._keyword_only
                else f"expected at most {places} argument(s) but received {len(args)} argument(s)."
            )
            raise RuntimeError(f"{self._qualname}() {complaint} {declaration}")
        found = []
        for place, (name, parameter) in enumerate(self._parameters.items()):
            if place < len(args):
                if name in kwargs:
                    raise RuntimeError(
                        f"Argument '{name}' specified both as positional and keyword argument. Schema: {self._schema}"
                    )
                value = args[place]
            else:
                value = kwargs.get(name, parameter.default)
            if value is parameter.empty:
                raise RuntimeError(f"{self._qualname}() is missing value for argument '{name}'. {declaration}")
            self._check_argument(place, name, value)
            found.append(value)
        for name in kwargs:
            if name not in self._parameters:
                raise RuntimeError(
                    f"Unknown keyword argument '{name}' for operator '{self._qualname}'. Schema: {self._schema}"
                )
        return found

    def _check_argument(self, place: int, name: str, value: Any) -> None:
        spelling = spelling_of(self._parameters[name].annotation)
        if spelling is None:  # the schema was given, and not read
            return
        fits, wanted = _fits(value, spelling)
        if not fits:
            raise RuntimeError(
                f"{self._qualname}() Expected a value of type '{wanted}' for argument '{name}' but instead found type "
                f"'{type(value).__name__}'.\nPosition: {place}\nValue: {value!r}\nDeclaration: {self._schema}"
            )

    def _run(self, *arguments: Any, **named: Any) -> Any:
        """The function's result, if its memory is its own."""
        result = self._function(*arguments, **named)
        if self._schema.endswith("-> Tensor") and not (result is None or isinstance(result, Tensor)):
            raise RuntimeError(f"Unable to cast {result!r} to Tensor")
        storages = [id(each._storage) for each in _tensors_in(arguments)]
        for each in _tensors_in([result]):
            if id(each._storage) in storages:
                raise RuntimeError(
                    f"{self._qualname.split('::')[1]} (with implementation in {inspect.getmodule(self._function)}): "
                    "The output of this custom operator (1) must not also be an input to this custom operator and (2) "
                    "may not alias any inputs to this custom operator or other returns. The most common way to trigger "
                    "this error is if we have y = custom_op(x) and y and x are the same Tensor. Please instead return "
                    "a clone of the offending output tensor(s) (e.g. return x.clone()) or refactor the custom operator "
                    "to not return y."
                )
            storages.append(id(each._storage))
        return result


def _fits(value: Any, spelling: str, *, is_element: bool = False) -> tuple[bool, str]:
    """Whether a parameter of this spelling takes the value, and the spelling's name in Python."""
    if spelling.endswith("?"):
        fits, wanted = _fits(value, spelling[:-1], is_element=is_element)
        return fits or value is None, f"Optional[{wanted}]"
    if spelling.endswith("[]"):
        inner = spelling[:-2]
        wanted = f"List[{_fits(None, inner)[1]}]"
        is_list = isinstance(value, (list, tuple))
        return is_list and all(_fits(each, inner, is_element=True)[0] for each in value), wanted
    alone, in_list, wanted = _TAKES[spelling]
    return isinstance(value, in_list if is_element else alone), wanted


def custom_op(
    name: str,
    fn: Callable[..., Any] | None = None,
    /,
    *,
    mutates_args: str | Iterable[str],
    device_types: str | Sequence[str] | None = None,
    schema: str | None = None,
) -> Any:
    """Declare an operator ``"namespace::name"`` by a function whose parameters and result are annotated.

    `mutates_args` names the tensors that it writes to, ``()`` for none. The result may share no memory with an
    argument. Without `fn`, a decorator. `device_types` are those that the function is for; here all is on the CPU.
    `schema` stands in for the annotations: ``"(Tensor x, float width) -> Tensor"``.
    """
    namespace, plain = name.split("::")
    written = mutates_args if isinstance(mutates_args, str) else list(mutates_args)

    if schema is not None:
        suggested = set(re.findall(r"\([a-z]\w*!\)[\[\]?]* (\w+)", schema.partition(" -> ")[0]))
        if suggested != set(written):
            raise ValueError(
                f"Attempted to create a custom op with `mutates_args={mutates_args}` and `schema={schema}. The schema "
                f"suggests that the op mutates {suggested}which is different from what was provided to us in "
                "`mutates_args`. Please make these consistent."
            )

    def declare(function: Callable[..., Any]) -> CustomOpDef:
        found = infer_schema(function, mutates_args=written) if schema is None else schema
        made = _DECLARED[name] = CustomOpDef(f"{namespace}::{plain}", function, found, mutates=bool(written))
        return made

    return declare if fn is None else declare(fn)


def register_autograd(
    op: str | CustomOpDef,
    backward: Callable[..., Any],
    /,
    *,
    setup_context: Callable[..., Any] | None = None,
    lib: None = None,
) -> None:
    """Give an operator, or the one of that name, a derivative: see `CustomOpDef.register_autograd`."""
    if not isinstance(op, (str, CustomOpDef)):
        raise ValueError(f"register_autograd({op}): got unexpected type for op: {type(op)}")
    if isinstance(op, str):
        if op not in _DECLARED:
            namespace, _, plain = op.partition("::")
            raise AttributeError(f"'_OpNamespace' '{namespace}' object has no attribute '{plain}'")
        op = _DECLARED[op]
    op.register_autograd(backward, setup_context=setup_context)


def _tensors_in(values: Iterable[Any]) -> list[Tensor]:
    """All tensors among the values, and in lists and tuples among them."""
    found: list[Tensor] = []
    for value in values:
        if isinstance(value, Tensor):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            found += _tensors_in(value)
    return found
