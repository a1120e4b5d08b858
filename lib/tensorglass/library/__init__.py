"""Operators of your own, declared as in PyTorch: a name, a function with annotations, and perhaps a derivative.

    @torch.library.custom_op("mylib::softsign", mutates_args=())
    def softsign(x: torch.Tensor) -> torch.Tensor:
        return x / (1 + x.abs())

To autograd such an operator is one node: nothing inside is recorded, and its derivative is what `register_autograd` is
given. (An operator of the library itself is a row of the operator table.)
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tensorglass.core.errors import explained
from tensorglass.core.out_of_scope import about
from tensorglass.library.autograd import Call, as_function
from tensorglass.library.schema import infer_schema
from tensorglass.tensor.autograd_meta import requires_grad
from tensorglass.tensor.grad_mode import state
from tensorglass.tensor.tensor import Tensor

__all__ = ["CustomOpDef", "Library", "custom_op", "infer_schema", "register_autograd"]

_DECLARED: dict[str, CustomOpDef] = {}  #: by their names


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
        self._written = [place for place, parameter in enumerate(takes[0].split(", ")) if "!)" in parameter]
        self._signature = inspect.signature(function)
        parameters = self._signature.parameters.values()
        self._positional = [parameter for parameter in parameters if parameter.kind is not parameter.KEYWORD_ONLY]
        has_names = len(self._positional) < len(parameters)
        self._backward: Callable[..., Any] | None = None
        self._setup_context: Callable[..., Any] | None = None
        self._node = as_function(name, self._run_function, has_names, lambda: (self._backward, self._setup_context))

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError as error:
            raise RuntimeError(f"{self._qualname}(): {error}. Declaration: {self._schema}") from None
        bound.apply_defaults()
        arguments, named = list(bound.args), bound.kwargs
        if state.grad and any(requires_grad(tensor) for tensor in _tensors_in(arguments)):
            call = Call(arguments, self._positional, named)
            result = call.together(self._node.apply(*call.take(), call))
        else:
            result = self._run_function(*arguments, **named)
        for place in self._written:
            for tensor in _tensors_in(arguments[place : place + 1]):
                if not tensor.is_inference():
                    tensor._written()
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

    def _run_function(self, *arguments: Any, **named: Any) -> Any:
        """The function's result, if its memory is its own."""
        result = self._function(*arguments, **named)
        storages = [id(tensor._storage) for tensor in _tensors_in(arguments)]
        for tensor in _tensors_in([result]):
            if id(tensor._storage) in storages:
                raise RuntimeError(
                    f"{self._qualname.split('::')[1]} (with implementation in {inspect.getmodule(self._function)}): "
                    "The output of this custom operator (1) must not also be an input to this custom operator and (2) "
                    "may not alias any inputs to this custom operator or other returns. The most common way to trigger "
                    "this error is if we have y = custom_op(x) and y and x are the same Tensor. Please instead return "
                    "a clone of the offending output tensor(s) (e.g. return x.clone()) or refactor the custom operator "
                    "to not return y."
                )
            storages.append(id(tensor._storage))
        return result


class Library:
    """A namespace with operators for several devices, which is not here: programs import the name alone, or ask of it.

    Making one is refused: `custom_op` declares an operator.
    """

    def __init__(self, ns: str, kind: str, dispatch_key: str = "") -> None:
        raise explained(
            NotImplementedError(f"Library({ns!r}, {kind!r}): operators are declared by torch.library.custom_op here"),
            about("library.Library") or "",
        )


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

    def declare(function: Callable[..., Any]) -> CustomOpDef:
        full_schema = infer_schema(function, mutates_args=written) if schema is None else schema
        operator = _DECLARED[name] = CustomOpDef(f"{namespace}::{plain}", function, full_schema, mutates=bool(written))
        return operator

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
    if isinstance(op, str):
        if op not in _DECLARED:
            namespace, _, plain = op.partition("::")
            raise AttributeError(f"'_OpNamespace' '{namespace}' object has no attribute '{plain}'")
        op = _DECLARED[op]
    op.register_autograd(backward, setup_context=setup_context)


def _tensors_in(values: Iterable[Any]) -> list[Tensor]:
    """All tensors among the values, and in lists and tuples among them."""
    tensors: list[Tensor] = []
    for value in values:
        if isinstance(value, Tensor):
            tensors.append(value)
        elif isinstance(value, (list, tuple)):
            tensors += _tensors_in(value)
    return tensors
