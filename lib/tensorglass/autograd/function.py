"""`Function`: custom operators with custom derivatives.

    class Cube(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return 3 * x**2 * grad

    y = Cube.apply(x)

The forward runs unrecorded, as one operator; afterwards its outputs are connected to one node, whose `apply` is the
backward.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from tensorglass.autograd import forward_ad
from tensorglass.autograd.context import BackwardCFunction, DelayedError, FunctionCtx
from tensorglass.autograd.outputs import pushed_by, tied
from tensorglass.core.errors import explained, warn
from tensorglass.graph import anomaly
from tensorglass.graph.accumulate_grad import gradient_edge
from tensorglass.graph.node import NOWHERE, set_history
from tensorglass.tensor.autograd_meta import like, requires_grad
from tensorglass.tensor.grad_mode import no_grad, state
from tensorglass.tensor.tensor import Tensor

__all__ = ["Function", "FunctionCtx", "InplaceFunction", "once_differentiable"]


class FunctionMeta(type):
    """Gives each function its class of nodes."""

    _backward_cls: type[BackwardCFunction]

    def __init__(cls, name: str, bases: tuple[type, ...], members: dict[str, Any]) -> None:
        super().__init__(name, bases, members)
        cls._backward_cls = type(
            f"{name}Backward", (BackwardCFunction,), {"_forward_cls": cls, "__module__": "torch.autograd.function"}
        )


class Function(FunctionCtx, metaclass=FunctionMeta):
    """Derive from this, define `forward` and `backward` as static methods, and call ``YourFunction.apply(...)``.

    >>> class Double(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         return x * 2
    ...     @staticmethod
    ...     def backward(ctx, grad):
    ...         return grad * 2
    ...
    >>> Double.apply(torch.tensor(3.0))
    tensor(6.)
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you should "
            "invoke them on the class itself. Instantiating an autograd function will raise an error in a future "
            "version of PyTorch.",
            DeprecationWarning,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        name = type(self).__name__
        raise explained(
            RuntimeError(
                "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd "
                "function with static forward method. (Example: "
                "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
            ),
            f"Write @staticmethod above forward and backward, and call {name}.apply(...) where {name}()(...) stands.",
            notebook="4/01 Custom functions",
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the result: ``forward(ctx, *args)``, or ``forward(*args)`` if `setup_context` is defined as well."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Save on `ctx` what the backward needs, for a `forward` that does not take `ctx`."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """Return a gradient for each argument of `forward` (None where there is none), given one for each output."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
            "backward mode AD."
        )

    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """The derivative in forward mode: returns a tangent for each output, given one for each argument."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], *args: Any) -> Any:
        """The rule for arguments with a batch dimension: returns the outputs, and the batch dimension of each."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod or set "
            "generate_vmap_rule=True."
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run `forward` and record it in the graph. Gradients flow to arguments that are tensors."""
        has_setup = cls.setup_context is not Function.setup_context
        if has_setup or kwargs:
            args = _by_place(cls.forward, args if has_setup else (None, *args), kwargs)[not has_setup :]
        moving = forward_ad.tangents_of(args)
        ctx = cls._backward_cls(args if moving is None else tuple([dual.primal for dual in moving]))
        is_recorded = ctx._is_recorded
        if is_recorded and anomaly.state.enabled:
            anomaly.remember(ctx)
        grad, state.grad = state.grad, False
        try:
            if has_setup:
                output = cls.forward(*args)
                cls.setup_context(ctx, args, output)
            else:
                output = cls.forward(ctx, *args)
        finally:
            state.grad = grad
        if is_recorded:
            ctx.check_saved()
        is_one = not isinstance(output, tuple)
        tensors = [argument for argument in args if isinstance(argument, Tensor)]
        outputs = tied((output,) if is_one else output, ctx, tensors, is_recorded, has_setup)
        result = outputs[0] if is_one else outputs
        if moving is not None:
            result = pushed_by(functools.partial(cls.jvp, ctx), moving, result, ctx)
        try:
            if is_recorded:
                ctx.save()
        finally:  # keeping an output here would make a reference cycle with the node
            ctx.to_save = ctx.saved_for_forward = ctx.dirty_tensors = ctx.non_differentiable = None
        return result

    @classmethod
    def _backward(cls) -> Callable[..., Any]:
        """The user's `backward`, or `vjp`, its other name."""
        if cls.vjp is Function.vjp:
            return cls.backward
        if cls.backward is not Function.backward:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only "
                "implement one of them."
            )
        return cls.vjp


class InplaceFunction(Function):
    """PyTorch's older base of functions that may write to their argument; it only keeps `inplace`."""

    def __init__(self, inplace: bool = False) -> None:
        self.inplace = inplace


def _by_place(forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """All arguments by position, with defaults filled in: backward returns a gradient for each position."""
    bound = inspect.signature(forward).bind(*args, **kwargs)
    bound.apply_defaults()
    if bound.kwargs:
        raise TypeError(f"apply() passes on what forward() takes by place, and not {', '.join(bound.kwargs)}")
    return bound.args


def once_differentiable(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a backward that is not made of differentiable operators: a second derivative is an error then, not wrong."""

    @functools.wraps(fn)
    def wrapper(ctx: Any, *args: Any) -> Any:
        with no_grad():
            outputs = fn(ctx, *args)
        if not state.grad or not any(isinstance(argument, Tensor) and requires_grad(argument) for argument in args):
            return outputs
        is_one = not isinstance(outputs, tuple)
        detached = [None if output is None else output.detach() for output in ((outputs,) if is_one else outputs)]
        return _undifferentiable(detached[0:1])[0] if is_one else tuple(_undifferentiable(detached))

    return wrapper


def _undifferentiable(gradients: list[Tensor | None]) -> list[Tensor | None]:
    """The gradients as outputs of a node that raises when backward reaches it."""
    sources = [None if gradient is None else gradient.detach().requires_grad_() for gradient in gradients]
    node = DelayedError([NOWHERE if source is None else gradient_edge(source) for source in sources])
    node.outputs = tuple([None if gradient is None else like(gradient) for gradient in gradients])
    for nr, gradient in enumerate(gradients):
        if gradient is not None:
            set_history(gradient, node, nr)
    return gradients
