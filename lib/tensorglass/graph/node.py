"""Nodes of the graph: each is an operator that ran, and knows how to turn gradients of its outputs into those of its
inputs.

Edges point backwards, from an operator to those that made its inputs, and every node keeps those behind it alive.
Nothing points forwards, so a graph is freed with the last tensor that came out of it.
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


#: Where a gradient goes: to which output of a node; nowhere if the node is None. A plain pair, as PyTorch shows it.
Edge: TypeAlias = "tuple[Node | None, int]"
NOWHERE: Edge = (None, 0)

#: The nodes that are no operators of the table: PyTorch tells their names with the namespace.
_CORE = ("AccumulateGrad", "CopyBackwards", "CopySlices", "NotImplemented")


class Retained:
    """What `retain_grad` leaves at the node: it runs after all hooks, and follows its tensor to the node of a write."""

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
        """The tensor is now that output of `node`."""
        before = self._node()
        if before is not None:
            before.attached().retaining.pop(self._output_nr, None)
        self._be_at(node, output_nr)


class Attachments:
    """What users have hung on a node; most nodes have none."""

    __slots__ = ("hooks", "metadata", "prehooks", "retaining", "tensor_hooks")

    def __init__(self) -> None:
        self.metadata: dict[str, Any] = {}
        self.prehooks: Hooks | None = None
        self.hooks: Hooks | None = None
        self.tensor_hooks: dict[int, Hooks] = {}  #: hooks of the tensors that came out, by output
        self.retaining: dict[int, Retained] = {}  #: those of them that retain their gradients, by output


class Node:
    """An operator that ran. Its class has PyTorch's name for it: MulBackward0."""

    __slots__ = ("__weakref__", "attachments", "edges", "outputs", "sequence_nr")

    def __init__(self, edges: Sequence[Edge]) -> None:
        self.edges = tuple(edges)  #: where the gradients of the inputs go
        self.outputs: tuple[OutputLike | None, ...] = ()
        self.sequence_nr = next_number()  #: the order in which operators ran; backward takes the latest first
        self.attachments: Attachments | None = None

    def named(self) -> Self:
        """The node, with the class that has PyTorch's name for it, as users are to see it."""
        return self

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f"cannot pickle '{type(self.named()).__name__}' object")

    @property
    def next_functions(self) -> tuple[Edge, ...]:
        """Where the gradients of the inputs go: for each a node, and to which of its outputs."""
        for node, _ in self.edges:
            if node is not None:
                node.named()
        return self.edges

    def name(self) -> str:
        """The name of the node's class, as PyTorch's C++ calls it."""
        name = type(self.named()).__name__
        return f"torch::autograd::{name}" if name in _CORE else name

    def attached(self) -> Attachments:
        """What users have hung on the node, to hang on more."""
        if self.attachments is None:
            self.attachments = Attachments()
        return self.attachments

    @property
    def metadata(self) -> dict[str, Any]:
        """A dictionary for the user's own notes."""
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
        """The gradients of the inputs, one for each edge, from those of the outputs: a list of the caller's own.

        `towards` are the nodes that gradients are wanted for, where that is not all of them.
        """
        raise NotImplementedError

    def release(self) -> None:
        """Let go of what was kept for the derivative."""

    def __call__(self, *gradients: Tensor | None) -> Any:
        """Run the node by itself. One gradient comes back alone, several as a tuple."""
        expected = len(self.outputs) or 1
        if len(gradients) != expected:
            raise TypeError(f"expected {expected} arguments, got {len(gradients)} instead")
        found = tuple(self.apply(list(gradients)))
        return found[0] if len(found) == 1 else found

    def __repr__(self) -> str:
        return f"<{type(self.named()).__name__} object at {id(self):#x}>"


def set_history(tensor: Tensor, node: Node, output_nr: int = 0) -> None:
    """Say that `tensor` came out of `node`."""
    meta = tensor._meta
    if meta is None:
        meta = tensor._meta = Meta()
    meta.grad_fn, meta.output_nr = node, output_nr
    meta.requires_grad = False


def short_name(node: Node) -> str:
    """The operator's name, as error messages call it: Mul for MulBackward0, Max1 for MaxBackward1."""
    operator, _, number = node.name().rpartition("Backward")
    return operator + number.removesuffix("0") if operator and (number.isdigit() or not number) else node.name()
