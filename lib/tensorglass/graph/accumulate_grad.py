"""The leaves of the graph: where gradients end up, and how a tensor's place in the graph is found.

A gradient that nobody else holds becomes the leaf's own `grad`. Any other is copied, and what arrives later is added to
it in place.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Container
from typing import Any

from tensorglass import geometry
from tensorglass.core.critical_section import CriticalSection
from tensorglass.core.memory_format import contiguous_format
from tensorglass.graph.hook_calls import call_after_accumulation
from tensorglass.graph.node import NOWHERE, Edge, Gradients, Node
from tensorglass.tensor.autograd_meta import Meta, like, meta_of
from tensorglass.tensor.grad_mode import state
from tensorglass.tensor.tensor import Tensor

Arrived = list["Tensor | None"]
collecting = CriticalSection()  #: two threads may add to the same leaf


class AccumulateGrad(Node):
    """The node of a leaf: adds the gradients that arrive to its `grad`."""

    __slots__ = ("variable",)

    def __init__(self, variable: Tensor) -> None:
        self.edges = ()
        self.outputs = (like(variable),)
        self.sequence_nr = sys.maxsize  # leaves run first, so that their gradients are complete as early as possible
        self.attachments = None
        self.variable = variable

    def name(self) -> str:
        """PyTorch's name, which is not the name of this class."""
        return "torch::autograd::AccumulateGrad"

    def apply(self, gradients: list[Tensor | None], towards: Container[Node | None] | None = None) -> Gradients:
        add_to_leaf(self.variable, gradients, others=-1)
        return []


def accumulator(leaf: Tensor) -> AccumulateGrad:
    """The node of a leaf: the same object as long as some graph needs it."""
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
    node = meta.grad_fn if tensor._base is None else tensor._history
    if node is not None:
        return node, meta.output_nr
    return (accumulator(tensor), 0) if meta.requires_grad else NOWHERE


def history(tensor: Tensor) -> Node | None:
    """The node that made a tensor, including nodes hidden from users; None for a leaf."""
    meta = tensor._meta
    if meta is None:
        return None
    return meta.grad_fn if tensor._base is None else tensor._history


def _count_of_one_holder() -> int:
    held = [object()]
    return sys.getrefcount(held[0])


#: What `getrefcount` returns for an object held by one list or one field only. It is measured, because interpreters
#: differ in whether the argument itself counts.
ONE_HOLDER = _count_of_one_holder()


def add_to_leaf(leaf: Tensor, arrived: Arrived, others: int = 0) -> None:
    """Add an arrived gradient to a leaf's `grad`, in place unless the addition is recorded, and call its hooks.

    `others` is the number of references to the gradient, besides `arrived`, that do not count as somebody holding it:
    the tuple passed to the node's hooks. With -1 the gradient is always copied.
    """
    meta = meta_of(leaf)
    collecting.run(_collect, leaf, meta, arrived, others)
    if meta.post_accumulate:
        call_after_accumulation(meta.post_accumulate, leaf)


def _collect(leaf: Tensor, meta: Meta, arrived: Arrived, others: int) -> None:
    if arrived[0] is None or not meta.requires_grad:  # `requires_grad` may have been set to False since
        return
    own = _own(leaf, arrived, others) if meta.grad is None else None
    if meta.grad is None:  # checked again: `fast` sets it outside this critical section
        meta.grad = own
    elif state.grad:
        meta.grad = meta.grad + arrived[0]
    else:
        meta.grad += arrived[0]


def _own(leaf: Tensor, arrived: Arrived, others: int) -> Tensor:
    """The gradient itself if nobody else holds it and it has the leaf's layout; else a copy with that layout."""
    is_alone = sys.getrefcount(arrived[0]) == ONE_HOLDER + others
    gradient: Any = arrived[0]
    is_dense = geometry.is_non_overlapping_and_dense(leaf._size, leaf._stride)
    lies_alike = _lies_as(leaf, gradient) if is_dense else gradient.is_contiguous()
    if is_alone and lies_alike and not state.grad:
        return gradient if gradient._meta is None and gradient._base is None else gradient.detach()
    is_usual = gradient._size == leaf._size and leaf._stride == geometry.contiguous_strides(leaf._size)
    if is_dense and (state.grad or not is_usual):
        return gradient.new_empty_strided(leaf._size, leaf._stride).copy_(gradient)
    copy: Tensor = gradient.clone(memory_format=contiguous_format)
    if is_dense:
        copy._written()  # as after the `copy_` that PyTorch does here
    return copy


def _lies_as(leaf: Tensor, gradient: Tensor) -> bool:
    if gradient._stride == leaf._stride:
        return True
    if len(gradient._size) > len(leaf._size):  # the leaf's `data` was replaced since
        return False
    dims = zip(gradient._size, leaf._stride, gradient._stride, strict=False)  # the leaf may have more dimensions
    return all(step == own_step or (length == 1 and step) for length, own_step, step in dims)
