"""`ctx`: what the forward and the backward of a custom function share.

`ctx` is the node of the graph itself. What the forward saves on it is still there when the engine reaches the node and
passes it to the backward.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from tensorglass.core.errors import explained, warn
from tensorglass.graph import inplace
from tensorglass.graph.accumulate_grad import gradient_edge, history
from tensorglass.graph.node import Edge, Gradients, Node
from tensorglass.graph.saved_tensor import NOTHING, SavedTensor, second_time
from tensorglass.tensor.autograd_meta import OutputLike, like, requires_grad
from tensorglass.tensor.grad_mode import state
from tensorglass.tensor.tensor import Tensor


class FunctionCtx:
    """What the forward declares about itself."""

    to_save: tuple[Any, ...] | None
    saved_for_forward: tuple[Any, ...] | None
    dirty_tensors: tuple[Any, ...] | None
    non_differentiable: tuple[Any, ...] | None
    materialize_grads: bool

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for the backward, which finds them in `saved_tensors`.

        Inputs and outputs belong here and not in attributes of ctx: an output kept in an attribute holds its own node,
        and nothing would free either of them.
        """
        self.to_save = tensors

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for the function's `jvp`, the derivative in forward mode."""
        self.saved_for_forward = tensors

    def mark_dirty(self, *args: Tensor) -> None:
        """Say which inputs the forward has written to. It must return them."""
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args: Tensor) -> None:
        """Say through which outputs no gradient flows."""
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Whether the backward gets zeros for an unused output, as it does by default, or None."""
        self.materialize_grads = value


class BackwardCFunction(FunctionCtx, Node):
    """The node of a custom function; each function has a subclass, named ``<Function>Backward``."""

    __slots__ = (
        "_is_recorded", "_is_released", "_is_tensor", "_saved", "_zeros", "dirty_tensors",
        "materialize_grads", "needs_input_grad", "non_differentiable", "saved_for_forward", "to_save",
    )  # fmt: skip

    _forward_cls: type[Any]  #: the Function

    def __init__(self, arguments: tuple[Any, ...]) -> None:
        self._is_tensor = [isinstance(argument, Tensor) for argument in arguments]
        self.needs_input_grad = tuple(
            [isinstance(argument, Tensor) and requires_grad(argument) for argument in arguments]
        )
        self._is_recorded = state.grad and any(self.needs_input_grad)
        tensors = [argument for argument in arguments if isinstance(argument, Tensor)] if self._is_recorded else []
        super().__init__([gradient_edge(tensor) for tensor in tensors])
        self.materialize_grads = True
        self.to_save = self.saved_for_forward = self.dirty_tensors = self.non_differentiable = None
        self._saved: list[SavedTensor | None] = []
        self._zeros: list[OutputLike | None] = []  #: size, dtype and device of the zeros for each output
        self._is_released = False

    @property
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        """What `save_for_backward` kept. RuntimeError once the graph was freed, or if it was overwritten.

        In `jvp` it is what `save_for_forward` kept.
        """
        if self.saved_for_forward is not None:
            return self.saved_for_forward
        if self._is_released:
            raise second_time()
        return tuple([None if saved is None else saved.unpack(self) for saved in self._saved])

    @property
    def saved_variables(self) -> tuple[Tensor | None, ...]:
        """Deprecated: `saved_tensors`."""
        warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning)
        return self.saved_tensors

    @property
    def _raw_saved_tensors(self) -> tuple[SavedTensor, ...]:
        if self._is_released:
            raise second_time()
        return tuple([saved or NOTHING for saved in self._saved])

    def finish(self, outputs: tuple[Any, ...], differentiable: list[bool]) -> None:
        """Record what the forward returned, and what the gradients of the outputs look like."""
        self._zeros = [like(output) if isinstance(output, Tensor) else None for output in outputs]
        self.outputs = tuple(
            [output if flows else None for output, flows in zip(self._zeros, differentiable, strict=True)]
        )

    def save(self) -> None:
        """Keep what the forward asked for, now that the outputs know their node."""
        written = {id(tensor) for tensor in self.dirty_tensors or ()}
        for tensor in self.to_save or ():
            is_own = tensor is not None and (history(tensor) is self or id(tensor) in written)
            self._saved.append(None if tensor is None else SavedTensor(tensor, is_own))

    def check_saved(self) -> None:
        """Raise TypeError if the forward asked to save what is no tensor."""
        for place, tensor in enumerate(self.to_save or ()):
            if tensor is not None and not isinstance(tensor, Tensor):
                raise explained(
                    TypeError(
                        f"save_for_backward can only save variables, but argument {place} is of type "
                        f"{type(tensor).__name__}"
                    ),
                    "Give the tensors one by one: a star takes them out of a tuple, save_for_backward(*inputs)."
                    if isinstance(tensor, (tuple, list))
                    else "Whatever is no tensor goes into an attribute: ctx.factor = factor.",
                )

    def apply(self, gradients: list[Tensor | None], towards: Container[Node | None] | None = None) -> Gradients:
        if self.materialize_grads:
            gradients = [
                inplace.zeros(wanted) if gradient is None and wanted is not None else gradient
                for gradient, wanted in zip(gradients, self._zeros, strict=True)
            ]
        answer = self._forward_cls._backward()(self, *gradients)
        return self._checked(answer if isinstance(answer, tuple) else (answer,))

    def _checked(self, answer: tuple[Any, ...]) -> list[Tensor | None]:
        """The gradients of the inputs that are tensors, out of what the backward returned."""
        count = len(self._is_tensor)
        if len(answer) != count and (len(answer) < count or any(extra is not None for extra in answer[count:])):
            raise explained(
                RuntimeError(
                    f"function {self.name()} returned an incorrect number of gradients (expected {count}, got "
                    f"{len(answer)})"
                ),
                "backward returns one value for each argument of forward, ctx not counted: a gradient, or None for "
                "what needs none.",
            )
        gradients: list[Tensor | None] = []
        for place, (gradient, is_tensor) in enumerate(zip(answer, self._is_tensor, strict=False)):
            if not is_tensor:
                if gradient is not None:
                    raise explained(
                        RuntimeError(
                            f"function {self.name()} returned a gradient different than None at position {place + 1}, "
                            "but the corresponding forward input was not a Variable"
                        ),
                        f"Argument {place + 1} of forward was no tensor: return None in its place.",
                    )
            elif gradient is None:
                gradients.append(None)
            elif isinstance(gradient, Tensor):
                self._check_dtype(gradient, self.edges[len(gradients)])
                gradients.append(gradient)
            else:
                raise explained(
                    RuntimeError(f"expected Variable or None (got {type(gradient).__name__})"),
                    "Return gradients separated by commas: a list would count as one of them.",
                )
        return gradients

    def _check_dtype(self, gradient: Tensor, edge: Edge) -> None:
        node, nr = edge
        wanted = None if node is None else node.outputs[nr]
        is_fitting = gradient._dtype.is_floating_point or (
            wanted is not None and gradient._dtype.is_complex == wanted.dtype.is_complex
        )
        if wanted is not None and not is_fitting:
            raise RuntimeError(
                f"The gradient is of {gradient._dtype!r}, but the input of {wanted.dtype!r}: convert it in backward."
            )

    def release(self) -> None:
        self._is_released = True
        for saved in self._saved:
            if saved is not None:
                saved.release()

    def __repr__(self) -> str:
        return f"<torch.autograd.function.{self.name()} object at {id(self):#x}>"


class DelayedError(Node):
    """The node for a derivative that is not differentiable itself."""

    __slots__ = ()

    def name(self) -> str:
        return "torch::autograd::Error"

    def apply(self, gradients: list[Tensor | None], towards: Container[Node | None] | None = None) -> Gradients:
        raise explained(
            RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable"),
            "Take @once_differentiable away and write the backward with tensors' operators: then it is recorded.",
        )


DelayedError.__name__ = "Error"  # as PyTorch shows it
