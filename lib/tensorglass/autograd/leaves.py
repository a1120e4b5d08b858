"""Where gradients end up: in the `grad` of a leaf.

The one idea to keep in mind: a gradient that nobody else holds becomes the leaf's own. Any other is copied, and what
arrives later is added to it in place.
"""

from __future__ import annotations

import sys
from typing import Any

from tensorglass import geometry
from tensorglass.autograd.hook_calls import call_after_accumulation
from tensorglass.formats import contiguous_format
from tensorglass.geometry import CONTIGUOUS_STRIDES
from tensorglass.graph.array_formulas import BareArray, is_spread, tensor_of
from tensorglass.graph.meta import Meta, meta_of
from tensorglass.graph.modes import state
from tensorglass.graph.node import AccumulateGrad
from tensorglass.tensor import Tensor
from tensorglass.turns import Turns

Arrived = list["Tensor | None"]
_collecting = Turns()  # two threads may add to the same leaf


def add_to_leaf(leaf: Tensor, arrived: Arrived, holders: int = 2) -> None:
    """Add the gradient that has arrived to a leaf's `grad`, in place unless that is recorded, and call its hooks.

    `holders` is how many hold the gradient if nobody does whom it matters to: `arrived`, who asks, and the tuple for
    the hooks of the node.
    """
    meta = meta_of(leaf)
    _collecting.take(_collect, leaf, meta, arrived, holders)
    if meta.post_accumulate:
        call_after_accumulation(meta.post_accumulate, leaf)


def becomes_grad(node: AccumulateGrad, gradient: Any) -> bool:
    """Make a bare array the `grad` of a leaf, in the usual case: it has none yet, no hooks, and no gaps."""
    leaf = node.variable
    wanted: Any = node.outputs[0]  # a leaf has one
    meta = meta_of(leaf)
    if (
        type(gradient) is not BareArray
        or node.attachments is not None
        or meta.grad is not None
        or meta.hooks
        or meta.post_accumulate
        or not meta.requires_grad
        or leaf._size is not wanted.size  # other `data` since
        or leaf._stride != CONTIGUOUS_STRIDES[leaf._size]
        or is_spread(gradient)
    ):
        return False
    found = tensor_of(gradient, wanted.dtype)
    _collecting.take(_collect_first, meta, found)
    return True


def _collect(leaf: Tensor, meta: Meta, arrived: Arrived, holders: int) -> None:
    if arrived[0] is None or not meta.requires_grad:  # the flag may have been taken back since
        return
    if meta.grad is None:
        meta.grad = _own(leaf, arrived, holders)
    elif state.grad:
        meta.grad = meta.grad + arrived[0]
    else:
        meta.grad += arrived[0]


def _collect_first(meta: Meta, found: Tensor) -> None:
    if meta.grad is None:
        meta.grad = found
    else:  # another thread was first
        meta.grad += found


def is_copied_in_order(leaf: Tensor) -> bool:
    """Whether `add_to_leaf` would copy a gradient with strides of 0 in row-major order, and nobody sees it before."""
    return leaf._stride == CONTIGUOUS_STRIDES[leaf._size] and not meta_of(leaf).hooks


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
    each = zip(gradient._size, leaf._stride, gradient._stride, strict=False)  # sic: the first of a leaf's that has more
    return all(step == own_step or (length == 1 and step) for length, own_step, step in each)
