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
    """The end of the line: adds what arrives to a leaf's `grad`."""

    __slots__ = ("variable",)

    def __init__(self, variable: Tensor) -> None:
        self.edges = ()
        self.outputs = (like(variable),)
        self.sequence_nr = sys.maxsize  # leaves come first, so that a gradient is complete as soon as can be
        self.attachments = None
        self.variable = variable

    def name(self) -> str:
        """PyTorch's name for it, which is not that of the class."""
        return "torch::autograd::AccumulateGrad"

    def apply(self, gradients: list[Tensor | None], towards: Container[Node | None] | None = None) -> Gradients:
        add_to_leaf(self.variable, gradients, holders=0)
        return []


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
    node = meta.grad_fn if tensor._base is None else tensor._history
    if node is not None:
        return node, meta.output_nr
    return (accumulator(tensor), 0) if meta.requires_grad else NOWHERE


def history(tensor: Tensor) -> Node | None:
    """The node that made a tensor, one that users do not see too; None for a leaf."""
    meta = tensor._meta
    if meta is None:
        return None
    return meta.grad_fn if tensor._base is None else tensor._history


def add_to_leaf(leaf: Tensor, arrived: Arrived, holders: int = 2) -> None:
    """Add the gradient that has arrived to a leaf's `grad`, in place unless that is recorded, and call its hooks.

    `holders` is the number of references to a gradient that nobody else holds: those of `arrived`, of the caller, and
    of the tuple that is passed to the node's hooks.
    """
    meta = meta_of(leaf)
    collecting.run(_collect, leaf, meta, arrived, holders)
    if meta.post_accumulate:
        call_after_accumulation(meta.post_accumulate, leaf)


def _collect(leaf: Tensor, meta: Meta, arrived: Arrived, holders: int) -> None:
    if arrived[0] is None or not meta.requires_grad:  # the flag may have been taken back since
        return
    own = _own(leaf, arrived, holders) if meta.grad is None else None
    if meta.grad is None:  # still: `fast` sets it without this critical section
        meta.grad = own
    elif state.grad:
        meta.grad = meta.grad + arrived[0]
    else:
        meta.grad += arrived[0]


def _own(leaf: Tensor, arrived: Arrived, holders: int) -> Tensor:
    """The gradient itself if nobody else holds it and it lies as the leaf does; else a copy that does."""
    is_alone = sys.getrefcount(arrived[0]) == holders
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
        copy._written()  # as after the `copy_` that it stands for
    return copy


def _lies_as(leaf: Tensor, gradient: Tensor) -> bool:
    if gradient._stride == leaf._stride:
        return True
    if len(gradient._size) > len(leaf._size):  # the leaf has other `data` since
        return False
    each = zip(gradient._size, leaf._stride, gradient._stride, strict=False)  # the leaf may have more strides
    return all(step == own_step or (length == 1 and step) for length, own_step, step in each)
