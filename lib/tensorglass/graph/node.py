"""Nodes of the graph: each is an operator that ran, and knows how to turn gradients of its outputs into those of its
inputs.

The one idea to keep in mind: edges point backwards, from an operator to those that made its inputs, and every node
keeps those behind it alive. Nothing points forwards, so a graph is freed with the last tensor that came out of it.
"""

from __future__ import annotations

import itertools
import sys
import weakref
from collections.abc import Callable, Container, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tensorglass.devices import device as Device
from tensorglass.dtypes import dtype as DType
from tensorglass.graph.hooks import Hooks, RemovableHandle, register
from tensorglass.graph.meta import meta_of, requires_grad

if TYPE_CHECKING:
    from tensorglass.graph.fields import Retained
    from tensorglass.tensor import Tensor

Gradients = Sequence["Tensor | None"]

_sequence = itertools.count()


class Edge(NamedTuple):
    """Where a gradient goes: to output number `output_nr` of `node`; nowhere if `node` is None."""

    node: Node | None
    output_nr: int

    def __repr__(self) -> str:  # a plain pair, as PyTorch shows it
        return f"({self.node!r}, {self.output_nr})"


NOWHERE = Edge(None, 0)

#: The nodes that are no operators of the table: PyTorch tells their names with the namespace.
_CORE = ("AccumulateGrad", "CopyBackwards", "CopySlices")


class OutputLike(NamedTuple):
    """What is known of a node's output without keeping it alive: what its gradient must look like."""

    size: tuple[int, ...]
    dtype: DType
    device: Device

    @property
    def shape(self) -> tuple[int, ...]:
        return self.size


def like(tensor: Tensor) -> OutputLike:
    """What the gradient of `tensor` must look like."""
    return OutputLike(tensor._size, tensor._dtype, tensor._storage.device)


class Node:
    """An operator that ran. Its class has PyTorch's name for it: MulBackward0."""

    __slots__ = (
        "__weakref__", "_hooks", "_metadata", "_prehooks", "_retaining", "_tensor_hooks", "next_functions", "outputs",
        "sequence_nr",
    )  # fmt: skip

    def __init__(self, edges: Sequence[Edge]) -> None:
        self.next_functions = tuple(edges)  #: where the gradients of the inputs go
        self.outputs: tuple[OutputLike | None, ...] = ()
        self.sequence_nr = next(_sequence)  #: the order in which operators ran; backward takes the latest first
        self._metadata: dict[str, Any] | None = None
        self._prehooks: Hooks | None = None
        self._hooks: Hooks | None = None
        self._tensor_hooks: dict[int, Hooks] | None = None  #: hooks of the tensors that came out, by output
        self._retaining: dict[int, Retained] | None = None  #: those of them that retain their gradients, by output

    def name(self) -> str:
        """The name of the node's class, as PyTorch's C++ calls it."""
        name = type(self).__name__
        return f"torch::autograd::{name}" if name in _CORE else name

    @property
    def metadata(self) -> dict[str, Any]:
        """A dictionary for the user's own notes."""
        if self._metadata is None:
            self._metadata = {}
        return self._metadata

    @property
    def requires_grad(self) -> bool:
        return True

    def _sequence_nr(self) -> int:
        return self.sequence_nr

    @property
    def _input_metadata(self) -> list[OutputLike | None]:
        return list(self.outputs)

    def register_prehook(self, hook: Callable[[tuple[Any, ...]], Any]) -> RemovableHandle:
        """Call ``hook(grad_outputs)`` before the node runs; what it returns replaces the gradients."""
        self._prehooks, handle = register(self._prehooks, hook)
        return handle

    def register_hook(self, hook: Callable[[tuple[Any, ...], tuple[Any, ...]], Any]) -> RemovableHandle:
        """Call ``hook(grad_inputs, grad_outputs)`` after the node ran; what it returns replaces the gradients."""
        self._hooks, handle = register(self._hooks, hook)
        return handle

    def tensor_hooks(self) -> dict[int, Hooks] | None:
        """The hooks of the tensors that came out, by output."""
        return self._tensor_hooks

    def apply(self, gradients: list[Tensor | None], towards: Container[Node | None] | None = None) -> Gradients:
        """The gradients of the inputs, one for each edge, from those of the outputs.

        `towards` are the nodes that gradients are wanted for, where that is not all of them.
        """
        raise NotImplementedError

    def release(self) -> None:
        """Let go of what was kept for the derivative."""

    def __call__(self, *gradients: Tensor | None) -> Any:
        """Run the node by itself. One gradient comes back alone, several as a tuple."""
        found = tuple(self.apply(list(gradients)))
        return found[0] if len(found) == 1 else found

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {id(self):#x}>"


class AccumulateGrad(Node):
    """The end of the line: adds what arrives to a leaf's `grad`."""

    __slots__ = ("variable",)

    def __init__(self, variable: Tensor) -> None:
        super().__init__(())
        self.variable = variable
        self.outputs = (like(variable),)
        self.sequence_nr = sys.maxsize  # leaves come first, so that a gradient is complete as soon as can be

    def name(self) -> str:
        """PyTorch's name for it, which is not that of the class."""
        return "torch::autograd::AccumulateGrad"

    def tensor_hooks(self) -> dict[int, Hooks] | None:
        hooks = meta_of(self.variable).hooks  # kept there, for the node may go and come again
        return {0: hooks} if hooks else None

    def apply(self, gradients: list[Tensor | None], towards: Container[Node | None] | None = None) -> Gradients:
        raise NotImplementedError("AccumulateGrad is run by the engine")


def accumulator(leaf: Tensor) -> AccumulateGrad:
    """The node of a leaf: the same one as long as some graph needs it."""
    meta = meta_of(leaf)
    node = None if meta.accumulate is None else meta.accumulate()
    if node is None:
        node = AccumulateGrad(leaf)
        meta.accumulate = weakref.ref(node)
    return node


def gradient_edge(tensor: Tensor) -> Edge:
    """Where a gradient of `tensor` goes."""
    meta = tensor._meta
    if meta is None:
        return NOWHERE
    node = meta.grad_fn if tensor._base is None else tensor.grad_fn
    if node is not None:
        return Edge(node, meta.output_nr)
    return Edge(accumulator(tensor), 0) if meta.requires_grad else NOWHERE


def set_history(tensor: Tensor, node: Node, output_nr: int = 0) -> None:
    """Say that `tensor` came out of `node`."""
    meta = meta_of(tensor)
    meta.grad_fn, meta.output_nr = node, output_nr
    meta.requires_grad = False


def short_name(node: Node) -> str:
    """The operator's name, as error messages call it: Mul for MulBackward0, Max1 for MaxBackward1."""
    operator, _, number = node.name().rpartition("Backward")
    return operator + number.removesuffix("0") if operator and (number.isdigit() or not number) else node.name()


def any_requires_grad(tensors: Sequence[Any]) -> bool:
    """Whether gradients flow to any of these."""
    return any(tensor._meta is not None and requires_grad(tensor) for tensor in tensors)
