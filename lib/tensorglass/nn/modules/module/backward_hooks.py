"""How a module's backward hooks are called: its inputs and outputs pass through identity nodes.

In the backward pass, the outputs' node is the first of the module's nodes that gradients reach, and the inputs' node
the last.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import tensorglass as torch
from tensorglass.autograd.function import Function
from tensorglass.core.errors import warn
from tensorglass.tensor.tensor import Tensor

Grads = tuple[Any, ...]


class BackwardHookFunction(Function):
    """The identity, both for tensors and for their gradients."""

    @staticmethod
    def forward(ctx: Any, *args: Any) -> Any:
        ctx.mark_non_differentiable(*[argument for argument in args if not argument.requires_grad])
        return args

    @staticmethod
    def backward(ctx: Any, *args: Any) -> Any:
        return args


class BackwardHook:
    """The backward hooks of one call of a module."""

    def __init__(
        self, module: Any, user_hooks: Sequence[Callable[..., Any]], user_pre_hooks: Sequence[Callable[..., Any]]
    ) -> None:
        self.module = module
        self.user_hooks = user_hooks
        self.user_pre_hooks = user_pre_hooks
        self.grad_outputs: Grads | None = None  #: the output gradients of the running backward pass
        self.inputs: list[int] | None = (
            None  #: the indices of the module's arguments that are tensors; None if none needs hooks
        )
        self.outputs: list[int] | None = None
        self.n_inputs = self.n_outputs = -1

    def setup_input_hook(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The module's arguments, passed through the node that calls the hooks."""
        args, self.inputs, node = _through_a_node(args)
        self.n_inputs = len(args)
        if node is not None:
            node.register_hook(self.hook)
        return args

    def setup_output_hook(self, result: Any) -> Any:
        """The module's result, passed through the node at which its backward pass begins."""
        results = result if isinstance(result, tuple) else (result,)
        results, self.outputs, node = _through_a_node(results)
        self.n_outputs = len(results)
        if node is not None:
            node.register_hook(self._before)
        return results if isinstance(result, tuple) else results[0]

    def _before(self, _: Any, grad_output: Grads) -> Grads | None:
        """Called when gradients have arrived at the outputs: run the pre-hooks and, if no input needs gradients, the
        hooks.
        """
        assert self.outputs is not None
        grads = self.grad_outputs = _placed(self.outputs, grad_output, self.n_outputs)
        for hook in self.user_pre_hooks:
            answer = hook(self.module, self.grad_outputs)
            if answer is None:
                continue
            if len(answer) != len(grads):
                raise RuntimeError(
                    "Backward pre hook returned an invalid number of grad_output, "
                    f"got {len(answer)}, but expected {len(grads)}"
                )
            grads = self.grad_outputs = answer
        if self.inputs is None:
            self._without_inputs()
        return tuple([grads[place] for place in self.outputs])

    def _without_inputs(self) -> None:
        warn(
            "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs "
            "require gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html"
            "#torch.nn.Module.register_full_backward_hook for more details."
        )
        for hook in self.user_hooks:
            answer = hook(self.module, (None,) * self.n_inputs, self.grad_outputs)
            if answer is not None and not (isinstance(answer, tuple) and all(gradient is None for gradient in answer)):
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always return None or None for "
                    "all gradients."
                )
        self.grad_outputs = None

    def hook(self, grad_input: Grads, _: Any) -> Grads | None:
        """Called when gradients have arrived at the inputs. The engine's error names this function if its result does
        not fit.
        """
        if self.grad_outputs is None:  # they did not come through the outputs
            return None
        assert self.inputs is not None
        grads = _placed(self.inputs, grad_input, self.n_inputs)
        for hook in self.user_hooks:
            answer = hook(self.module, grads, self.grad_outputs)
            if answer is None:
                continue
            if len(answer) != len(grads):
                raise RuntimeError(
                    "Backward hook returned an invalid number of grad_input, "
                    f"got {len(answer)}, but expected {len(grads)}"
                )
            grads = answer
        self.grad_outputs = None
        return tuple([grads[place] for place in self.inputs])


def _placed(places: Sequence[int], values: Sequence[Any], count: int) -> Grads:
    """A list of `count` Nones, with `values` at their places."""
    result: list[Any] = [None] * count
    for place, value in zip(places, values, strict=True):
        result[place] = value
    return tuple(result)


def _through_a_node(values: tuple[Any, ...]) -> tuple[tuple[Any, ...], list[int] | None, Any]:
    """The values, with the tensors among them passed through a node; the indices of these; and the node."""
    places = [place for place, value in enumerate(values) if isinstance(value, Tensor)]
    if not (torch.is_grad_enabled() and any(values[place].requires_grad for place in places)):
        return values, None, None
    passed = BackwardHookFunction.apply(*[values[place] for place in places])
    result = list(values)
    for place, value in zip(places, passed, strict=True):
        result[place] = value
    node = next(tensor.grad_fn for tensor in passed if tensor.grad_fn is not None)
    kind = type(values)
    return tuple(result) if kind is tuple else kind(*result), places, node


def warn_of_missing_gradients(inputs: Any, result: Any, node: Any) -> None:
    """Warn if an old backward hook, which only sees the last node, does not get all gradients."""
    instead = "Please use register_full_backward_hook to get the documented behavior."
    removed = "is deprecated and will be removed in future versions. This hook will be missing some"
    results = (result,) if isinstance(result, Tensor) else result
    given = (inputs,) if isinstance(inputs, Tensor) else inputs
    message = None
    if not _are_tensors(results):
        message = (
            "Using non-full backward hooks on a Module that does not return a single Tensor or a tuple of Tensors "
            f"{removed.replace('missing some', 'missing some of the')} grad_output. {instead}"
        )
    elif not _are_tensors(given):
        message = (
            "Using non-full backward hooks on a Module that does not take as input a single Tensor or a tuple of "
            f"Tensors {removed.replace('missing some', 'missing some of the')} grad_input. {instead}"
        )
    else:
        nodes = {result.grad_fn for result in results if result.grad_fn is not None}
        if not nodes or (len(nodes) == 1 and node not in nodes):
            nested = "Using a non-full backward hook when outputs are nested in python data structure"
            message = f"{nested} {removed} grad_output."
        elif len(nodes) > 1:
            message = (
                "Using a non-full backward hook when outputs are generated by different autograd Nodes "
                f"{removed} grad_output. {instead}"
            )
        elif {tensor.grad_fn for tensor in given if tensor.grad_fn is not None} != {
            following for following, _ in node.next_functions
        }:
            message = (
                "Using a non-full backward hook when the forward contains multiple autograd Nodes "
                f"{removed} grad_input. {instead}"
            )
    if message is not None:
        warnings.warn(message, FutureWarning, stacklevel=2)


def _are_tensors(values: Any) -> bool:
    return isinstance(values, tuple) and all(isinstance(value, Tensor) for value in values)
