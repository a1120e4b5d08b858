"""A tensor's place in the graph. Tensors that have nothing to do with gradients have none: `tensor._meta` is None.

A *leaf* collects its gradient in `grad`; any other tensor has the node that made it in `grad_fn`. Everything that
requires a gradient has a `Meta`, so operators on other tensors need no further test.
"""

from __future__ import annotations

import weakref
from enum import Enum
from typing import TYPE_CHECKING, Any

from tensorglass import geometry
from tensorglass.tensor.grad_mode import state
from tensorglass.tensor.hooks import Hooks

if TYPE_CHECKING:
    from tensorglass.core.devices import device as Device
    from tensorglass.core.dtypes import dtype as DType
    from tensorglass.graph.accumulate_grad import AccumulateGrad
    from tensorglass.graph.node import Edge, Node
    from tensorglass.tensor.tensor import Tensor


class Creation(Enum):
    """How a view was made. It decides whether the view may be written to in place; a view of a view inherits it."""

    PLAIN = "as usual"
    MULTI_OUTPUT = "one of several outputs"
    NO_GRAD = "no_grad"
    INFERENCE = "inference"
    CUSTOM_FUNCTION = "in a custom Function"


class Meta:
    """The autograd fields of a tensor."""

    # Most results of operators only have a `grad_fn`, so the other fields stay defaults of the class until they are
    # set.
    requires_grad = False  #: the flag of a leaf
    grad: Tensor | None = None
    grad_fn: Node | None = None
    output_nr = 0  #: which of the node's outputs the tensor is
    hooks: Hooks | None = None  #: the hooks of a leaf; those of other tensors are kept on their node
    post_accumulate: Hooks | None = None
    retains: Any = None  #: removes the hook that `retain_grad` installed
    accumulate: weakref.ref[AccumulateGrad] | None = None  #: a leaf's `AccumulateGrad` node, while a graph needs it
    is_inference = False
    is_tangent = False  #: the tangent, if this is a dual tensor
    level: Any = None  #: the level of `func` transform that made the tensor a leaf


def meta_of(tensor: Tensor) -> Meta:
    """The tensor's `Meta`, made if there is none."""
    meta = tensor._meta
    if meta is None:
        meta = tensor._meta = Meta()
    return meta


def requires_grad(tensor: Tensor) -> bool:
    """Whether gradients flow to the tensor: asked for, computed from such tensors, or a view of one."""
    meta = tensor._meta
    if meta is None:
        return False
    if meta.requires_grad or meta.grad_fn is not None:
        return True
    base = tensor._base
    return base is not None and requires_grad(base)


def inference_meta(*, force: bool = False) -> Meta | None:
    """The `Meta` of a new tensor while any thread is in inference mode: marked if this thread is, or with `force`."""
    if not state.inference and not force:
        return None
    meta = Meta()
    meta.is_inference = True
    return meta


class OutputLike:
    """Size, dtype and device of a node's output, which its gradient must have, without keeping the output alive."""

    __slots__ = ("device", "dtype", "size")

    size: tuple[int, ...]
    dtype: DType
    device: Device

    @property
    def shape(self) -> list[int]:
        return list(self.size)


def like(tensor: Tensor) -> OutputLike:
    """What the gradient of `tensor` must look like."""
    self = object.__new__(OutputLike)
    self.size, self.dtype, self.device = tensor._size, tensor._dtype, tensor._storage.device
    return self


def fitted(gradient: Any, edge: Edge, node: Node, nr: int) -> Any:
    """The gradient with the size, dtype and device of its tensor: summed over dimensions that were broadcast.

    So formulas need not think of broadcasting or promotion.
    `node` computed it for its input number `nr`, whose edge is `edge`.
    """
    following, output_nr = edge
    wanted = None if following is None else following.outputs[output_nr]
    if gradient is None or wanted is None:
        return gradient
    if gradient._size != wanted.size:
        if geometry.summed_dims(gradient._size, wanted.size) is None:
            raise RuntimeError(
                f"Function {node.name()} returned an invalid gradient at index {nr} - got {list(gradient._size)} but "
                f"expected shape compatible with {list(wanted.size)}"
            )
        gradient = gradient.sum_to_size(wanted.size)
    if gradient._dtype is not wanted.dtype:
        if gradient._dtype.is_complex and not wanted.dtype.is_complex:
            gradient = gradient.real
        gradient = gradient.to(wanted.dtype)
    device = gradient._storage.device
    if device is not wanted.device:
        if wanted.size:  # a 0-dim operand may have been on the CPU
            raise RuntimeError(
                f"Function {node.name()} returned an invalid gradient at index {nr} - expected device {wanted.device} "
                f"but got {device}"
            )
        gradient = gradient.to(wanted.device)
    return gradient


def first_fitted(gradient: Any, node: Node, nr: int) -> Any:
    """An initial gradient, converted to the dtype of its output."""
    wanted = node.outputs[nr]
    if gradient is None or wanted is None or gradient._dtype is wanted.dtype:
        return gradient
    return fitted(gradient, (node, nr), node, nr)
