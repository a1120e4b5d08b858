"""Nodes of the graph: each is an operator that ran, and knows how to turn gradients of its outputs into those of its
inputs.

Edges point backwards, from an operator to those that made its inputs, and every node keeps its predecessors alive.
Nothing points forwards, so a graph is freed together with the last tensor that came out of it.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Container, Sequence
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from tensorglass.core.memory_format import contiguous_format
from tensorglass.tensor.autograd_meta import Meta, OutputLike, meta_of
from tensorglass.tensor.hooks import Hooks, RemovableHandle, register

if TYPE_CHECKING:
    from tensorglass.tensor.tensor import Tensor

Gradients = list["Tensor | None"]

next_number = itertools.count().__next__  #: the next `sequence_nr`


#: Where a gradient goes: a node and the number of its output; nowhere if the node is None. A plain pair, as in PyTorch.
Edge: TypeAlias = "tuple[Node | None, int]"
NOWHERE: Edge = (None, 0)

#: Nodes that are not operators of the table: PyTorch shows their names with the namespace.
_CORE = ("AccumulateGrad", "CopyBackwards", "CopySlices", "NotImplemented")


class Retained:
    """The hook of `retain_grad`: it runs after all other hooks, and an in-place write moves it to the new node."""

    __slots__ = ("_node", "_output_nr", "_tensor")

    def __init__(self, tensor: Tensor, node: Any, output_nr: int) -> None:
        self._tensor = weakref.ref(tensor)
        self._be_at(node, output_nr)

    def _be_at(self, node: Node, output_nr: int) -> None:
        node.attached().retaining[output_nr] = self
        self._node, self._output_nr = weakref.ref(node), output_nr

    def keep(self, gradient: Tensor) -> None:
        """Add a copy of the gradient to the tensor's `grad`."""
        tensor = self._tensor()
        if tensor is not None:
            meta = meta_of(tensor)
            meta.grad = gradient.clone(memory_format=contiguous_format) if meta.grad is None else meta.grad + gradient

    def move(self, node: Node, output_nr: int = 0) -> None:
        """Move the hook: the tensor is now output `nr` of `node`."""
        before = self._node()
        if before is not None:
            before.attached().retaining.pop(self._output_nr, None)
        self._be_at(node, output_nr)


class Attachments:
    """The hooks and metadata that users attached to a node; most nodes have none."""

    __slots__ = ("hooks", "metadata", "prehooks", "retaining", "tensor_hooks")

    def __init__(self) -> None:
        self.metadata: dict[str, Any] = {}
        self.prehooks: Hooks | None = None
        self.hooks: Hooks | None = None
        self.tensor_hooks: dict[int, Hooks] = {}  #: hooks of the output tensors, by output
        self.retaining: dict[int, Retained] = {}  #: hooks of `retain_grad`, by output


class Node:
    """An operator that ran. Its class has PyTorch's name for it: MulBackward0."""

    __slots__ = ("__weakref__", "attachments", "edges", "outputs", "sequence_nr")

    def __init__(self, edges: Sequence[Edge]) -> None:
        self.edges = tuple(edges)  #: where the gradients of the inputs go
        self.outputs: tuple[OutputLike | None, ...] = ()
        self.sequence_nr = next_number()  #: counts operators as they run; backward runs the latest first
        self.attachments: Attachments | None = None

    def named(self) -> Self:
        """The node with the class that has PyTorch's name, as users should see it."""
        return self

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f"cannot pickle '{type(self.named()).__name__}' object")

    @property
    def next_functions(self) -> tuple[Edge, ...]:
        """Where the gradients of the inputs go: for each, a node and the number of its output."""
        for node, _ in self.edges:
            if node is not None:
                node.named()
        return self.edges

    def name(self) -> str:
        """The name of the node's class, as PyTorch's C++ calls it."""
        name = type(self.named()).__name__
        return f"torch::autograd::{name}" if name in _CORE else name

    def attached(self) -> Attachments:
        """The node's `Attachments`, created if there are none."""
        if self.attachments is None:
            self.attachments = Attachments()
        return self.attachments

    @property
    def metadata(self) -> dict[str, Any]:
        """A dictionary for the user's own data."""
        return self.attached().metadata

    @property
    def requires_grad(self) -> bool:
        return True

    def _sequence_nr(self) -> int:
        return self.sequence_nr

    @property
    def _input_metadata(self) -> tuple[OutputLike | None, ...]:
        return self.outputs

    def register_prehook(self, hook: Callable[[tuple[Any, ...]], Any]) -> RemovableHandle:
        """Call ``hook(grad_outputs)`` before the node runs; what it returns replaces the gradients."""
        attached = self.attached()
        attached.prehooks, handle = register(attached.prehooks, hook)
        return handle

    def register_hook(self, hook: Callable[[tuple[Any, ...], tuple[Any, ...]], Any]) -> RemovableHandle:
        """Call ``hook(grad_inputs, grad_outputs)`` after the node ran; what it returns replaces the gradients."""
        attached = self.attached()
        attached.hooks, handle = register(attached.hooks, hook)
        return handle

    def apply(self, gradients: list[Tensor | None], towards: Container[Node | None] | None = None) -> Gradients:
        """The gradients of the inputs, one for each edge, from those of the outputs. The list belongs to the caller.

        `towards` are the nodes that want gradients, if not all do.
        """
        raise NotImplementedError

    def release(self) -> None:
        """Release what was kept for the derivative."""

    def __call__(self, *gradients: Tensor | None) -> Any:
        """Run only this node. A single gradient is returned as it is, several as a tuple."""
        expected = len(self.outputs) or 1
        if len(gradients) != expected:
            raise TypeError(f"expected {expected} arguments, got {len(gradients)} instead")
        answers = tuple(self.apply(list(gradients)))
        return answers[0] if len(answers) == 1 else answers

    def __repr__(self) -> str:
        return f"<{type(self.named()).__name__} object at {id(self):#x}>"


def set_history(tensor: Tensor, node: Node, output_nr: int = 0) -> None:
    """Make `tensor` an output of `node`."""
    meta = tensor._meta
    if meta is None:
        meta = tensor._meta = Meta()
    meta.grad_fn, meta.output_nr = node, output_nr
    meta.requires_grad = False


def short_name(node: Node) -> str:
    """The operator's name, as error messages call it: Mul for MulBackward0, Max1 for MaxBackward1."""
    operator, _, number = node.name().rpartition("Backward")
    return operator + number.removesuffix("0") if operator and (number.isdigit() or not number) else node.name()
