"""Operators of your own as autograd sees them: one node, whatever lists their arguments and results are in.

A node takes a flat sequence of tensors, so lists are flattened on the way in and rebuilt on the way out. A `Call`,
passed as the last argument, knows the structure.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from types import new_class
from typing import Any

from tensorglass.autograd.function import Function
from tensorglass.func.pytree import TreeSpec
from tensorglass.tensor.tensor import Tensor


class Call:
    """The structure of the arguments of one call, and the defaults of omitted ones."""

    needs: tuple[bool, ...]  #: which of the tensors want gradients
    outputs: TreeSpec  #: how the results are nested
    is_tuple: bool  #: whether there are several

    def __init__(self, given: Sequence[Any], parameters: Iterable[inspect.Parameter], named: dict[str, Any]) -> None:
        inputs = [list(argument) if isinstance(argument, tuple) else argument for argument in given]
        defaults = [parameter.default for parameter in parameters]
        while inputs and _is_default(inputs[-1], defaults[len(inputs) - 1]):
            inputs.pop()
        self.flat, self.inputs = flattened(inputs)
        self._left_out = tuple(defaults[len(inputs) :])
        self.named = named

    def take(self) -> list[Any]:
        """The flattened arguments. Call it once: they are not kept."""
        flat, self.flat = self.flat, []
        return flat

    def positional(self, flat: Sequence[Any]) -> tuple[Any, ...]:
        """All arguments but those that have names, nested as they were given."""
        return (*self.inputs.unflatten(flat), *self._left_out)

    def taken_apart(self, result: Any) -> Any:
        """The result with all tensors flattened."""
        self.is_tuple = isinstance(result, tuple)
        flat, self.outputs = flattened(result if self.is_tuple else [result])
        return tuple(flat) if self.is_tuple or isinstance(result, list) else result

    def together(self, result: Any) -> Any:
        """The result as the function returned it."""
        answer = self.outputs.unflatten(result if isinstance(result, tuple) else [result])
        return answer if self.is_tuple else answer[0]


def flattened(values: Sequence[Any]) -> tuple[list[Any], TreeSpec]:
    """The values with the tensors of lists among them (and Nones in their place) side by side; how they were nested."""
    flat: list[Any] = []
    children = []
    for value in values:
        if isinstance(value, (list, tuple)) and all(item is None or isinstance(item, Tensor) for item in value):
            flat += value
            children.append(TreeSpec(type(value), children_specs=[TreeSpec()] * len(value)))
        else:
            flat.append(value)
            children.append(TreeSpec())
    return flat, TreeSpec(tuple, children_specs=children)


def _is_default(value: Any, default: Any) -> bool:
    if default is inspect.Parameter.empty or isinstance(value, (Tensor, list)):
        return False
    return bool(value is default or value == default)


def as_function(name: str, run: Callable[..., Any], takes_names: bool, derivative: Callable[[], Any]) -> type[Function]:
    """The operator `name` as a function to `apply` to what `Call.take` returns and that call.

    ``run(*positional, **named)`` finds the result; ``derivative()`` is the pair that `register_autograd` was given.
    """

    def forward(*given: Any) -> Any:
        *flat, call = given
        return call.taken_apart(run(*call.positional(flat), **call.named))

    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        *flat, call = inputs
        ctx._call, call.needs = call, ctx.needs_input_grad[:-1]
        setup = derivative()[1]
        if setup is not None:
            named = {"keyword_only_inputs": call.named} if takes_names else {}
            setup(ctx=ctx, inputs=call.positional(flat), **named, output=call.together(output))

    def backward(ctx: Any, *grads: Any) -> Any:
        formula = derivative()[0]
        if formula is None:
            raise RuntimeError(
                f"Trying to backward through {name.replace('::', '.')}.default but no autograd formula was registered. "
                "Please use register_autograd to add one."
            )
        call: Call = ctx._call
        ctx.needs_input_grad = call.inputs.unflatten(call.needs)
        result = formula(ctx, *call.outputs.unflatten(grads))
        gradients = result if isinstance(result, tuple) else (result,)
        if not all(spec.is_leaf() for spec in (*call.inputs.children_specs, *call.outputs.children_specs)):
            flat, structure = flattened(gradients)
            if structure != call.inputs:
                raise RuntimeError(
                    "Expected the return from backward to be of the same structure as the inputs. Got: "
                    f"{structure} (return from backward), {call.inputs} (inputs)"
                )
            gradients = tuple(flat)
        return (*gradients, None)

    members = {
        "forward": staticmethod(forward),
        "setup_context": staticmethod(setup_context),
        "backward": staticmethod(backward),
    }
    title = f"GeneratedBackwardFor_{name.replace('::', '_')}_default"
    return new_class(title, (Function,), exec_body=lambda space: space.update(members))
